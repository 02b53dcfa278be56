"""Bots of Vierer: functions from a VIEW to an action.

All of them remember as their half-life lets them (`sim.memory`), value a card that they do not remember at the mean of
all cards they cannot place, and differ in what they do with that. The names of a card's value, worst card, and so on
are defined once, in the first section; each bot below is the list of its answers, phase by phase.
"""

import numpy as np

from sim.chance import pick
from sim.compiled import kernel
from sim.contract import Parameter, bot
from sim.games.vierer.engine import (
    bit_of,
    count_legal,
    has_card,
    is_match,
    is_unseen,
    matching,
    nth_legal,
    place,
    trade,
)
from sim.games.vierer.spec import (
    ACT_DISCARD,
    ACT_PASS,
    ACT_STOCK,
    ACT_THROW_AWAY,
    CARD_NONE,
    GIVE_FORCED,
    GIVE_NEVER,
    PHASE_DRAW,
    PHASE_GIVE,
    PHASE_KEEP,
    PHASE_KNOCK,
    PHASE_SPECIAL,
    PHASE_SWAP,
    PHASE_THROW,
    SET_WORDS,
    SPECIAL_NONE,
    SPECIAL_PEEK,
    SPECIAL_SPY,
    SPECIAL_TRADE,
)
from sim.memory import MEMORY, is_remembered

# The place of each parameter in `view.parameters`; memory is the first of every bot but `random`.
_MEMORY, _KNOCK, _THIRD = 0, 1, 2

# ── What a bot makes of its view ─────────────────────────────────────────────────────────────────────────────────────


@kernel
def recall(view, seat, slot):
    """Give the card in a place as far as this seat remembers it, else CARD_NONE."""
    card = np.int64(view.places[seat, slot].card)
    if card == CARD_NONE:
        return np.int64(CARD_NONE)
    half_life = view.parameters[_MEMORY]
    if half_life == np.inf or is_remembered(view.memory_key, card, view.seen[card], view.turn, half_life):
        return card
    return np.int64(CARD_NONE)


@kernel
def mean_unseen(view):
    """Give the mean points of the cards that this seat cannot place."""
    if view.unseen_count > 0:
        return view.unseen_points / view.unseen_count
    return 0.0


@kernel
def value(view, seat, slot):
    """Give the expected points of the card in a place."""
    card = recall(view, seat, slot)
    if card == CARD_NONE:
        return mean_unseen(view)
    return float(view.rules.points_of[card])


@kernel
def hand_value(view, seat):
    """Give the expected sum of a seat's hand."""
    total = 0.0
    for slot in range(np.int64(view.slots[seat])):
        if has_card(view, seat, slot):
            total += value(view, seat, slot)
    return total


@kernel
def worst_slot(view, but):
    """Find the own slot with the highest expected points, other than the slot `but`; -1 if there is none."""
    seat = np.int64(view.seat)
    best = np.int64(-1)
    highest = -np.inf
    for slot in range(np.int64(view.slots[seat])):
        if slot != but and has_card(view, seat, slot):
            points = value(view, seat, slot)
            if points > highest:
                highest = points
                best = slot
    return best


@kernel
def worst_value(view, but):
    """Give the expected points of the worst own card other than slot `but`; 0 if there is none."""
    slot = worst_slot(view, but)
    return value(view, np.int64(view.seat), slot) if slot >= 0 else 0.0


@kernel
def is_out_of_reach(view, seat):
    """Say whether a seat's cards are locked, as the knocker's may be."""
    return view.rules.lock_knocker != 0 and view.knocker == seat


@kernel
def can_give(view):
    """Say whether a thrown foreign card lets this seat give one of its own away."""
    return view.rules.give != GIVE_NEVER and not is_out_of_reach(view, np.int64(view.seat))


@kernel
def may_know_match(view, card):
    """Say whether this seat has seen another card, in a place, that matches this one; it may have forgotten it."""
    found = np.uint64(0)
    for word in range(SET_WORDS):
        placed = matching(view.rules, card, word) & ~view.unseen[word] & ~view.discarded[word]
        found |= placed & ~bit_of(card) if word == card >> 6 else placed
    return found != 0


