"""Other worlds: deals that agree with all that a seat has seen, drawn so that each is as likely.

A deal is who got which tubes and the order of the search cards. Tubes (`tubes`) and the histories of the hands
(`hands`) are drawn by themselves, each uniformly from more than agree: it may be that two hands hold the same card, or
that a card was complete while it was held. Then all is drawn anew, so what is kept is uniform (rejection sampling).
"""

import numpy as np

from sim.chance import below, shuffle
from sim.compiled import kernel
from sim.games.vier_zu_mir import hands, tubes
from sim.games.vier_zu_mir.hands import HISTORY, NAMED, PLACING_FIRST, PLACING_QUESTION, PLACING_SHOWN, is_at_once
from sim.games.vier_zu_mir.spec import ANIMALS, CARDS, MAX_SEATS, QUESTIONS

_ROOM = 4096  # histories of one seat that are listed at first
_MOST = 32_768  # and at most; where there are more, one is drawn by trying
_NOW = 2**40  # a time that never comes: a card that is held now
_U1 = np.uint32(1)


@kernel
def draw(view, state):
    """Draw tubes, hands and stack of a deal that agrees with a VIEW (modifies those, and the generator, of `state`)."""
    seats = np.int64(view.rules.seats)
    me = np.int64(view.seat)
    hidden = np.zeros(ANIMALS, np.int64)
    count = tubes.list_hidden(view, hidden)
    strides = np.zeros(MAX_SEATS, np.int64)
    ways = np.zeros(tubes.fill_strides(view, strides))
    tubes.count_ways(view, hidden, count, strides, ways)
    placings = np.zeros((MAX_SEATS, CARDS, 5), np.int64)
    counts = np.zeros(MAX_SEATS, np.int64)
    hands.list_placings(view, placings, counts)
    asked = np.zeros((MAX_SEATS, CARDS + 1), np.uint32)
    hands.list_asked(view, placings, counts, asked)
    histories, starts = _all_histories(view, placings, counts, asked)
    drawn = np.zeros((MAX_SEATS, HISTORY), np.uint8)
    while True:
        if _draw_histories(view, state, placings, counts, asked, histories, starts, drawn):
            tubes.draw_tubes(view, state, hidden, count, strides, ways)
            if _agrees(view, state, placings, counts, drawn):
                break
    for seat in range(seats):
        for place in range(view.cards_of[seat]):
            state.hands[seat, place] = view.hand[place] if seat == me else drawn[seat, NAMED + place]
    _lay_stack(view, state)


@kernel
def _all_histories(view, placings, counts, asked):
    """List the histories of all other hands: rows of numbers, those of seat s from `starts[s]` to `starts[s + 1]`.

    There are none of a seat that has too many.
    """
    seats = np.int64(view.rules.seats)
    starts = np.zeros(MAX_SEATS + 1, np.int64)
    histories = np.zeros((_ROOM, HISTORY), np.uint8)
    for seat in range(seats):
        starts[seat + 1] = starts[seat]
        room = _ROOM
        while seat != view.seat and room <= _MOST:
            if len(histories) < starts[seat] + room:
                more = np.zeros((starts[seat] + room, HISTORY), np.uint8)
                more[: starts[seat]] = histories[: starts[seat]]
                histories = more
            rows = histories[starts[seat] : starts[seat] + room]
            found = hands.find_histories(view, seat, placings[seat], counts[seat], asked[seat], rows)
            if found <= room:
                starts[seat + 1] += found
                break
            room *= 8
    return histories, starts


@kernel
def _draw_histories(view, state, placings, counts, asked, histories, starts, drawn):
    """Draw a history of each other hand (modifies `drawn`, the generator); false if two of them hold the same card."""
    taken = 0
    for seat in range(view.rules.seats):
        if seat != view.seat:
            listed = starts[seat + 1] - starts[seat]
            if listed > 0:
                drawn[seat] = histories[starts[seat] + below(state, listed)]
            else:
                hands.draw_history(view, state, seat, placings[seat], counts[seat], asked[seat], drawn[seat])
            for place in range(view.cards_of[seat]):
                bit = 1 << np.int64(drawn[seat, NAMED + place])
                if taken & bit != 0:
                    return False
                taken |= bit
    return True


