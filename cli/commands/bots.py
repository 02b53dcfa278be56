"""`fourfold bots`: who can play a game, and what an entrant can be set to."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from cli.command import Command, from_command_line
from cli.flags import json_flag

if TYPE_CHECKING:
    from rich.console import Console

    from sim.contract import Game, Parameter
    from workers.held import Held


@click.command(cls=Command, examples=["fourfold bots vierer", "fourfold bots vierer --json"])
@click.argument("game")
@json_flag
def command(game: str, as_json: bool) -> None:
    """List a game's bots with their parameters, and its skills.

    Parameters are what a bot reads, skills what the game applies to whoever sits there. Both are set behind
    the bot's name, as in careful:memory=12:reflex=2. Bots of your own are those of the files in the folder
    FOURFOLD_BOTS and of installed packages; they are read for this, not run.
    """
    from sim.contract import load_game
    from workers.held import held

    with from_command_line():
        found = load_game(game)
    bots, faults = held()
    own = [bot for name, bot in sorted(bots.items()) if bot.can_play(found.name) and name not in found.bots]
    faults += [
        f"Bot '{name}' of {bot.place} has the name of a bot of {found.command_name}; give it another."
        for name, bot in sorted(bots.items())
        if name in found.bots
    ]
    if as_json:
        click.echo(json.dumps(_described(found, own, faults), indent=2))
        return
    from cli.tables import terminal

    _print_bots(terminal(), found)
    _print_own(own, faults)


def _described(game: Game, own: Sequence[Held], faults: Sequence[str]) -> dict[str, Any]:
    """Give the bots and skills of a game as JSON data."""
    return {
        "game": game.command_name,
        "default_bots": list(game.default_bots),
        "bots": [
            {"name": bot.name, "text": bot.text, "parameters": [_parameter(one) for one in bot.parameters]}
            for bot in game.bots.values()
        ],
        "own_bots": [{"name": bot.name, "text": bot.text, "source": bot.source, "from": bot.place} for bot in own],
        "passed_over": list(faults),
        "skills": [_parameter(skill) for skill in game.skills],
    }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    """Give a parameter as JSON data, in which infinity is a word."""
    return {
        "name": parameter.name,
        "type": "number",
        "default": _plain(parameter.default),
        "low": _plain(parameter.low),
        "high": _plain(parameter.high),
        "unit": parameter.unit,
        "text": parameter.text,
    }


def _plain(number: float) -> float | str:
    return f"{number:g}" if math.isinf(number) else number


def _print_bots(console: Console, game: Game) -> None:
    """Print the bots, the parameters of each, and the skills."""
    from cli.tables import Column, draw, rest_of

    bots = list(game.bots.values())
    names = Column("bot", tuple(bot.name for bot in bots), "left")
    texts = Column("what it does", tuple(bot.text for bot in bots), "left", rest_of(console, names))
    console.print(f"The default line-up of {game.command_name}: {', '.join(game.default_bots)}")
    draw(console, f"Bots of {game.command_name}", names, [(texts,)])
    for bot in bots:
        if bot.parameters:
            _print_parameters(console, f"Parameters of {bot.name}", "parameter", bot.parameters)
    if game.skills:
        _print_parameters(console, "Skills of every entrant", "skill", game.skills)


def _print_own(own: Sequence[Held], faults: Sequence[str]) -> None:
    """Print the users' bots with where each comes from, and what was passed over."""
    if own:
        click.echo("\nBots of your own, by name")
    for bot in own:
        click.echo(
            f"  {bot.name}: {bot.text or 'says nothing of itself'}\n    from {bot.place}, source {bot.source[:12]}"
        )
    for fault in faults:
        click.echo(f"passed over: {fault}", err=True)


def _print_parameters(console: Console, title: str, kind: str, parameters: Sequence[Parameter]) -> None:
    """Print parameters or skills with their defaults and bounds."""
    from cli.tables import Column, draw, rest_of

    names = Column(kind, tuple(one.name for one in parameters), "left")
    defaults = Column("default", tuple(f"{one.default:g}" for one in parameters))
    allowed = Column("allowed", tuple(f"{one.low:g} to {one.high:g}" for one in parameters), "left")
    units = Column("unit", tuple(one.unit for one in parameters), "left")
    room = rest_of(console, names, defaults, allowed, units)
    texts = Column("meaning", tuple(one.text for one in parameters), "left", room)
    draw(console, title, names, [(defaults, allowed, units, texts)])
