"""Kernels made callable from Python, for tests of what they compute."""

import numpy as np

from sim import chance, memory, seating
from sim.compiled import IS_JIT_OFF, entry
from sim.games.vierer import engine

GENERATOR = np.dtype(chance.GENERATOR, align=True)


def generator(*words: int):  # type: ignore[no-untyped-def]
    """A generator's record with these four words."""
    record = np.zeros(1, GENERATOR)
    for name, word in zip(("s0", "s1", "s2", "s3"), words, strict=False):
        record[name] = word
    return record.view(np.recarray) if IS_JIT_OFF else record


@entry
def words_of(record, words):  # type: ignore[no-untyped-def]
    for index in range(len(words)):
        words[index] = chance.next_word(record[0])


@entry
def seeded(record, key):  # type: ignore[no-untyped-def]
    chance.seed(record[0], key)


@entry
def draws_below(record, bound, draws):  # type: ignore[no-untyped-def]
    for index in range(len(draws)):
        draws[index] = chance.below(record[0], bound)


@entry
def mixed(word):  # type: ignore[no-untyped-def]
    return chance.mix(word)


@entry
def key_of(master, deal, purpose, index):  # type: ignore[no-untyped-def]
    return chance.event_key(chance.deal_key(master, deal), purpose, index)


@entry
def word_of(key, index):  # type: ignore[no-untyped-def]
    return chance.word_at(key, index)


@entry
def picked(word, bound):  # type: ignore[no-untyped-def]
    return chance.pick(word, bound)


@entry
def seated(record, master, deal, line_up, is_rotated, places):  # type: ignore[no-untyped-def]
    return seating.arrange(record[0], master, deal, line_up, is_rotated, places)


@entry
def remembered(keys, fact, seen, now, half_life, answers):  # type: ignore[no-untyped-def]
    for index in range(len(keys)):
        answers[index] = memory.is_remembered(keys[index], fact, seen, now, half_life)


@entry
def matches(record, top, card):  # type: ignore[no-untyped-def]
    return engine.is_match(record[0].rules, top, card)


@entry
def left_of(record, seat):  # type: ignore[no-untyped-def]
    return engine.after(record[0], seat)


@entry
def attempts_ordered(record, wanting, orders, keys):  # type: ignore[no-untyped-def]
    """Draw the order of attempts of these seats once for each deal's key."""
    state = record[0]
    for index in range(len(keys)):
        state.deal_key = keys[index]
        for nth in range(len(wanting)):
            state.wanting[nth] = wanting[nth]
        engine._order_attempts(state, np.int64(len(wanting)))
        for nth in range(len(wanting)):
            orders[index, nth] = state.wanting[nth]
