"""`fourfold formats`: how a tournament can be held, with every setting."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from cli.command import Command, from_command_line
from cli.flags import json_flag

if TYPE_CHECKING:
    from rich.console import Console

_ALLOWED_WIDTH, _DEFAULT_WIDTH = 18, 18  # longer lists of words are folded


@click.command(
    cls=Command,
    examples=["fourfold formats", "fourfold formats swiss", "fourfold formats --json"],
)
@click.argument("name", metavar="[FORMAT]", required=False)
@json_flag
def command(name: str | None, as_json: bool) -> None:
    """List the formats of tournaments: what each is, and its settings with defaults and bounds."""
    from sim.errors import UnknownName
    from sim.tournament.formats import FORMATS, PRESETS

    found = _described()
    if name is not None:
        named = name.replace("-", "_")
        kind = PRESETS[named][0] if named in PRESETS else named
        with from_command_line():
            if kind not in FORMATS:
                raise UnknownName.among("format", name, [*FORMATS, *PRESETS])
        found = [one for one in found if one["name"] == kind]
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    from cli.tables import terminal

    console = terminal()
    for one in found:
        _print_format(console, one)


def _described() -> list[dict[str, Any]]:
    """Give what the formats declare as JSON data."""
    import inspect

    import msgspec

    from sim.tournament.formats import FORMATS, PRESETS, allowed_setting

    formats = []
    for name, kind in FORMATS.items():
        defaults = msgspec.to_builtins(kind())
        text = inspect.cleandoc(kind.__doc__ or "").split("\n\n")
        settings = [
            {
                "name": field.name,
                "default": defaults[field.name],
                "allowed": allowed_setting(field),
                "description": getattr(field.type, "__metadata__", [None])[0].description,
            }
            for field in msgspec.structs.fields(kind)
        ]
        presets = {word: dict(given) for word, (of, given) in PRESETS.items() if of == name}
        about = [" ".join(each.split()) for each in text]
        formats.append({"name": name, "text": about[0], "more": about[1:], "settings": settings, "presets": presets})
    return formats


def _print_format(console: Console, one: dict[str, Any]) -> None:
    """Print what a format is, its other names, and the table of its settings."""
    from cli.tables import Column, draw, rest_of

    console.print(f"{one['name']}: {one['text']}")
    for paragraph in one["more"]:
        console.print(paragraph)
    for name, given in one["presets"].items():
        console.print(f"{name}: the same{''.join(f', {key}={_typed(value)}' for key, value in given.items())}")
    settings = one["settings"]
    names = Column("setting", tuple(each["name"] for each in settings), "left")
    defaults = Column("default", tuple(_typed(each["default"]) for each in settings), "left", _DEFAULT_WIDTH)
    allows = Column("allowed", tuple(each["allowed"] for each in settings), "left", _ALLOWED_WIDTH)
    texts = tuple(each["description"] for each in settings)
    means = Column("meaning", texts, "left", rest_of(console, names, defaults, allows))
    draw(
        console,
        f"Settings of {one['name']}, as in --format {one['name']}:NAME=VALUE",
        names,
        [(defaults, allows, means)],
    )
    console.print()


def _typed(value: Any) -> str:
    """Write a value as it is typed after NAME=."""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return json.dumps(value) if isinstance(value, bool) else str(value)
