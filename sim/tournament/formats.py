"""The formats there are, and the one door that makes them out of a name and settings."""

from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from sim.errors import SpecError, UnknownName
from sim.job import allowed_text
from sim.tournament.allplay import Gauntlet, RoundRobin
from sim.tournament.bracket import DoubleElimination, SingleElimination
from sim.tournament.format import Format
from sim.tournament.groups import GroupsThenKnockout
from sim.tournament.standings import Criterion
from sim.tournament.swiss import Swiss
from sim.tournament.tables import BalancedTables, Heats, SwissTables

KINDS: tuple[type[Format], ...] = (
    SingleElimination,
    DoubleElimination,
    RoundRobin,
    Swiss,
    GroupsThenKnockout,
    Gauntlet,
    BalancedTables,
    SwissTables,
    Heats,
)
AnyFormat = (
    SingleElimination
    | DoubleElimination
    | RoundRobin
    | Swiss
    | GroupsThenKnockout
    | Gauntlet
    | BalancedTables
    | SwissTables
    | Heats
)  # for the field of a job

FORMATS: dict[str, type[Format]] = {str(kind.__struct_config__.tag): kind for kind in KINDS}

# Names for a format with settings; further settings may be given with them (FCD-37).
PRESETS: dict[str, tuple[str, dict[str, Any]]] = {
    "knockout": ("single_elimination", {"third_place": True}),
    "championship": ("single_elimination", {"third_place": True}),
    "league": ("round_robin", {}),
    "double_round_robin": ("round_robin", {"legs": 2}),
}


def make_format(name: str, settings: Mapping[str, Any], entrants: int) -> Format:
    """Make a format out of its name, or that of a preset, and settings, words from a command line included.

    Raises
    ------
    UnknownName, SpecError
        With a sentence that names the setting, what was given and what is allowed, for so many entrants.
    """
    named = name.replace("-", "_")
    kind_name, preset = PRESETS.get(named, (named, {}))
    if kind_name not in FORMATS:
        raise UnknownName.among("format", name, [*FORMATS, *PRESETS])
    kind = FORMATS[kind_name]
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    values = dict(preset)
    for option, value in settings.items():
        if option not in fields:
            raise UnknownName.among("option", option, fields, f"of format '{name}'")
        values[option] = _field_value(fields[option], value)
    chosen = kind(**values)
    chosen.check(entrants)
    return chosen


def _field_value(field: msgspec.structs.FieldInfo, value: Any) -> Any:
    """Convert one setting's value, or raise SpecError; a list may be written with commas."""
    if field.name == "ranking" and isinstance(value, str):
        value = [word.strip() for word in value.split(",")]
    try:
        return msgspec.convert(value, field.type, strict=not isinstance(value, str))
    except msgspec.ValidationError:
        raise SpecError(f"Option '{field.name}' is {value!r}; allowed: {allowed_setting(field)}.") from None


def allowed_setting(field: msgspec.structs.FieldInfo) -> str:
    """Say in words what a setting may be."""
    if field.name == "ranking":
        return ", ".join(get_args(Criterion))
    return allowed_text(field)
