"""The bots of Vier zu mir!: a bot is `decide(view) -> action`, and its VIEW is all it gets.

What they recall, and how likely they make each place, is in `belief`.
"""

import numpy as np

from sim.chance import pick, word_at
from sim.compiled import kernel
from sim.contract import Parameter, bot
from sim.games.vier_zu_mir.belief import (
    best_place,
    is_in,
    lacking,
    needs,
    recall,
    recall_questions,
    recall_wants,
    weigh_places,
)
from sim.games.vier_zu_mir.engine import ask, count_legal, count_of, nth_animal, nth_legal
from sim.games.vier_zu_mir.hands import list_pool, question_shown
from sim.games.vier_zu_mir.spec import ACT_STOP, ANIMALS, CARD_ANIMALS, CARDS, HOLDER_NONE, MAX_SEATS, QUESTIONS
from sim.memory import MEMORY, is_remembered

_MEMORY, _ATTENTION, _CURIOSITY, _DISCRETION, _SUSPICION, _PAIR, _STOP = range(7)  # places of parameters
_U1 = np.uint32(1)
_TO_SHARE = 2.0**-64
_SURE = 0.999
_PATIENCE = 20  # questions a seat without a card, after which bots ask at random


@bot(name="random")
def random(view):
    """Picks uniformly among the legal actions and looks at nothing else."""
    return nth_legal(view, pick(view.word, count_legal(view)))


@bot(Parameter("memory", 6.0, 0.1, float("inf"), MEMORY.text, "turns"))
def child(view):
    """Asks for anything it needs: where it remembers to have seen it, else anybody."""
    known = np.uint32(0)
    for animal in range(ANIMALS):
        if needs(view, animal) and view.holder[animal] != HOLDER_NONE:
            seen = np.int64(view.seen[animal])
            if is_remembered(view.memory_key, animal, seen, view.turn, view.parameters[_MEMORY]):
                known |= _U1 << np.uint32(animal)
    if known != 0:
        animal = nth_animal(known, pick(view.word, count_of(known)))
        return ask(view.holder[animal], animal)
    return _ask_anything(view)


@bot(MEMORY)
def memory(view):
    """Asks where it knows the animal to be, for the card that lacks least first; else where the chance is best."""
    if _is_stuck(view):
        return _ask_anything(view)
    holders, lacks = np.empty(ANIMALS, np.int64), np.empty(ANIMALS, np.int64)
    recalled = np.empty(QUESTIONS, np.bool_)
    recall_questions(view, view.parameters[_MEMORY], 1.0, recalled)
    recall(view, view.parameters[_MEMORY], 1.0, recalled, holders, lacks)
    best, most = np.int64(ACT_STOP), -1.0
    for animal in range(ANIMALS):
        if needs(view, animal):
            seat, chance = _likeliest(view, holders, lacks, animal, word_at(view.word, animal))
            luck = np.float64(word_at(view.word, ANIMALS + animal)) * _TO_SHARE
            value = chance + 0.01 * _nearness(view, animal) + 0.001 * luck
            if value > most:
                best, most = ask(seat, animal), value
    return best


@kernel
def _likeliest(view, holders, lacks, animal, luck):
    """Find who most likely has an animal, by tubes alone: of those who may have it the seat with most unseen ones."""
    if holders[animal] != HOLDER_NONE and holders[animal] != view.seat:
        return np.int64(holders[animal]), 1.0
    seats = np.int64(view.rules.seats)
    best, most, total = np.int64(-1), -1.0, 0.0
    seat = (np.int64(view.seat) + 1 + pick(luck, seats - 1)) % seats
    for _ in range(seats):
        if seat != view.seat:
            # Somebody is asked even where memory has nobody left.
            tubes = 1e-6 + np.float64((lacks[animal] >> seat) & 1 == 0) * view.unknown[seat]
            total += tubes
            if tubes > most:
                best, most = seat, tubes
        seat = seat + 1 if seat + 1 < seats else 0
    return best, most / total


@kernel
def _is_stuck(view):
    """Say whether no card was placed for twenty questions a seat: who forgets, or stops, may go round in circles."""
    since = question_shown(view, view.shown - 1) if view.shown > 0 else 0
    return np.int64(view.asks) - since > _PATIENCE * np.int64(view.rules.seats)


@kernel
def _ask_anything(view):
    """Ask anybody for anything that is needed."""
    may_stop = np.int64(view.may_stop)
    return nth_legal(view, may_stop + pick(view.word, count_legal(view) - may_stop))


@kernel
def _nearness(view, animal):
    """Say how near the nearest card is that lacks an animal: 4 less what it lacks."""
    nearest = 0
    for place in range(view.cards_of[view.seat]):
        missing = lacking(view, place)
        if is_in(missing, animal):
            nearest = max(nearest, 4 - count_of(missing))
    return nearest


# ── The detective ────────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def _chance_of_all(animals, best_of):
    """Give the chance to get all of a set, one after the other."""
    chance = 1.0
    for nth in range(count_of(animals)):
        chance *= best_of[nth_animal(animals, nth)]
    return chance


