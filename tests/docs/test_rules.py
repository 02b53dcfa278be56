import re
from typing import Literal, get_args, get_origin

import msgspec
import pytest

from sim.contract import game_names, load_game
from tests.docs.pages import page, rows


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
    return f"{kind(meta.ge)} to {kind(meta.le)}" if kind in (int, float) else f"`{field.default}`, or a file"


@pytest.mark.parametrize("name", game_names())
def test_an_option_names_the_rule_that_its_spec_names(name: str) -> None:
    table = rows(page(f"sim/games/{name}/rules.md"), "## Options")
    rules = {option.strip("`"): rule for option, _, _, rule in table}
    for field in msgspec.structs.fields(load_game(name).Spec):
        assert f"({rules[field.name]})" in field.type.__metadata__[0].description, field.name


def test_the_rules_of_vierer_are_numbered_from_1_to_40() -> None:
    numbered = re.findall(r"^- \*\*VIE-(\d+)\*\*", page("sim/games/vierer/rules.md"), re.MULTILINE)
    assert numbered == [str(number) for number in range(1, 41)]
