"""The kinds of contest there are, and the one door that makes them of jobs."""

from collections.abc import Mapping

import msgspec

from sim.contract import Bot
from sim.job import Job
from sim.tournament.job import Tournament
from workers.play.contest import Contest
from workers.play.deals import DealsContest
from workers.play.tournaments import TournamentContest


def contest_of(job: msgspec.Struct, bots: Mapping[str, Bot]) -> Contest:
    """Make a contest of a job of either kind, with the users' bots by name."""
    if isinstance(job, Tournament):
        return TournamentContest(job, bots)
    assert isinstance(job, Job)
    return DealsContest(job, bots)
