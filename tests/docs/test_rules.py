import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, get_args, get_origin

import msgspec
import pytest

from sim.contract import game_names, load_game
from tests.docs.pages import ROOT, page, rows


@pytest.mark.parametrize("name", game_names())
def test_every_option_is_in_the_rules_with_default_and_bounds(name: str) -> None:
    table = rows(page(f"sim/games/{name}/rules.md"), "## Options")
    described = {option.strip("`"): (default.strip("`"), allowed) for option, default, allowed, _ in table}
    assert described.keys() == set(load_game(name).Spec.__struct_fields__)
    for field in msgspec.structs.fields(load_game(name).Spec):
        default, allowed = described[field.name]
        assert default == (str(field.default).lower() if isinstance(field.default, bool) else str(field.default))
        assert allowed.startswith(allowed_words(field)), field.name


def allowed_words(field: msgspec.structs.FieldInfo) -> str:
    """What the rules have to say that an option may be, at least."""
    kind, meta = field.type.__origin__, field.type.__metadata__[0]
    if kind is bool:
        return "`true`, `false`"
    if get_origin(kind) is Literal:
        return ", ".join(f"`{word}`" for word in get_args(kind))
    if kind in (int, float):
        return f"{kind(meta.ge)} to {kind(meta.le)}"
    return f"`{field.default}`, or a{' file' if tuple[str, ...] in get_args(kind) else ''}"


@pytest.mark.parametrize("name", game_names())
def test_an_option_names_the_rule_that_its_spec_names(name: str) -> None:
    table = rows(page(f"sim/games/{name}/rules.md"), "## Options")
    rules = {option.strip("`"): rule for option, _, _, rule in table}
    for field in msgspec.structs.fields(load_game(name).Spec):
        assert f"({rules[field.name]})" in field.type.__metadata__[0].description, field.name


def rule_ids(name: str) -> list[str]:
    """The ids of a game's rules in order, as in `- **VIE-7** Turns go clockwise.`; a rule 8a may follow 8."""
    return re.findall(r"^- \*\*([A-Z]{3}-\d+[a-z]?)\*\*", page(f"sim/games/{name}/rules.md"), re.MULTILINE)


@pytest.mark.parametrize("name", game_names())
def test_rules_are_numbered_from_1_without_a_gap(name: str) -> None:
    """A number that was never used is named: "There is no VIE-41."."""
    ids = rule_ids(name)
    prefix = ids[0].split("-")[0]
    assert all(rule.startswith(f"{prefix}-") for rule in ids)
    places = [(int(number), letter) for number, letter in re.findall(r"-(\d+)([a-z]?)", " ".join(ids))]
    assert places == sorted(set(places))
    unused = {
        int(number) for number in re.findall(rf"There is no {prefix}-(\d+)\.", page(f"sim/games/{name}/rules.md"))
    }
    numbers = {number for number, _ in places}
    assert not unused & numbers
    assert unused | numbers == set(range(1, max(numbers) + 1))
    assert {(number, "") for number in numbers} <= set(places)


@pytest.mark.parametrize("name", game_names())
def test_every_rule_is_named_by_a_test(name: str) -> None:
    """By a test's name (`test_vie_33_...`), its docstring, or its parameters; tournaments are tested for all games."""
    files = [file for start in (name, "tournament") for file in (ROOT / "tests/sim").glob(f"test_{start}*.py")]
    told = " ".join(words for file in files for words in named_in(file))
    named = set(re.findall(r"[A-Z]{3}-\d+[A-Z]?(?![0-9A-Z])", told.upper().replace("_", "-")))
    assert {rule.upper() for rule in rule_ids(name)} - named == set()


def named_in(file: Path) -> Iterator[str]:
    """The names, docstrings and parameters of a file's tests."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield from (node.name, ast.get_docstring(node) or "", *map(ast.unparse, node.decorator_list))
