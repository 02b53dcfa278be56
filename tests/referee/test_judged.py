"""The independent referees agree with games of every bot, of every number of seats, under many option sets."""

import msgspec
import pytest

from sim.contract import game_names, load_game
from tests.referee.judged import differences, referee, settings

GAMES = 14  # `python -m tests.referee.judged --games 10000` judges more.


@pytest.mark.parametrize("name", game_names())
def test_every_game_has_a_referee(name: str) -> None:
    assert callable(referee(name).judge)


@pytest.mark.parametrize("name", game_names())
def test_every_bot_seat_and_option_is_judged(name: str) -> None:
    game = load_game(name)
    drawn = [setting for setting, _ in zip(settings(name, 1), range(200), strict=False)]
    assert {seats for seats, _, _ in drawn} == set(range(game.min_seats, game.max_seats + 1))
    assert {bot.partition(":")[0] for _, bots, _ in drawn for bot in bots} == set(game.bots)
    words = {field.name for field in msgspec.structs.fields(game.Spec)}
    assert {option for _, _, options in drawn for option in options} == words


@pytest.mark.parametrize("name", game_names())
def test_the_referee_finds_no_difference(name: str) -> None:
    assert list(differences(name, GAMES)) == []