@kernel
def gain_of_discarding(view, card, but):
    """Give the points that the next throw window is worth once `card` lies on top, apart from slot `but`.

    A remembered twin in the own hand can be thrown in the window after, unless another seat is quicker; a remembered
    twin of somebody else can be thrown at once, and the worst own card goes into its place.
    """
    return _gain_of_twins(view, card, but) if may_know_match(view, card) else 0.0


@kernel
def _gain_of_twins(view, card, but):
    """Work out `gain_of_discarding` where there may be a twin, which is seldom."""
    gain = 0.0
    for seat in range(view.rules.seats):
        is_own = seat == view.seat
        if is_out_of_reach(view, seat) or (not is_own and not can_give(view)):
            continue
        for slot in range(np.int64(view.slots[seat])):
            if is_own and slot == but:
                continue
            twin = recall(view, seat, slot)
            if twin != CARD_NONE and is_match(view.rules, card, twin):
                won = float(view.rules.points_of[twin]) if is_own else worst_value(view, but)
                gain = max(gain, 0.6 * won if is_own else 0.8 * won)
    return gain


@kernel
def expected_gain_from_stock(view):
    """Give the mean of what a stock card saves when it replaces the worst own card, if it is lower."""
    if view.unseen_count == 0:
        return 0.0
    worst = worst_value(view, np.int64(-1))
    total = 0.0
    for card in range(view.rules.cards):
        # Nothing is added rather than left out: which cards are unseen cannot be guessed, an addition is cheaper.
        saved = worst - view.rules.points_of[card]
        total += saved if is_unseen(view, card) & (saved > 0.0) else 0.0
    return total / view.unseen_count


# ── Throwing and giving ──────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def best_throw(view, least):
    """Choose the remembered card whose throw saves most, if it saves more than `least` points; else pass."""
    if view.top == CARD_NONE or not may_know_match(view, np.int64(view.top)):
        return np.int64(ACT_PASS)
    return _best_known_throw(view, least)


@kernel
def _best_known_throw(view, least):
    """Work out `best_throw` where a card may match, which is seldom."""
    best = np.int64(ACT_PASS)
    most = least
    me = np.int64(view.seat)
    gift = -np.inf  # worked out when the first foreign match is found, which is seldom
    for seat in range(view.rules.seats):
        if is_out_of_reach(view, seat) or (seat == me and view.active == me):
            continue
        for slot in range(np.int64(view.slots[seat])):
            card = np.int64(view.places[seat, slot].card)
            if card == CARD_NONE or not is_match(view.rules, np.int64(view.top), card):
                continue
            if recall(view, seat, slot) == CARD_NONE:
                continue
            saved = float(view.rules.points_of[card])
            if seat != me:
                if gift == -np.inf:
                    gift = worst_value(view, np.int64(-1)) if can_give(view) else 0.0
                # What an opponent loses with a thrown card counts against it, shared among all the others.
                saved = gift - max(saved - gift, 0.0) / view.rules.seats
            if saved > most:
                most = saved
                best = place(seat, slot)
    return best


@kernel
def best_gift(view):
    """Give the worst own card away, if it is worth more than nothing."""
    slot = worst_slot(view, np.int64(-1))
    if view.rules.give != GIVE_FORCED and value(view, np.int64(view.seat), slot) <= 0.0:
        return np.int64(ACT_PASS)
    return place(np.int64(view.seat), slot)


# ── Drawing and keeping ──────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def best_swap(view, points):
    """Choose the own slot whose card a card of so many points replaces best; gives the slot and what that saves."""
    best = np.int64(-1)
    most = -np.inf
    seat = np.int64(view.seat)
    for slot in range(np.int64(view.slots[seat])):
        if has_card(view, seat, slot):
            gain = gain_of_swap(view, points, slot)
            if gain > most:
                most = gain
                best = slot
    return best, most


@kernel
def gain_of_swap(view, points, slot):
    """Give what replacing the card in an own slot by one of so many points saves, the next window included."""
    out = recall(view, np.int64(view.seat), slot)
    if out == CARD_NONE:
        return mean_unseen(view) - points
    return float(view.rules.points_of[out]) - points + gain_of_discarding(view, out, slot)


