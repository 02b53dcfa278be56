"""What a player of tournaments gives: rows that agree, whatever the parts, and with games that are played alone."""

from typing import Any

import numpy as np

from sim.contract import load_game
from sim.job import Entrant
from sim.tournament.job import Tournament, make_tournament
from sim.tournament.play import TournamentPlayer

TABLES = ("standings", "matches", "played", "games", "seats", "rounds")


def of_two(**given: Any) -> Tournament:
    """Five detectives in a drawn single elimination of one round a game."""
    entrants = [Entrant("random", f"r{number}") for number in range(4)] + [Entrant("steady", "s", {"feels": 1})]
    defaults = {"formats": ["single_elimination"], "rotate": False, "options": {"rounds": 1}, "entrants": entrants}
    return make_tournament(load_game("four_corner"), **{**defaults, **given})


def test_parts_of_any_size_have_the_same_cells() -> None:
    player = TournamentPlayer(of_two())
    whole = player.play(3, 7)
    for sizes in ((1, 6), (4, 3), (2, 2, 2, 1)):
        parts, first = [], 3
        for size in sizes:
            parts.append(player.play(first, size))
            first += size
        for table in TABLES:
            assert np.array_equal(np.concatenate([part[table] for part in parts]), whole[table])