@kernel
def _lay_stack(view, state):
    """Shuffle what nobody holds and nobody has shown into the stack."""
    pool = np.zeros(CARDS, np.int64)
    count = hands.list_pool(view, pool)
    held = 0
    for seat in range(view.rules.seats):
        for place in range(view.cards_of[seat]):
            held |= 1 << np.int64(state.hands[seat, place])
    stack = 0
    for index in range(count):
        if (held >> pool[index]) & 1 == 0:
            pool[stack] = pool[index]
            stack += 1
    shuffle(state, pool, stack)
    for index in range(stack):
        state.cards[CARDS - stack + index] = pool[index]


# ── Whether a world agrees ───────────────────────────────────────────────────────────────────────────────────────────


@kernel
def _agrees(view, state, placings, counts, drawn):
    """Say whether no card of another seat was complete while it was held, given the tubes of `state`."""
    own = np.zeros(QUESTIONS, np.uint32)  # after each question: the tubes of who has asked, if it was a hit
    before = np.zeros((MAX_SEATS, CARDS + 1), np.uint32)  # the tubes of a seat at its k-th placing, 0: at the deal
    _look_back(view, state, placings, counts, own, before)
    for seat in range(view.rules.seats):
        if seat == view.seat:
            continue
        history, placed, count, tubes_at = drawn[seat], placings[seat], counts[seat], before[seat]
        for place in range(view.cards_of[seat]):
            animals, birth = view.sets[history[NAMED + place]], np.int64(history[CARDS + place])
            if _is_late(view, seat, animals, birth, _NOW, placed, count, own, tubes_at):
                return False
        for death in range(1, count + 1):
            first = placed[death - 1, PLACING_FIRST]
            for number in range(first, first + placed[death - 1, PLACING_SHOWN]):
                animals, birth = view.sets[hands.card_shown(view, number)], np.int64(history[number])
                if _is_late(view, seat, animals, birth, death, placed, count, own, tubes_at):
                    return False
    return True


@kernel
def _look_back(view, state, placings, counts, own, before):
    """Trace the tubes back from the present, and write down how they were (modifies `own`, `before`)."""
    seats = np.int64(view.rules.seats)
    held = np.zeros(MAX_SEATS, np.uint32)
    left = counts.copy()
    for seat in range(seats):
        held[seat] = state.tubes[seat]
    for number in range(np.int64(view.asks), hands.first_question(view) - 1, -1):
        for seat in range(seats):
            while left[seat] > 0 and placings[seat, left[seat] - 1, PLACING_QUESTION] == number:
                before[seat, left[seat]] = held[seat]
                left[seat] -= 1
        if number > hands.first_question(view):
            word = hands.question_at(view, number - 1)
            if hands.is_hit(word):
                seat, other = hands.asker_of(word), hands.asked_of(word)
                bit = _U1 << np.uint32(hands.animal_of(word))
                own[(number - 1) % QUESTIONS] = held[seat]
                held[seat] ^= bit
                held[other] |= bit
    for seat in range(seats):
        before[seat, 0] = held[seat] if np.int64(view.asks) <= QUESTIONS else np.uint32(0)


@kernel
def _is_late(view, seat, animals, birth, death, placings, count, own, before):
    """Say whether a card of these animals was complete while a seat held it, and should have been placed sooner.

    It was drawn in placing `birth` (0: dealt) and placed in placing `death`, or it is held `_NOW`. The seat has `count`
    placings, and had the tubes `before[k]` at its k-th. Without `chain` a card that is complete when it is drawn stays
    until its seat places others, or until all it holds is complete, which the questions asked since rule out.
    Rules: VZM-8, VZM-9, VZM-16, VZM-19.
    """
    is_chained = view.rules.chain != 0
    drawn_at = placings[birth - 1, PLACING_QUESTION] if birth > 0 else 0
    placed_at = np.int64(view.asks) + 1
    if death != _NOW:
        if is_at_once(view, placings[death - 1]):
            return birth != death - 1
        placed_at = placings[death - 1, PLACING_QUESTION]
    is_placed_first = birth == 0 and death == 1 and placed_at == 0
    if (is_chained or birth == 0) and not is_placed_first and animals & ~before[birth] == 0:
        return True
    if not is_chained:
        for placing in range(birth + 1, min(death, count + 1)):
            if animals & ~before[placing] == 0:
                return True
    for question in range(max(drawn_at, hands.first_question(view)), placed_at - 1):
        word = hands.question_at(view, question)
        is_own_hit = hands.asker_of(word) == seat and hands.is_hit(word)
        is_gain = is_own_hit and (animals >> np.uint32(hands.animal_of(word))) & 1 != 0
        if is_gain and animals & ~own[question % QUESTIONS] == 0:
            return True
    return False
