"""What a seat of Vier zu mir! believes: what it recalls of the questions and looks, and how likely it makes each place.

All is found anew from the VIEW for each decision. A half-life of `memory` forgets each answer and each look by itself
(`sim.memory`); `attention` is the share of the questions between others that a seat notices at all.
"""

import numpy as np

from sim.chance import pick, word_at
from sim.compiled import kernel
from sim.games.vier_zu_mir.engine import count_of, nth_animal
from sim.games.vier_zu_mir.hands import (
    animal_of,
    asked_of,
    asker_of,
    first_question,
    is_hit,
    list_pool,
    question_at,
    question_shown,
    seat_shown,
    turn_of,
)
from sim.games.vier_zu_mir.spec import ANIMALS, CARD_ANIMALS, CARDS, HOLDER_NONE, MAX_SEATS, QUESTIONS
from sim.memory import is_remembered

_U1 = np.uint32(1)
_TO_SHARE = 2.0**-64
_QUESTION_FACT = 32  # facts below this are animals that were shown, from here on questions
_BALANCES = 4  # of rows and columns of chances
_TINY = 1e-9
# How much likelier an animal lies with a seat that has asked for so many others of one card that it is on, and not for
# this one: the odds of 700,000 hidden places in 180 games of `detective` at 3 and at 8 seats, against no such question.
_LEANINGS = np.array([1.0, 1.05, 1.8, 4.5, 4.5])


@kernel
def has(view, animal):
    """Say whether this seat has an animal."""
    return (view.tubes >> np.uint32(animal)) & _U1 != 0


@kernel
def needs(view, animal):
    """Say whether this seat may ask for an animal."""
    return (view.needed >> np.uint32(animal)) & _U1 != 0


@kernel
def is_in(animals, animal):
    """Say whether an animal is in a set."""
    return (np.uint32(animals) >> np.uint32(animal)) & _U1 != 0


@kernel
def lacking(view, place):
    """Give what a card of the own hand lacks, as a set."""
    return view.sets[view.hand[place]] & ~view.tubes


# ── What is recalled ─────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def recall_questions(view, half_life, attention, recalled):
    """Find out which questions this seat has noticed and remembers: `recalled[number % QUESTIONS]` (modified).

    It notices all in which it had a part.
    """
    if half_life == np.inf and attention >= 1.0:
        recalled[:] = True
        return
    for number in range(first_question(view), view.asks):
        word = question_at(view, number)
        is_of_others = asker_of(word) != view.seat and asked_of(word) != view.seat
        is_missed = is_of_others and np.float64(word_at(view.memory_key, number)) * _TO_SHARE >= attention
        recalled[number % QUESTIONS] = not is_missed and is_remembered(
            view.memory_key, _QUESTION_FACT + number, turn_of(word), view.turn, half_life
        )


@kernel
def recall(view, half_life, attention, recalled, holders, lacks):
    """Recall where each animal was seen last, and who lacks it (modifies both), from the questions that are recalled.

    `holders[animal]` is the seat, HOLDER_NONE if this seat does not recall it; `lacks[animal]` has a bit for each seat
    that is recalled to lack it.
    """
    if half_life == np.inf and attention >= 1.0:
        for animal in range(ANIMALS):
            holders[animal] = view.holder[animal]
            lacks[animal] = view.lacks[animal]
    else:
        _recall_one_by_one(view, half_life, recalled, holders, lacks)
    for animal in range(ANIMALS):
        if has(view, animal):
            holders[animal] = view.seat
        lacks[animal] |= 1 << np.int64(view.seat)


@kernel
def _recall_one_by_one(view, half_life, recalled, holders, lacks):
    """Take in each answer that is recalled, from the oldest on, and what was shown since and is not forgotten."""
    moved = np.zeros(ANIMALS, np.int64)  # the turn in which each animal changed hands last
    holders[:] = HOLDER_NONE
    lacks[:] = 0
    for number in range(first_question(view), view.asks):
        word = question_at(view, number)
        if is_hit(word):
            moved[animal_of(word)] = turn_of(word)
        if recalled[number % QUESTIONS]:
            _take_in(view, word, holders, lacks)
    for animal in range(ANIMALS):
        holder, seen = np.int64(view.holder[animal]), np.int64(view.seen[animal])
        is_shown = holder != HOLDER_NONE and seen > moved[animal]
        if is_shown and is_remembered(view.memory_key, animal, seen, view.turn, half_life):
            holders[animal] = holder
            lacks[animal] = _all_but(view, holder)


@kernel
def _take_in(view, word, holders, lacks):
    """Take in what an answer tells (modifies `holders`, `lacks`)."""
    asker, asked, animal = asker_of(word), asked_of(word), animal_of(word)
    if is_hit(word):
        holders[animal] = asker
        lacks[animal] = _all_but(view, asker)
        return
    if holders[animal] == asker or holders[animal] == asked:
        # It has missed how the animal went from there: what it knew is no longer so.
        holders[animal] = HOLDER_NONE
        lacks[animal] = 0
    if holders[animal] == HOLDER_NONE:
        lacks[animal] |= (1 << asker) | (1 << asked)


