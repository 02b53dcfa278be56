"""Reads the pages of `docs`: their code, what it is said to print, and their tables."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def page(name: str) -> str:
    """The text of a page, by its path from the project's folder."""
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(text: str) -> list[tuple[str, str]]:
    """The fenced blocks of a page in order: language and content."""
    return [(found[1], found[2]) for found in _FENCED.finditer(text)]


def console(block: str) -> list[tuple[str, str]]:
    """What a console block types, and what it shows after each."""
    typed = re.split(r"^\$ ", block.replace("\\\n>", ""), flags=re.MULTILINE)[1:]
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in typed)]


def rows(text: str, heading: str) -> list[list[str]]:
    """The rows of the first table after a line, without its head: the cells, backquotes taken off."""
    lines = text.split(f"\n{heading}\n", 1)[1].splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("|"))
    table = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip("|").split("|")])
    return table


def is_shown(shown: str, printed: str) -> bool:
    """Whether something printed is what a page shows; `...` in the page stands for anything."""
    parts = [re.escape(part) for part in _trimmed(shown).split("...")]
    return re.fullmatch(".*?".join(parts), _trimmed(printed), re.DOTALL) is not None


def _trimmed(text: str) -> str:
    """Text without spaces at the ends of its lines."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
