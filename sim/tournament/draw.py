"""Keyed chance of tournaments: a repeat always draws the same, alone or beside a hundred thousand others."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sim.chance import PURPOSE_TOURNAMENT, deal_key, event_key, word_at
from sim.compiled import entry

# What is drawn. A number never changes its meaning: results would change with it.
DRAW_PLACES = 0
DRAW_BYES = 1
DRAW_LOTS = 2
DRAW_GROUPS = 3
DRAW_PLAN = 4
DRAW_DEALS = 5
DRAW_WINNER = 6

Words = npt.NDArray[np.uint64]
Whole = npt.NDArray[np.int64]


@entry
def _keys(master: np.uint64, first: np.int64, keys: Words) -> None:
    """Fill in the keys of consecutive repeats."""
    for index in range(len(keys)):
        keys[index] = deal_key(master, first + index)


@entry
def _words(keys: Words, event: np.int64, words: Words) -> None:
    """Fill each row with the words of one event of chance of one repeat."""
    for row in range(words.shape[0]):
        key = event_key(keys[row], PURPOSE_TOURNAMENT, event)
        for index in range(words.shape[1]):
            words[row, index] = word_at(key, index)


@entry
def _words_at(keys: Words, event: np.int64, rows: Whole, indices: Whole, words: Words) -> None:
    """Fill in single words of one event of chance, each of one repeat."""
    for at in range(len(words)):
        words[at] = word_at(event_key(keys[rows[at]], PURPOSE_TOURNAMENT, event), indices[at])


@dataclass(frozen=True, slots=True)
class Draw:
    """The chance of a batch of repeats: a key each."""

    keys: Words

    @classmethod
    def of(cls, master: int, first: int, repeats: int) -> "Draw":
        """Make the chance of the repeats `first .. first + repeats - 1` of a master seed (0 .. 2**64 - 1)."""
        keys = np.zeros(repeats, np.uint64)
        with np.errstate(over="ignore"):
            _keys(np.uint64(master), np.int64(first), keys)
        return cls(keys)

    def words(self, what: int, number: int, count: int) -> Words:
        """Give `count` hashed words per repeat, shape (repeats, count).

        `what` says what they are for (`DRAW_...`), `number` which event of its kind it is, a round's number say.
        """
        words = np.zeros((len(self.keys), count), np.uint64)
        with np.errstate(over="ignore"):
            _words(self.keys, np.int64((what << 32) + number), words)
        return words

    def words_at(self, what: int, number: int, rows: Whole, indices: Whole) -> Words:
        """Give single words: for each `rows[i]`, a repeat, the one that `words` has at `indices[i]`."""
        words = np.zeros(len(rows), np.uint64)
        with np.errstate(over="ignore"):
            _words_at(self.keys, np.int64((what << 32) + number), rows, indices, words)
        return words

    def orders(self, what: int, number: int, count: int) -> Whole:
        """Draw an order of 0 .. count-1 per repeat, all alike likely, shape (repeats, count).

        The order that sorts as many random words; two equal ones (chance below count**2 / 2**65) stay as they are.
        """
        return np.argsort(self.words(what, number, count), axis=1, kind="stable")
