"""Which search cards another seat may hold: all ways in which its hand may have come about.

What is seen of a hand: each question is about an animal on a card that was held then, and each completed card is shown.
What is hidden: what is held now, and when each card was drawn. Between two times at which it places cards a hand stays
as it is: an epoch. All histories are found from the present backwards: the hand now, which of its cards were drawn at
the last placing, so the hand before it, with the placed cards in it; and so on to the deal. A hand that does not have
an animal asked for in its epoch is given up at once.

A card of a history is known by a number: a shown one by its place in `shows`, the i-th card held now by CARDS + i.
"""

import numpy as np

from sim.chance import below
from sim.compiled import kernel
from sim.games.vier_zu_mir.spec import CARDS, MAX_HAND, MAX_SEATS, QUESTIONS

NAMED = CARDS + MAX_HAND  # numbers of cards in a history
# A history: in which placing each card was drawn, 0 at the deal, k at the k-th; then the cards held now.
HISTORY = NAMED + MAX_HAND
# A placing of one seat: the question after which it was, the pass, its first shown card, how many, how many drawn.
PLACING_QUESTION, PLACING_PASS, PLACING_FIRST, PLACING_SHOWN, PLACING_DRAWN = range(5)

_U1 = np.uint32(1)


# ── What was shown ───────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def card_shown(view, index):
    """Read the card out of a word of `shows`."""
    return np.int64(view.shows[index]) & 31


@kernel
def seat_shown(view, index):
    """Read out who has shown it."""
    return (np.int64(view.shows[index]) >> 5) & 7


@kernel
def pass_shown(view, index):
    """Read out in which pass of its placing it was."""
    return (np.int64(view.shows[index]) >> 8) & 31


@kernel
def question_shown(view, index):
    """Read out how many questions had been asked by then."""
    return np.int64(view.shows[index]) >> 13


@kernel
def list_placings(view, placings, counts):
    """List what each seat has placed and drawn, pass by pass (modifies both).

    `placings[seat, k]` is its placing k + 1, five numbers as above, `counts[seat]` how many there are.
    """
    counts[:] = 0
    stack = CARDS - np.int64(view.rules.seats) * view.rules.hand_cards
    held = np.full(MAX_SEATS, np.int64(view.rules.hand_cards))
    first = 0
    while first < view.shown:
        seat = seat_shown(view, first)
        end = first + 1
        while end < view.shown and view.shows[end] >> 5 == view.shows[first] >> 5:
            end += 1
        held[seat] -= end - first
        drawn = min(np.int64(view.rules.hand_cards) - held[seat], stack)
        held[seat] += drawn
        stack -= drawn
        placing = placings[seat, counts[seat]]
        placing[PLACING_QUESTION] = question_shown(view, first)
        placing[PLACING_PASS] = pass_shown(view, first)
        placing[PLACING_FIRST] = first
        placing[PLACING_SHOWN] = end - first
        placing[PLACING_DRAWN] = drawn
        counts[seat] += 1
        first = end


# ── What was asked ───────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def first_question(view):
    """Give the number of the first question that the view still has."""
    return max(0, np.int64(view.asks) - QUESTIONS)


@kernel
def question_at(view, number):
    """Give the word of a question by its number."""
    return np.int64(view.questions[number % QUESTIONS])


@kernel
def asker_of(word):
    """Read out of a question who has asked."""
    return word & 7


@kernel
def animal_of(word):
    """Read out for which animal."""
    return (word >> 3) & 31


@kernel
def asked_of(word):
    """Read out who was asked."""
    return (word >> 8) & 7


@kernel
def is_hit(word):
    """Read out whether that seat had it."""
    return (word >> 11) & 1 != 0


@kernel
def turn_of(word):
    """Read out in which turn that was."""
    return word >> 12


