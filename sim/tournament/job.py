"""A tournament as a value: entrants, formats and variants of the rules, complete in itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from sim.contract import Bot, Game
from sim.errors import SpecError, UnknownName
from sim.job import MAX_SEED, Entrant, changed_options, make_entrant, make_spec
from sim.table import MAX_DECIDERS
from sim.tournament.format import MAX_ENTRANTS, Format
from sim.tournament.formats import FORMATS, PRESETS, make_format

MIN_ENTRANTS = 3
MAX_REPEATS = 10**9
MAX_MATCH_DEALS = 1000
MAX_REPLAYS = 10  # of a drawn knockout match, before a lot decides; rules: FCD-39
MAX_NUMBER = 2**62


class NamedFormat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A format of a tournament; `settings` holds what differs from its defaults."""

    format: str
    name: str = ""
    settings: dict[str, Any] = {}


class Variant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A set of the game's options; `options` holds what differs from its defaults."""

    name: str = "default"
    options: dict[str, Any] = {}


class Tournament(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A tournament, held so many times: `tournament`.

    Every format is held under every variant of the rules, each such leg with the same chance. A match is `deals` deals,
    each with its seating drawn and, with `rotate`, played in every rotation. `order` names the entrants from best to
    worst, for seeding by rating; it may be empty.
    """

    kind: Literal["tournament"] = "tournament"
    game: str
    entrants: tuple[Entrant, ...]
    formats: tuple[NamedFormat, ...]
    variants: tuple[Variant, ...] = (Variant(),)
    repeats: int = 1
    deals: int = 1
    rotate: bool = True
    seed: int = 1
    order: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The entrants' names, in listing order."""
        return tuple(entrant.name for entrant in self.entrants)

    @property
    def places(self) -> tuple[int, ...]:
        """The numbers of the entrants in the order from best to worst; none where there is no such order."""
        return tuple(self.names.index(name) for name in self.order)


@dataclass(frozen=True, slots=True)
class Leg:
    """One format under one variant of the rules: named by the format, and by the variant where there are several."""

    name: str
    format: Format
    variant: Variant


@dataclass(frozen=True, slots=True)
class Preset:
    """A tournament by name: formats, and whether a match is one game as at a table."""

    formats: tuple[NamedFormat, ...]
    rotate: bool


# FCD-37 and FCD-39; both are reported for all variants that a game names.
TOURNAMENT_PRESETS = {
    "championship": Preset((NamedFormat("championship"),), rotate=False),
    "league": Preset((NamedFormat("league"),), rotate=False),
}


def legs_of(tournament: Tournament) -> tuple[Leg, ...]:
    """List the legs: format by format, and for each of them variant by variant."""
    entrants = len(tournament.entrants)
    return tuple(
        Leg(
            f"{named.name}, {variant.name}" if len(tournament.variants) > 1 else named.name,
            make_format(named.format, named.settings, entrants),
            variant,
        )
        for named in tournament.formats
        for variant in tournament.variants
    )


def seats_of_game(game: Game, size: int) -> int:
    """Give the seats of a game among so many entrants: in a solitaire each plays alone."""
    return 1 if game.max_seats == 1 else size


def make_tournament(
    game: Game,
    *,
    entrants: Sequence[Entrant],
    formats: Sequence[NamedFormat | str] = (),
    variants: Sequence[Variant] = (),
    preset: str | None = None,
    options: Mapping[str, Any] | None = None,
    seats: int | None = None,
    repeats: int = 1,
    deals: int = 1,
    rotate: bool | None = None,
    seed: int = 1,
    order: Sequence[str] = (),
    bots: Mapping[str, Bot] | None = None,
) -> Tournament:
    """Build a tournament, a frozen value, and check all of it.

    `formats` are names or named formats with settings, `seats` the entrants a table of those that have such a setting.
    `options` hold under all variants. A `preset` names formats, a match of one game, and the variants that the game
    reports side by side; what is given besides goes before it. `bots` are the users' by name.

    Raises
    ------
    SpecError, UnknownName
        In one sentence: what was given, where, and what is allowed.
    """
    named = _preset(preset)
    if named is not None:
        formats = formats or named.formats
        variants = variants or _side_by_side(game, options or {})
        rotate = named.rotate if rotate is None else rotate
    _check_counts(len(entrants), repeats, deals, seed)
    placed = _entrants(game, entrants, bots or {})
    chosen = _formats([NamedFormat(given) if isinstance(given, str) else given for given in formats], seats, placed)
    made = Tournament(
        game=game.name,
        entrants=placed,
        formats=chosen,
        variants=_variants(game, variants or (Variant(),), options or {}, chosen, len(placed)),
        repeats=repeats,
        deals=deals,
        rotate=True if rotate is None else rotate,
        seed=seed,
        order=tuple(order),
    )
    _check_order(made)
    return made


def _preset(name: str | None) -> Preset | None:
    """Find a preset of a tournament."""
    if name is None:
        return None
    if name not in TOURNAMENT_PRESETS:
        raise UnknownName.among("preset", name, TOURNAMENT_PRESETS, "of a tournament")
    return TOURNAMENT_PRESETS[name]


def _side_by_side(game: Game, options: Mapping[str, Any]) -> tuple[Variant, ...]:
    """Give the variants that a game reports side by side, unless one of their options is settled."""
    if any(name in options for variant in game.variants.values() for name in variant):
        return ()
    return tuple(Variant(name, dict(variant)) for name, variant in game.variants.items())


def _check_counts(entrants: int, repeats: int, deals: int, seed: int) -> None:
    """Check the numbers of a tournament."""
    if not MIN_ENTRANTS <= entrants <= MAX_ENTRANTS:
        raise SpecError(f"A tournament has {MIN_ENTRANTS} to {MAX_ENTRANTS} entrants; given: {entrants}.")
    if not 1 <= repeats <= MAX_REPEATS:
        raise SpecError(f"The number of repeats is {repeats}; allowed are 1 to {MAX_REPEATS}.")
    if not 1 <= deals <= MAX_MATCH_DEALS:
        raise SpecError(f"The number of deals a match is {deals}; allowed are 1 to {MAX_MATCH_DEALS}.")
    if not 0 <= seed <= MAX_SEED:
        raise SpecError(f"The seed is {seed}; allowed are whole numbers from 0 to 2**64 - 1.")


def _entrants(game: Game, entrants: Sequence[Entrant], bots: Mapping[str, Bot]) -> tuple[Entrant, ...]:
    """Check and name the entrants."""
    placed = tuple(make_entrant(game, entrant, bots) for entrant in entrants)
    _check_names("entrants", [entrant.name for entrant in placed])
    distinct = {entrant.bot for entrant in placed}
    if len(distinct) > MAX_DECIDERS:
        raise SpecError(
            f"{len(distinct)} different bots are entered; a tournament has up to {MAX_DECIDERS}, each as often as you "
            "like with other parameters and skills."
        )
    return placed


def _check_names(what: str, names: Sequence[str]) -> None:
    """Check that names differ and can be printed."""
    for name in names:
        if not name.isprintable() or not 1 <= len(name) <= 100:
            raise SpecError(f"A name is 1 to 100 printable characters; one of the {what} has {name[:40]!r}.")
    for name in names:
        if names.count(name) > 1:
            raise SpecError(f"{names.count(name)} {what} are named '{name}': give each its own name.")


def _formats(given: Sequence[NamedFormat], seats: int | None, entrants: Sequence[Entrant]) -> tuple[NamedFormat, ...]:
    """Check and name the formats; keep the settings that differ from the defaults."""
    if not given:
        raise SpecError(
            f"A tournament has one format or more, or a preset; formats are {', '.join([*FORMATS, *PRESETS])}."
        )
    kept = []
    is_seated = False
    for one in given:
        settings = dict(one.settings)
        kind = _kind(one.format)
        if seats is not None and "seats" in kind.__struct_fields__:
            settings.setdefault("seats", seats)
            is_seated = True
        chosen = make_format(one.format, settings, len(entrants))
        plain = msgspec.to_builtins(chosen)
        defaults = msgspec.to_builtins(kind())
        changed = {name: value for name, value in plain.items() if name != "format" and value != defaults[name]}
        words = [f"{name}={_word(value)}" for name, value in settings.items()]
        kept.append(NamedFormat(chosen.name, one.name or ":".join([one.format, *words]), changed))
    if seats is not None and seats != 2 and not is_seated:
        raise SpecError(
            f"Tables of {seats} are given, and each of the formats seats two: {', '.join(one.name for one in kept)}."
        )
    _check_names("formats", [one.name for one in kept])
    return tuple(kept)


def _kind(name: str) -> type[Format]:
    """Find the kind of format that a name or the name of a preset means; any where there is none such."""
    named = name.replace("-", "_")
    return FORMATS.get(PRESETS.get(named, (named, {}))[0], Format)


def _word(value: Any) -> str:
    """Write a setting as in a name."""
    return "+".join(map(str, value)) if isinstance(value, list | tuple) else str(value).lower()


def _variants(
    game: Game, given: Sequence[Variant], options: Mapping[str, Any], formats: Sequence[NamedFormat], entrants: int
) -> tuple[Variant, ...]:
    """Check the variants for all sizes of tables; keep the options that differ from the defaults."""
    sizes: set[int] = set()
    for named in formats:
        chosen = make_format(named.format, named.settings, entrants)
        for size in chosen.sizes_for(entrants):
            if not game.min_seats <= seats_of_game(game, size) <= game.max_seats:
                seated = [name for name, kind in FORMATS.items() if "seats" in kind.__struct_fields__]
                others = "" if named.format in seated else f" Tables of other sizes have {', '.join(seated)}."
                raise SpecError(
                    f"Format '{named.name}' with {entrants} entrants has tables of {size}; {game.title} is played by "
                    f"{game.seats_text}.{others}"
                )
            sizes.add(seats_of_game(game, size))
    kept = []
    for variant in given:
        for size in sorted(sizes):
            spec = make_spec(game, size, {**options, **variant.options})
        kept.append(Variant(variant.name, changed_options(game, spec)))
    _check_names("variants", [variant.name for variant in kept])
    return tuple(kept)


def _check_order(tournament: Tournament) -> None:
    """Check the order of the entrants, and that there is one where a format seeds by it."""
    names, order = tournament.names, tournament.order
    for name in order:
        if name not in names:
            raise UnknownName.among("entrant", name, names, "in the order")
    if order and sorted(order) != sorted(names):
        missing = [name for name in names if name not in order] or [name for name in order if order.count(name) > 1]
        raise SpecError(f"The order from best to worst names each entrant once; look at '{missing[0]}'.")
    for named in tournament.formats:
        if named.settings.get("seeding") == "rating" and not order:
            raise SpecError(f"Format '{named.name}' seeds by rating: give the order of the entrants, best first.")