@kernel
def lowest_foreign(view):
    """Find the place of others with the lowest expected points in reach; ACT_PASS if there is none."""
    best = np.int64(ACT_PASS)
    lowest = np.inf
    for seat in range(view.rules.seats):
        if seat == view.seat or is_out_of_reach(view, seat):
            continue
        for slot in range(np.int64(view.slots[seat])):
            if has_card(view, seat, slot):
                # Cards that others keep are lower than cards nobody has chosen, and a short hand is a good one.
                points = value(view, seat, slot) + 0.01 * view.counts[seat]
                if points < lowest:
                    lowest = points
                    best = place(seat, slot)
    return best


@kernel
def value_at(view, action):
    """Give the expected points of the card in the place that an action names."""
    return value(view, ((action - 1) >> 7) & 7, (action - 1) & 127)


@kernel
def unknown_own(view):
    """Find an own slot that this seat does not remember; -1 if it remembers all."""
    for slot in range(np.int64(view.slots[view.seat])):
        if has_card(view, np.int64(view.seat), slot) and recall(view, np.int64(view.seat), slot) == CARD_NONE:
            return slot
    return np.int64(-1)


@kernel
def unknown_foreign(view):
    """Find an unremembered place of the seat with the fewest cards that has one in reach; ACT_PASS if there is none."""
    best = np.int64(ACT_PASS)
    fewest = 1 << 10
    for seat in range(view.rules.seats):
        if seat == view.seat or is_out_of_reach(view, seat) or view.counts[seat] >= fewest:
            continue
        for slot in range(np.int64(view.slots[seat])):
            if has_card(view, seat, slot) and recall(view, seat, slot) == CARD_NONE:
                fewest = view.counts[seat]
                best = place(seat, slot)
                break
    return best


@kernel
def worth_of_special(view, special, spying):
    """Estimate the points that a special saves; `spying` is what one look at another's card is worth."""
    if special == SPECIAL_NONE:
        return 0.0
    if special == SPECIAL_PEEK:
        return 1.0 if unknown_own(view) >= 0 else 0.0
    if special == SPECIAL_SPY:
        return spying
    target = lowest_foreign(view)
    if target == ACT_PASS:
        return 0.0
    gain = worst_value(view, np.int64(-1)) - value_at(view, target)
    return max(gain, 0.0) if special == SPECIAL_TRADE else max(gain, 0.0) + 1.0


@kernel
def best_keep(view, spying):
    """Swap the drawn stock card in, or throw it away, whichever saves more."""
    card = np.int64(view.drawn)
    points = float(view.rules.points_of[card])
    slot, gain = best_swap(view, points)
    away = worth_of_special(view, view.rules.special_of[card], spying) + gain_of_discarding(view, card, np.int64(-1))
    if gain > away:
        return place(np.int64(view.seat), slot)
    return np.int64(ACT_THROW_AWAY)


@kernel
def best_draw(view, bonus):
    """Take the top discard if it saves more than a stock card can be expected to, with `bonus` for its special."""
    points = float(view.rules.points_of[view.top])
    _, gain = best_swap(view, points)
    # A stock card never costs anything: most of the time what it can be expected to save need not be worked out.
    if gain > bonus and gain > expected_gain_from_stock(view) + bonus:
        return np.int64(ACT_DISCARD)
    return np.int64(ACT_STOCK)


@kernel
def best_special(view):
    """Use a special: look where least is known, trade the worst own card for the best of others if that saves."""
    if view.special == SPECIAL_PEEK:
        slot = unknown_own(view)
        return place(np.int64(view.seat), slot) if slot >= 0 else np.int64(ACT_PASS)
    if view.special == SPECIAL_SPY:
        return unknown_foreign(view)
    target = lowest_foreign(view)
    own = worst_slot(view, np.int64(-1))
    if view.special == SPECIAL_TRADE:
        if value(view, np.int64(view.seat), own) > value_at(view, target) + 0.5:
            return trade(own, ((target - 1) >> 7) & 7, (target - 1) & 127)
        return np.int64(ACT_PASS)
    hidden = unknown_foreign(view)
    if hidden == ACT_PASS or (own >= 0 and value_at(view, target) < 2.0):
        return target
    return hidden


@kernel
def best_take(view):
    """Take the card looked at for the worst own one if it is lower."""
    own = worst_slot(view, np.int64(-1))
    if value(view, np.int64(view.seat), own) > value(view, np.int64(view.place_seat), np.int64(view.place_slot)):
        return place(np.int64(view.seat), own)
    return np.int64(ACT_PASS)