@kernel
def list_asked(view, placings, counts, asked):
    """Collect what each seat has asked for in each of its epochs: `asked[seat, epoch]` as a set (modified)."""
    epochs = np.zeros(MAX_SEATS, np.int64)
    asked[:] = 0
    for number in range(first_question(view), view.asks):
        word = question_at(view, number)
        seat = asker_of(word)
        epoch = epochs[seat]
        while epoch < counts[seat] and placings[seat, epoch, PLACING_QUESTION] <= number:
            epoch += 1
        epochs[seat] = epoch
        asked[seat, epoch] |= _U1 << np.uint32(animal_of(word))


# ── Histories of one hand ────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def animals_of(view, number, hand):
    """Give the animals of a card by its number in a history."""
    return view.sets[card_shown(view, number)] if number < CARDS else view.sets[hand[number - CARDS]]


@kernel
def _has_all(view, asked, slots, count, hand):
    """Say whether a hand has all that was asked for while it was held."""
    for slot in range(count):
        asked &= ~animals_of(view, slots[slot], hand)
    return asked == 0


@kernel
def _next_choice(choice, count, drawn, forced):
    """Give the next set of `drawn` of `count` slots after `choice` that has all of `forced`; -1 if there is none."""
    for other in range(choice + 1, 1 << count):
        bits = 0
        for slot in range(count):
            bits += (other >> slot) & 1
        if bits == drawn and other & forced == forced:
            return other
    return -1


@kernel
def is_at_once(view, placing):
    """Say whether a placing was of cards that were complete when they were drawn, in the pass before."""
    return view.rules.chain != 0 and placing[PLACING_PASS] > 0


@kernel
def _forced_choice(view, placings, epoch, last, slots, count):
    """Give the slots that must have been drawn in a placing: what was placed at once, in its next pass."""
    forced = 0
    if epoch < last and is_at_once(view, placings[epoch]):
        first = placings[epoch, PLACING_FIRST]
        for slot in range(count):
            if first <= slots[slot] < first + placings[epoch, PLACING_SHOWN]:
                forced |= 1 << slot
    return forced


@kernel
def _go_back(placing, slots, count, choice, epoch, before, births):
    """Write the hand before a placing in which the slots of `choice` were drawn; returns its size.

    Modifies `before` and `births`.
    """
    size = 0
    for slot in range(count):
        if (choice >> slot) & 1 != 0:
            births[slots[slot]] = epoch
        else:
            before[size] = slots[slot]
            size += 1
    for index in range(placing[PLACING_SHOWN]):
        before[size] = placing[PLACING_FIRST] + index
        size += 1
    return size


@kernel
def _find_of_hand(view, placings, last, asked, hand, held, slots, counts, choices, births, histories, found):
    """Find all histories that end in a hand; writes them behind the `found` ones, and ends when there is no more room.

    `placings` and `asked` are the seat's, `last` its number of placings; `slots[epoch]` are the `counts[epoch]` cards
    held in an epoch, `choices[epoch]` those of them that are taken to be drawn at its beginning, `births` in which
    placing each card was drawn (all four modified). Returns how many histories there are then, one more than there is
    room for if there are more.
    """
    for slot in range(held):
        slots[last, slot] = CARDS + slot
    counts[last] = held
    choices[last] = -1
    if not _has_all(view, asked[last], slots[last], held, hand):
        return found
    epoch = last
    while epoch <= last:
        if epoch == 0:
            for slot in range(counts[0]):
                births[slots[0, slot]] = 0
            if found == len(histories):
                return found + 1
            _write_history(histories[found], births, hand)
            found += 1
            epoch = 1
            continue
        placing = placings[epoch - 1]
        forced = _forced_choice(view, placings, epoch, last, slots[epoch], counts[epoch])
        choices[epoch] = _next_choice(choices[epoch], counts[epoch], placing[PLACING_DRAWN], forced)
        if choices[epoch] < 0:
            epoch += 1
            continue
        counts[epoch - 1] = _go_back(
            placing, slots[epoch], counts[epoch], choices[epoch], epoch, slots[epoch - 1], births
        )
        if _has_all(view, asked[epoch - 1], slots[epoch - 1], counts[epoch - 1], hand):
            epoch -= 1
            choices[epoch] = -1
    return found


