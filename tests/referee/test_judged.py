"""The independent referee agrees with games of every bot, 2 to 8 seats, and many option sets."""

from tests.referee.judged import differences

GAMES = 14  # `python -m tests.referee.judged --games 10000` judges more.


def test_the_referee_finds_no_difference() -> None:
    assert list(differences(GAMES)) == []