@kernel
def _choose_cards(view, best_of):
    """Choose what to finish in this turn: one card, or two that lack the same animal, which is asked for last.

    A turn ends with the first card that is complete, so two are placed in one turn only together. Gives all that is
    lacked, of it what must be asked for last, both as sets, and the cards to be expected.
    """
    target, last, most = np.uint32(0), np.uint32(0), -1.0
    for place in range(view.cards_of[view.seat]):
        missing = lacking(view, place)
        if missing == 0:
            continue
        value = _chance_of_all(missing, best_of)
        if value > most:
            target, last, most = missing, np.uint32(0), value
        for other in range(place):
            shared = missing & lacking(view, other)
            value = view.parameters[_PAIR] * _chance_of_all(missing | lacking(view, other), best_of)
            if shared != 0 and value > most:
                target, last, most = missing | lacking(view, other), shared, value
    return target, last, most


@kernel
def _finishing(view):
    """Give the animals each of which completes a card by itself, as a set."""
    finishing = np.uint32(0)
    for place in range(view.cards_of[view.seat]):
        missing = lacking(view, place)
        if count_of(missing) == 1:
            finishing |= missing
    return finishing


@kernel
def _list_demand(view, demand):
    """Count for each animal the cards that others hold or that are still to be drawn, in quarters (modifies `demand`).

    That many may want it of whoever is seen to have it.
    """
    demand[:] = 0.0
    pool = np.empty(CARDS, np.int64)
    for index in range(list_pool(view, pool)):
        for nth in range(CARD_ANIMALS):
            demand[nth_animal(view.sets[pool[index]], nth)] += 0.25


@kernel
def _given_away(view, demand, animal):
    """Say how much others may want of what they see if an animal is handed over: it, or all of a card it completes."""
    most = demand[animal]
    for place in range(view.cards_of[view.seat]):
        if lacking(view, place) == _U1 << np.uint32(animal):
            total = 0.0
            for nth in range(CARD_ANIMALS):
                total += demand[nth_animal(view.sets[view.hand[place]], nth)]
            most = max(most, total)
    return most


@kernel
def _cards_expected(view, best_of, animal):
    """Give the best chance to finish a card in this turn that lacks an animal."""
    best = 0.0
    for place in range(view.cards_of[view.seat]):
        missing = lacking(view, place)
        if is_in(missing, animal):
            best = max(best, _chance_of_all(missing, best_of))
    return best


@kernel
def _doubt(view, chances, animal):
    """Say how much is learned of an animal's place by asking: its chances' Gini index, 0 where it is known."""
    doubt = 1.0
    for seat in range(view.rules.seats):
        doubt -= chances[animal, seat] * chances[animal, seat]
    return doubt


@kernel
def _choose_animal(view, best_of, chances, barred, target, expected):
    """Choose what to ask for: the cards to be expected, what is learned by it, less what it gives away."""
    demand = np.empty(ANIMALS)
    _list_demand(view, demand)
    best, most = np.int64(-1), -np.inf
    for animal in range(ANIMALS):
        if needs(view, animal) and not is_in(barred, animal):
            cards = expected if is_in(target, animal) else _cards_expected(view, best_of, animal)
            learned = view.parameters[_CURIOSITY] * _doubt(view, chances, animal)
            value = cards + learned - view.parameters[_DISCRETION] * _given_away(view, demand, animal)
            if value > most:
                best, most = np.int64(animal), value
    return best


@bot(
    MEMORY,
    Parameter("attention", 1.0, 0.0, 1.0, "share of the questions between others that it notices", "share"),
    Parameter("curiosity", 0.2, 0.0, 10.0, "what learning where an animal is is worth to it", "cards"),
    Parameter("discretion", 0.03, 0.0, 10.0, "what it is worth to it to show no animal that others may want", "cards"),
    Parameter("suspicion", 1.0, 0.0, 1.0, "how much it makes of what others ask for and what not", "share"),
    Parameter("pair", 2.0, 0.0, 10.0, "what it counts two cards that are finished together", "cards"),
    Parameter("stop", 0.0, 0.0, 1.0, "stops after a hit if what it would ask for has no better chance", "chance"),
)
def detective(view):
    """Weighs how likely each animal is in each place, and what finishing a card is worth against what asking shows."""
    if _is_stuck(view):
        return _ask_anything(view)
    half_life, attention = view.parameters[_MEMORY], view.parameters[_ATTENTION]
    holders, lacks = np.empty(ANIMALS, np.int64), np.empty(ANIMALS, np.int64)
    wants, chances = np.empty(MAX_SEATS, np.uint32), np.empty((ANIMALS, MAX_SEATS))
    recalled = np.empty(QUESTIONS, np.bool_)
    recall_questions(view, half_life, attention, recalled)
    recall(view, half_life, attention, recalled, holders, lacks)
    recall_wants(view, recalled, wants)
    weigh_places(view, holders, lacks, wants, view.parameters[_SUSPICION], chances)
    seat_of, best_of = np.empty(ANIMALS, np.int64), np.zeros(ANIMALS)
    for animal in range(ANIMALS):
        if needs(view, animal):
            seat_of[animal], best_of[animal] = best_place(view, chances, animal, word_at(view.word, animal))
    target, last, expected = _choose_cards(view, best_of)
    # What is sure and finishes nothing comes first: it costs nothing.
    finishing = _finishing(view) | last
    for animal in range(ANIMALS):
        if needs(view, animal) and best_of[animal] > _SURE and not is_in(finishing, animal):
            return ask(seat_of[animal], animal)
    barred = last if target != last else np.uint32(0)
    best = _choose_animal(view, best_of, chances, barred, target, expected)
    if view.may_stop != 0 and best_of[best] < view.parameters[_STOP]:
        return np.int64(ACT_STOP)
    return ask(seat_of[best], best)


BOTS = {each.name: each for each in (detective, memory, child, random)}
