"""What the tests of the domain share."""

import pytest

from sim.contract import Game, load_game


@pytest.fixture(scope="session")
def vierer() -> Game:
    """The game that most tests play."""
    return load_game("vierer")