@kernel
def _all_but(view, seat):
    """Give the bits of all seats but one."""
    return ((1 << np.int64(view.rules.seats)) - 1) ^ (1 << np.int64(seat))


@kernel
def recall_wants(view, recalled, wants):
    """Recall what each seat has asked for since it last placed a card, as a set each (modifies `wants`)."""
    wants[:] = 0
    shown = 0
    for number in range(first_question(view), view.asks):
        while shown < view.shown and question_shown(view, shown) <= number:
            wants[seat_shown(view, shown)] = 0
            shown += 1
        if recalled[number % QUESTIONS]:
            word = question_at(view, number)
            wants[asker_of(word)] |= _U1 << np.uint32(animal_of(word))
    while shown < view.shown:
        wants[seat_shown(view, shown)] = 0
        shown += 1


# ── Chances ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def weigh_places(view, holders, lacks, wants, suspicion, chances):
    """Give the chance of each seat to have each animal, from what is recalled (modifies `chances`).

    `suspicion`, 0 to 1, says how much is made of what seats have asked for and what not. Every seat has as many animals
    as tubes lie in front of it, every animal lies with one seat. Leanings are made to agree with both by scaling rows
    and columns in turn (iterative proportional fitting: Deming and Stephan, Annals of Mathematical Statistics 11,
    1940).
    """
    seats = np.int64(view.rules.seats)
    room = np.zeros(MAX_SEATS)
    for seat in range(seats):
        room[seat] = view.tubes_of[seat]
    leanings = np.full((ANIMALS, MAX_SEATS), _LEANINGS[0])
    _lean(view, wants, suspicion, leanings)
    sought, count = np.empty(ANIMALS, np.int64), 0
    for animal in range(ANIMALS):
        if holders[animal] != HOLDER_NONE:
            room[holders[animal]] -= 1.0
        else:
            sought[count] = animal
            count += 1
    weights = np.zeros((ANIMALS, MAX_SEATS))  # of the animals sought
    for row in range(count):
        animal = sought[row]
        for seat in range(seats):
            if room[seat] > 0.0 and (lacks[animal] >> seat) & 1 == 0:
                weights[row, seat] = leanings[animal, seat] * room[seat]
    for _ in range(_BALANCES):
        _balance_rows(weights, count)
        _balance_columns(weights, count, room)
    _balance_rows(weights, count)
    for animal in range(ANIMALS):
        for seat in range(seats):
            chances[animal, seat] = np.float64(holders[animal] == seat)
    for row in range(count):
        for seat in range(seats):
            chances[sought[row], seat] = weights[row, seat]


@kernel
def _lean(view, wants, suspicion, leanings):
    """Give each animal and seat its leaning: who asks for some of a card has the rest of it (modifies `leanings`)."""
    pool = np.empty(CARDS, np.int64)
    for index in range(list_pool(view, pool)):
        animals = view.sets[pool[index]]
        for seat in range(view.rules.seats):
            asked = animals & wants[seat]
            if asked != 0:
                leaning = 1.0 + suspicion * (_LEANINGS[count_of(asked)] - 1.0)
                for nth in range(CARD_ANIMALS):
                    animal = nth_animal(animals, nth)
                    leanings[animal, seat] = max(leanings[animal, seat], leaning)


@kernel
def _balance_rows(weights, count):
    """Scale each of the first rows to a sum of 1; where nobody can have the animal they stay 0 (modifies `weights`)."""
    for row in range(count):
        total = 0.0
        for seat in range(MAX_SEATS):
            total += weights[row, seat]
        scale = 1.0 / max(total, _TINY)
        for seat in range(MAX_SEATS):
            weights[row, seat] *= scale


@kernel
def _balance_columns(weights, count, room):
    """Scale the column of each seat to as many animals as it has room for (modifies `weights`)."""
    totals = np.zeros(MAX_SEATS)
    for row in range(count):
        for seat in range(MAX_SEATS):
            totals[seat] += weights[row, seat]
    for seat in range(MAX_SEATS):
        totals[seat] = max(room[seat], 0.0) / max(totals[seat], _TINY)
    for row in range(count):
        for seat in range(MAX_SEATS):
            weights[row, seat] *= totals[seat]


@kernel
def best_place(view, chances, animal, luck):
    """Find the other seat that most likely has an animal, and the chance; of equal ones that of `luck`, a word."""
    seats = np.int64(view.rules.seats)
    best, most = np.int64(-1), -1.0
    seat = (np.int64(view.seat) + 1 + pick(luck, seats - 1)) % seats
    for _ in range(seats):
        if seat != view.seat and chances[animal, seat] > most + _TINY:
            best, most = seat, chances[animal, seat]
        seat = seat + 1 if seat + 1 < seats else 0
    return best, most
