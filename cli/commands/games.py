"""`fourfold games`: what there is to play, with every option."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from cli.command import Command, from_command_line
from cli.flags import json_flag
from cli.numbers import counted

if TYPE_CHECKING:
    from rich.console import Console

    from sim.contract import Game

ALLOWED_WIDTH = 16  # longer lists of words are folded


@click.command(
    cls=Command,
    examples=["fourfold games", "fourfold games vierer", "fourfold games vierer --json"],
)
@click.argument("game", required=False)
@json_flag
def command(game: str | None, as_json: bool) -> None:
    """List the games: seats, line-up, options with defaults and bounds, presets."""
    from sim.contract import game_names, load_game

    with from_command_line():
        games = [load_game(name) for name in ([game] if game else game_names())]
    if as_json:
        click.echo(json.dumps([_described(one) for one in games], indent=2))
        return
    from cli.tables import terminal

    console = terminal()
    for one in games:
        _print_game(console, one)


def _described(game: Game) -> dict[str, Any]:
    """Give what a game declares as JSON data."""
    return {
        "name": game.command_name,
        "title": game.title,
        "text": game.text,
        "version": game.version,
        "min_seats": game.min_seats,
        "max_seats": game.max_seats,
        "default_seats": game.default_seats,
        "default_bots": list(game.default_bots),
        "options": _options(game),
        "presets": {name: dict(options) for name, options in game.presets.items()},
    }


def _options(game: Game) -> list[dict[str, Any]]:
    """Give each option as JSON Schema has it: type, bounds, default, description."""
    import msgspec

    schema = msgspec.json.schema(game.Spec)["$defs"][game.Spec.__name__]
    return [{"name": name, **option} for name, option in schema["properties"].items()]


def _print_game(console: Console, game: Game) -> None:
    """Print what a game is, its line-up, and the table of its options."""
    import msgspec

    from cli.tables import Column, draw, rest_of
    from sim.job import allowed_text

    name = game.command_name
    console.print(f"{name}: {game.text}")
    default = f", by default {game.default_seats}" if game.min_seats < game.max_seats else ""
    console.print(f"{game.seats_text}{default}")
    console.print(f"bots by default: {', '.join(game.default_bots)} (all: fourfold bots {name})")
    options = _options(game)
    names = Column("option", tuple(option["name"] for option in options), "left")
    defaults = Column("default", tuple(_typed(option["default"]) for option in options), "left")
    allowed = tuple(allowed_text(field) for field in msgspec.structs.fields(game.Spec))
    allows = Column("allowed", allowed, "left", ALLOWED_WIDTH)
    texts = tuple(option["description"] for option in options)
    means = Column("meaning", texts, "left", rest_of(console, names, defaults, allows))
    draw(console, f"Options of {name}, each set with --option NAME=VALUE", names, [(defaults, allows, means)])
    if game.presets:
        presets = Column("preset", tuple(game.presets), "left")
        sets = tuple(", ".join(f"{key}={_typed(value)}" for key, value in one.items()) for one in game.presets.values())
        draw(
            console,
            f"Presets of {name}, each set with --preset NAME",
            presets,
            [(Column("options", sets, "left", rest_of(console, presets)),)],
        )


def _typed(value: Any) -> str:
    """Write a value as it is typed after --option NAME=; of the content of a file only how long it is."""
    if isinstance(value, list | tuple):
        return counted(len(value), "line")
    return json.dumps(value) if isinstance(value, bool) else str(value)
