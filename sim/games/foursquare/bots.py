"""Bots of Foursquare: functions from a VIEW to an action."""

from sim.chance import pick
from sim.contract import bot
from sim.games.foursquare.engine import count_legal, nth_legal


@bot(name="random")
def random(view):
    """Picks uniformly among the legal actions and looks at nothing else."""
    return nth_legal(view, pick(view.word, count_legal(view)))


BOTS = {each.name: each for each in (random,)}
