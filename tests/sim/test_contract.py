"""What a game and its bots declare."""

import math
from typing import Any

import msgspec
import pytest

from sim.contract import (
    GAME_COLUMNS,
    MAX_PARAMETERS,
    ROUND_COLUMNS,
    SEAT_COLUMNS,
    Game,
    Parameter,
    bot,
    game_names,
    load_game,
)
from sim.errors import SpecError, UnknownName
from sim.job import make_spec

NUMBER = Parameter("care", 1.0, 0.0, 10.0, "how careful")


@pytest.mark.parametrize(("value", "number"), [(0, 0.0), (10, 10.0), ("2.5", 2.5), (3.25, 3.25)])
def test_a_parameter_takes_numbers_within_its_bounds(value: Any, number: float) -> None:
    assert NUMBER.checked(value, "bot 'x'") == number


@pytest.mark.parametrize("value", [-0.001, 10.001, math.nan, math.inf, "nan", "much", None, [1], {}, True, 10**400])
def test_anything_else_is_named(value: Any) -> None:
    with pytest.raises(SpecError, match=r"bot 'x': 'care' is .*; allowed are numbers from 0 to 10"):
        NUMBER.checked(value, "bot 'x'")


def test_infinity_is_allowed_where_the_bound_is_infinite() -> None:
    assert Parameter("memory", math.inf, 0.1, math.inf, "").checked("inf", "") == math.inf


def test_a_bot_has_few_parameters_of_different_names() -> None:
    many = [Parameter(f"p{number}", 0.0, 0.0, 1.0, "") for number in range(MAX_PARAMETERS + 1)]
    with pytest.raises(SpecError, match="at most 8 parameters"):
        bot(*many)
    with pytest.raises(SpecError, match="different names"):
        bot(many[0], many[0])
    bot(*many[:-1])


@pytest.mark.parametrize("name", game_names())
def test_every_game_declares_what_the_rest_needs(name: str) -> None:
    game = load_game(name)
    assert isinstance(game, Game)
    assert game.name == name
    assert load_game(game.command_name) is game
    assert game.min_seats <= game.default_seats <= game.max_seats
    assert set(game.default_bots) <= set(game.bots)
    assert "random" in game.bots
    assert game.text
    assert all(each.text for each in game.bots.values())
    for each in game.bots.values():
        for parameter in each.parameters:
            assert parameter.low <= parameter.default <= parameter.high
            assert parameter.text
    for columns, first in (
        (game.game_columns, GAME_COLUMNS),
        (game.seat_columns, SEAT_COLUMNS),
        (game.round_columns or ROUND_COLUMNS, ROUND_COLUMNS),
    ):
        assert columns[: len(first)] == first
    # One without columns of rounds has no rounds in them, whatever the options, and the other way round.
    assert (game.rounds(game.Spec()) > 0) <= bool(game.round_columns)
    names = [column.name for column in game.game_columns]
    assert len(set(names)) == len(names)
    assert {ratio.numerator for ratio in game.ratios} | {ratio.denominator for ratio in game.ratios} <= set(names)


@pytest.mark.parametrize("name", game_names())
def test_every_number_among_the_options_has_both_bounds_and_a_default_within(name: str) -> None:
    for field in msgspec.structs.fields(load_game(name).Spec):
        kind, meta = field.type.__origin__, field.type.__metadata__[0]
        if kind in (int, float):
            assert type(field.default) is kind, field.name
            assert meta.ge <= field.default <= meta.le, field.name


@pytest.mark.parametrize("name", game_names())
def test_every_preset_is_allowed_and_changes_something(name: str) -> None:
    game = load_game(name)
    for preset, options in game.presets.items():
        assert make_spec(game, game.default_seats, options) != game.Spec(), preset


def test_an_unknown_game_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"Unknown game 'vierrer'. Did you mean 'vierer'"):
        load_game("vierrer")
