"""The bots of Clueverge: a bot is `decide(view) -> action`, and its VIEW is all it gets."""

from sim.chance import pick
from sim.contract import bot
from sim.games.clueverge.engine import count_legal, nth_legal


@bot(name="random")
def random(view):
    """Picks uniformly among the legal actions and looks at nothing else."""
    return nth_legal(view, pick(view.word, count_legal(view)))


BOTS = {each.name: each for each in (random,)}