# ── Knocking ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def lowest_opponent(view, keenness):
    """Give the lowest expected sum of another hand, a card not remembered at `keenness` times the mean unseen."""
    mean = mean_unseen(view)
    lowest = np.inf
    for seat in range(view.rules.seats):
        if seat == view.seat:
            continue
        total = 0.0
        for slot in range(np.int64(view.slots[seat])):
            if has_card(view, seat, slot):
                card = recall(view, seat, slot)
                total += keenness * mean if card == CARD_NONE else min(float(view.rules.points_of[card]), mean)
        lowest = min(lowest, total)
    return lowest


# ── The bots ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@bot(name="random")
def random(view):
    """Picks uniformly among the legal actions and looks at nothing else."""
    return nth_legal(view, pick(view.word, count_legal(view)))


@kernel
def _plain_answer(view, least, spying, bonus):
    """Answer every phase but the knock by expected values."""
    phase = view.phase
    if phase == PHASE_THROW:
        return best_throw(view, least)
    if phase == PHASE_GIVE:
        return best_gift(view)
    if phase == PHASE_DRAW:
        return best_draw(view, bonus)
    if phase == PHASE_SWAP:
        slot, _ = best_swap(view, float(view.rules.points_of[view.drawn]))
        return place(np.int64(view.seat), slot)
    if phase == PHASE_KEEP:
        return best_keep(view, spying)
    if phase == PHASE_SPECIAL:
        return best_special(view)
    return best_take(view)


@bot(
    MEMORY,
    Parameter("margin", 5.0, -50.0, 50.0, "knocks when its sum is this much below the lowest other hand", "points"),
    Parameter("keenness", 0.75, 0.0, 2.0, "value of others' unknown cards, as a share of the mean unseen", "share"),
)
def careful(view):
    """Plays every card by its expected value and knocks when its sum is likely the lowest."""
    if view.phase == PHASE_KNOCK:
        lowest = lowest_opponent(view, view.parameters[_THIRD])
        return np.int64(hand_value(view, np.int64(view.seat)) + view.parameters[_KNOCK] <= lowest)
    return _plain_answer(view, 0.0, 0.3, 0.7)


@bot(
    MEMORY,
    Parameter("knock", 14.0, -10.0, 200.0, "knocks when its expected sum is at most this", "points"),
    Parameter("greed", 4.0, -1.0, 10.0, "takes a discard of at most so many points", "points"),
)
def gambler(view):
    """Knocks early: as soon as its expected sum is at most `knock`, whatever the others may hold."""
    if view.phase == PHASE_KNOCK:
        return np.int64(hand_value(view, np.int64(view.seat)) <= view.parameters[_KNOCK])
    if view.phase == PHASE_DRAW:
        points = view.rules.points_of[view.top]
        is_low = points <= view.parameters[_THIRD] and worst_value(view, np.int64(-1)) > points
        return np.int64(ACT_DISCARD if is_low else ACT_STOCK)
    return _plain_answer(view, 0.0, 0.0, 0.0)


@bot(
    MEMORY,
    Parameter("knock", 4.0, -10.0, 200.0, "knocks when its expected sum is at most this", "points"),
    Parameter("spying", 2.5, 0.0, 20.0, "what a look at another's card is worth to it", "points"),
    Parameter("daring", 0.25, 0.0, 1.0, "throws an unknown card of others if it matches with this chance", "chance"),
)
def snapper(view):
    """Lives off the throw window: spies to know twins, throws them wherever they lie, gives its worst cards away."""
    phase = view.phase
    if phase == PHASE_KNOCK:
        return np.int64(hand_value(view, np.int64(view.seat)) <= view.parameters[_KNOCK])
    if phase == PHASE_THROW:
        action = best_throw(view, -0.5)
        if action == ACT_PASS and can_give(view) and chance_of_match(view) >= view.parameters[3]:
            return unknown_foreign(view)
        return action
    return _plain_answer(view, 0.0, view.parameters[_THIRD], 1.0)


@kernel
def chance_of_match(view):
    """Give the share of the cards this seat cannot place that match the top discard."""
    if view.top == CARD_NONE or view.unseen_count == 0:
        return 0.0
    matching = 0
    for card in range(view.rules.cards):
        if is_unseen(view, card) and is_match(view.rules, np.int64(view.top), card):
            matching += 1
    return matching / view.unseen_count


BOTS = {each.name: each for each in (careful, gambler, snapper, random)}