@kernel
def _write_history(history, births, hand):
    """Write one history down (modifies `history`)."""
    for number in range(NAMED):
        history[number] = births[number]
    for slot in range(MAX_HAND):
        history[NAMED + slot] = hand[slot]


@kernel
def _next_hand(chosen, held, count):
    """Go on to the next so many of `count` cards in order (modifies `chosen`); false after the last."""
    slot = held - 1
    while slot >= 0 and chosen[slot] == count - held + slot:
        slot -= 1
    if slot < 0:
        return False
    chosen[slot] += 1
    for other in range(slot + 1, held):
        chosen[other] = chosen[other - 1] + 1
    return True


@kernel
def find_histories(view, seat, placings, last, asked, histories):
    """Find all histories of another seat's hand; writes them into `histories` (modified).

    A row of `histories` is as above: HISTORY numbers. Returns how many there are, one more than there are rows if they
    are more.
    """
    pool = np.zeros(CARDS, np.int64)
    count = list_pool(view, pool)
    held = np.int64(view.cards_of[seat])
    chosen = np.arange(MAX_HAND)
    hand = np.zeros(MAX_HAND, np.int64)
    slots = np.zeros((CARDS + 1, 2 * MAX_HAND), np.int64)
    counts, choices = np.zeros(CARDS + 1, np.int64), np.zeros(CARDS + 1, np.int64)
    births = np.zeros(NAMED, np.int64)
    found = 0
    while True:
        for slot in range(held):
            hand[slot] = pool[chosen[slot]]
        found = _find_of_hand(view, placings, last, asked, hand, held, slots, counts, choices, births, histories, found)
        if found > len(histories) or not _next_hand(chosen, held, count):
            return found


@kernel
def draw_history(view, state, seat, placings, last, asked, history):
    """Draw one history of another seat's hand, each as likely (modifies `history`, the generator of `state`).

    For where they are too many to be listed: it draws a hand, and which cards were drawn when, until all agrees with
    what was asked (rejection sampling).
    """
    pool = np.zeros(CARDS, np.int64)
    count = list_pool(view, pool)
    hand = np.zeros(MAX_HAND, np.int64)
    slots, before = np.zeros(2 * MAX_HAND, np.int64), np.zeros(2 * MAX_HAND, np.int64)
    births = np.zeros(NAMED, np.int64)
    while True:
        size = np.int64(view.cards_of[seat])
        for slot in range(size):
            other = slot + below(state, count - slot)
            pool[slot], pool[other] = pool[other], pool[slot]
            hand[slot], slots[slot] = pool[slot], CARDS + slot
        epoch = last
        is_right = _has_all(view, asked[epoch], slots, size, hand)
        while is_right and epoch > 0:
            placing = placings[epoch - 1]
            choice = _draw_choice(state, size, placing[PLACING_DRAWN])
            forced = _forced_choice(view, placings, epoch, last, slots, size)
            is_right = choice & forced == forced
            size = _go_back(placing, slots, size, choice, epoch, before, births)
            slots[:] = before
            epoch -= 1
            is_right = is_right and _has_all(view, asked[epoch], slots, size, hand)
        if is_right:
            for slot in range(size):
                births[slots[slot]] = 0
            _write_history(history, births, hand)
            return


@kernel
def _draw_choice(state, count, drawn):
    """Draw a set of `drawn` of `count` slots, each as likely."""
    choice = 0
    for slot in range(count):
        if drawn > 0 and below(state, count - slot) < drawn:
            choice |= 1 << slot
            drawn -= 1
    return choice


@kernel
def list_pool(view, pool):
    """List the cards that others may hold: neither shown nor held by this seat (modifies `pool`); returns how many."""
    gone = 0
    for index in range(view.shown):
        gone |= 1 << card_shown(view, index)
    for place in range(view.cards_of[view.seat]):
        gone |= 1 << np.int64(view.hand[place])
    count = 0
    for card in range(CARDS):
        if (gone >> card) & 1 == 0:
            pool[count] = card
            count += 1
    return count
