"""The rules of Vierer as a state machine, compiled.

The path of a game: `begin` sets a STATE up for one deal and one table, `deal` starts the first round and runs on to the
first decision; then, until `is_over`, `observe` gives the deciding seat its VIEW, the bot answers, and `apply` checks
the answer and runs on to the next decision. What happens without a decision stands in `advance`, step by step.

What a seat sees of each place is kept in its view as things happen (`_reveal`, `_discard`, `_exchange` and their
like): one word a place, written into the table and into every view. What else it knows is kept in STATE, side by side
for all seats, and given to the view with all public facts by `observe`. The engine reads nothing back from a view, so
a bot that writes into its view harms nobody but itself.
"""

import numpy as np

from sim.chance import (
    PURPOSE_BOT,
    PURPOSE_GAME,
    PURPOSE_MEMORY,
    below,
    deal_key,
    event_key,
    pick,
    seed,
    shuffle,
    word_at,
)
from sim.compiled import entry, inlined, kernel, shared
from sim.games.vierer.spec import (
    ACT_DISCARD,
    ACT_KNOCK,
    ACT_PASS,
    ACT_THROW_AWAY,
    CARD_NONE,
    CELL_EMPTY,
    COUNTS_WORD,
    EVENT_ATTEMPTS,
    EVENT_CARD,
    EVENT_DEAL,
    EVENT_DRAW,
    EVENT_GAME_END,
    EVENT_GIVE,
    EVENT_HAND,
    EVENT_KNOCK,
    EVENT_LOOK,
    EVENT_NO_PENALTY,
    EVENT_PENALTY,
    EVENT_PLACE,
    EVENT_POINTS,
    EVENT_RESHUFFLE,
    EVENT_ROUND,
    EVENT_ROUND_END,
    EVENT_SHUFFLE,
    EVENT_THROW,
    EVENT_THROW_AWAY,
    EVENT_TRADE,
    EVENT_TURN,
    EVENT_TURN_UP,
    EVENT_WINDOW,
    GIVE_FORCED,
    GIVE_NEVER,
    LOG_ROWS,
    MATCH_POINTS,
    MATCH_RANK,
    MAX_SEATS,
    ORIGIN_NONE,
    PHASE_DRAW,
    PHASE_GIVE,
    PHASE_KEEP,
    PHASE_KNOCK,
    PHASE_OVER,
    PHASE_SPECIAL,
    PHASE_SWAP,
    PHASE_TAKE,
    PHASE_THROW,
    PLACE_BITS,
    POINTS_MIN,
    REASON_KNOCK,
    REASON_STOCK,
    REASON_TURNS,
    REFLEX_UNIT,
    RESETS_NEVER,
    RESETS_ONCE,
    SEEN_OPEN,
    SET_WORDS,
    SLOT_BITS,
    SPECIAL_HUNT,
    SPECIAL_NONE,
    SPECIAL_PEEK,
    SPECIAL_TRADE,
    STATUS_CAPPED,
    STATUS_FINISHED,
    STOCK_RESHUFFLE,
    TIE_LOSES,
    WINDOW_BOTH,
    Z_ALWAYS,
)
from sim.seating import arrange

_PURPOSE_START = PURPOSE_GAME
_PURPOSE_SHUFFLE = PURPOSE_GAME + 1
_PURPOSE_RESHUFFLE = PURPOSE_GAME + 2
_PURPOSE_ATTEMPTS = PURPOSE_GAME + 3

# Where `advance` goes on, in the order of a turn (rules.md, "decision points").
_STEP_ROUND, _STEP_TURN, _STEP_ASK, _STEP_ATTEMPTS, _STEP_DRAW = range(5)
_STEP_SPECIAL, _STEP_SECOND_WINDOW, _STEP_KNOCK, _STEP_NEXT = range(5, 9)

_U1, _U7, _U8, _U56, _BYTE = np.uint64(1), np.uint64(7), np.uint64(8), np.uint64(56), np.uint64(0xFF)
_ONES, _TOPS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)

_SHARE = 2520  # 1/k of a shared win is a whole number of these for every k up to 10


# ── Places, legality from a view ─────────────────────────────────────────────────────────────────────────────────────


@shared
def place(seat, slot):
    """Code the action that names a place: a seat and a slot."""
    return 1 + (np.int64(seat) << SLOT_BITS) + slot


@shared
def trade(own_slot, seat, slot):
    """Code the action that trades an own card for the one in another seat's place."""
    return 1 + (np.int64(own_slot) << PLACE_BITS) + (np.int64(seat) << SLOT_BITS) + slot


@shared
def seat_of(action):
    """Read the seat out of an action that names a place."""
    return ((action - 1) >> SLOT_BITS) & (MAX_SEATS - 1)


@shared
def slot_of(action):
    """Read the slot out of an action that names a place."""
    return (action - 1) & ((1 << SLOT_BITS) - 1)


@shared
def own_slot_of(action):
    """Read the own slot out of a trade."""
    return (action - 1) >> PLACE_BITS


@kernel
def after(table, seat):
    """Give the left neighbour of a seat. Rules: G-1, VIE-7."""
    return seat + 1 if seat + 1 < table.rules.seats else np.int64(0)


@kernel
def is_match(rules, top, card):
    """Say whether a card matches the top discard. Rules: VIE-19."""
    is_rank = rules.rank_of[top] == rules.rank_of[card]
    is_points = rules.points_of[top] == rules.points_of[card]
    if rules.match_by == MATCH_RANK:
        return is_rank
    if rules.match_by == MATCH_POINTS:
        return is_points
    return is_rank or is_points


@kernel
def matching(rules, top, word):
    """Give one word of the set of the cards that match a card on top, itself among them. Rules: VIE-19."""
    same_rank = rules.same_rank[rules.rank_of[top], word]
    same_points = rules.same_points[rules.points_of[top] - POINTS_MIN, word]
    if rules.match_by == MATCH_RANK:
        return same_rank
    if rules.match_by == MATCH_POINTS:
        return same_points
    return same_rank | same_points


@kernel
def bit_of(card):
    """Give a card's bit in its word of a set, which is `card >> 6`."""
    return np.uint64(1) << np.uint64(card & 63)


@kernel
def is_unseen(view, card):
    """Say whether this seat does not know where a card is."""
    return view.unseen[card >> 6] & bit_of(card) != 0


@kernel
def is_discarded(view, card):
    """Say whether a card is on the discard pile."""
    return view.discarded[card >> 6] & bit_of(card) != 0


@kernel
def has_card(table, seat, slot):
    """Say whether a card lies in a place of a VIEW or of the STATE."""
    return table.places[seat, slot].origin != ORIGIN_NONE


@kernel
def _locked(table):
    """Count the cards that are out of everybody's reach. Rules: VIE-31."""
    if table.rules.lock_knocker != 0 and table.knocker >= 0:
        return np.int64(table.counts[table.knocker])
    return np.int64(0)


@kernel
def _is_locked(table, seat):
    """Say whether a seat's cards are out of everybody's reach. Rules: VIE-31."""
    return table.rules.lock_knocker != 0 and table.knocker == seat


@inlined
def _nth_slot(view, seat, nth):
    """Find the slot of the `nth` card of a seat; thrown cards have left gaps."""
    if view.counts[seat] != view.slots[seat]:
        left = nth
        for slot in range(np.int64(view.slots[seat])):
            if has_card(view, seat, slot):
                if left == 0:
                    return np.int64(slot)
                left -= 1
    return nth


@inlined
def _nth_foreign(view, nth):
    """Find the seat of the `nth` card of others in reach, counted seat by seat to the left, and which of its own it is.

    All seats at once, a byte each, for a loop that stops at the right one is guessed wrongly. No sum of cards reaches
    128, so that the highest bit of a byte is free to tell whether a sum is passed.
    """
    seat = np.uint64(view.seat)
    seats = np.uint64(view.rules.seats)
    counts = np.uint64(view.block[COUNTS_WORD])
    if view.rules.lock_knocker != 0 and view.knocker >= 0:
        counts &= ~(_BYTE << (_U8 * np.uint64(view.knocker)))
    behind = ((counts >> (_U8 * seat)) >> _U8) | (
        (counts & ((_U1 << (_U8 * seat)) - _U1)) << (_U8 * (seats - seat - _U1))
    )
    sums = behind * _ONES  # byte k: the cards of the k + 1 seats to the left
    passed = ((_TOPS + np.uint64(nth) * _ONES - sums) & _TOPS) >> _U7
    count = (passed * _ONES) >> _U56
    first = ((sums << _U8) >> (_U8 * count)) & _BYTE  # the first card of that seat
    found = np.int64(seat + count + _U1)
    return found - view.rules.seats if found >= view.rules.seats else found, nth - np.int64(first)


@inlined
def _own_throws(view):
    """Count the own cards that this seat may throw. Rules: VIE-20, VIE-31."""
    if view.seat == view.active or _is_locked(view, np.int64(view.seat)):
        return np.int64(0)
    return np.int64(view.counts[view.seat])


@inlined
def _foreign(view):
    """Count the cards of other seats that are in reach."""
    others = np.int64(view.in_hands) - view.counts[view.seat]
    if view.knocker != view.seat:
        others -= _locked(view)
    return others


@inlined
def count_legal(view):
    """Count the legal actions of the deciding seat, from its VIEW alone.

    Rules: VIE-7, VIE-8, VIE-9, VIE-10, VIE-11, VIE-12, VIE-13, VIE-14, VIE-20, VIE-22, VIE-29.
    """
    phase = view.phase
    if phase == PHASE_THROW:
        return 1 + _own_throws(view) + _foreign(view)
    own = np.int64(view.counts[view.seat])
    if phase == PHASE_GIVE:
        return own if view.rules.give == GIVE_FORCED else own + 1
    if phase == PHASE_SWAP:
        return own
    if phase in (PHASE_KEEP, PHASE_TAKE):
        return own + 1
    if phase == PHASE_SPECIAL:
        if view.special == SPECIAL_PEEK:
            return own + 1
        if view.special == SPECIAL_TRADE:
            return own * _foreign(view) + 1
        return _foreign(view) + 1
    return np.int64(2)  # draw and knock


@inlined
def nth_legal(view, nth):
    """Give the `nth` legal action, 0 <= nth < count_legal(view); the plain answer comes first where there is one.

    Cards are counted own ones first, then seat by seat to the left. Rules: as `count_legal`.
    """
    phase = view.phase
    if phase in (PHASE_DRAW, PHASE_KNOCK):
        return nth
    if phase != PHASE_SWAP and not (phase == PHASE_GIVE and view.rules.give == GIVE_FORCED):
        if nth == 0:
            return np.int64(ACT_PASS)
        nth -= 1
    seat = np.int64(view.seat)
    own_slot = np.int64(0)
    if phase == PHASE_THROW:
        own = _own_throws(view)
    elif phase == PHASE_SPECIAL and view.special != SPECIAL_PEEK:
        own = np.int64(0)
        if view.special == SPECIAL_TRADE:
            own_cards = np.int64(view.counts[seat])
            others = nth // own_cards
            own_slot = _nth_slot(view, seat, nth - others * own_cards)
            nth = others
    else:
        own = np.int64(view.counts[seat])
    if nth >= own:
        seat, nth = _nth_foreign(view, nth - own)
    return trade(own_slot, seat, _nth_slot(view, seat, nth))


@kernel
def legal(view, actions):
    """List the legal actions of the deciding seat into `actions` (modified); returns how many there are."""
    count = count_legal(view)
    for nth in range(count):
        actions[nth] = nth_legal(view, nth)
    return count


# ── The log ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@inlined
def _log(state, event, a, b, c, d, e):
    """Log what happened if the game is watched."""
    if state.is_logged != 0:
        _write_row(state, np.int64(event), np.int64(a), np.int64(b), np.int64(c), np.int64(d), np.int64(e))


@kernel
def _write_row(state, event, a, b, c, d, e):
    """Write one row into the log (modifies log, logged); what does not fit is only counted."""
    if state.logged < LOG_ROWS:
        row = state.log[state.logged]
        row[0] = event
        row[1] = a
        row[2] = b
        row[3] = c
        row[4] = d
        row[5] = e
    state.logged += 1


# ── Knowledge ────────────────────────────────────────────────────────────────────────────────────────────────────────


@inlined
def cell(card, knowers, origin):
    """Put a place together as one word (see PLACE in spec.py)."""
    return np.uint32((np.int64(card) & 0xFF) | (np.int64(knowers) << 8) | ((np.int64(origin) & 0xFFFF) << 16))


@inlined
def _show(state, card, knowers):
    """Let every seat know where a card is; the `knowers`, a bit a seat, knew it before."""
    points = state.rules.points_of[card]
    word = card >> 6
    others = ~bit_of(card)
    for viewer in range(state.rules.seats):
        # Without a branch: whether a seat knew the card cannot be guessed, and a wrong guess costs more than this.
        is_new = 1 - ((knowers >> viewer) & 1)
        state.unseen_count[viewer] -= is_new
        state.unseen_points[viewer] -= is_new * points
        state.unseen[word, viewer] &= others


@kernel
def _show_to_one(state, viewer, card):
    """Let one seat know where a card is that it could not place."""
    state.unseen_count[viewer] -= 1
    state.unseen_points[viewer] -= state.rules.points_of[card]
    state.unseen[card >> 6, viewer] &= ~bit_of(card)


@kernel
def _everybody(state):
    """Give the bits of all seats."""
    return (1 << np.int64(state.rules.seats)) - 1


@inlined
def _time_seen(state, card):
    """Give the time at which who looks at a card now has last seen it. Rules: VIE-8."""
    is_face_up = state.rules.taken_face_up != 0 and state.face_up[card >> 6] & bit_of(card) != 0
    return np.int32(SEEN_OPEN) if is_face_up else state.turn


@kernel
def _reveal(state, viewer, seat, slot):
    """Let one seat look at the card in a place. Rules: VIE-4, VIE-11, VIE-12, VIE-14."""
    place = state.places[seat, slot]
    card = np.int64(place.card)
    if (place.knowers >> viewer) & 1 == 0:
        _show_to_one(state, viewer, card)
    knowers = np.int64(place.knowers) | (1 << viewer)
    place.knowers = knowers
    for witness in range(state.rules.seats):
        state.views[witness].places[seat, slot].knowers = knowers
    view = state.views[viewer]
    view.cells[seat, slot] = cell(card, knowers, place.origin)
    view.seen[card] = _time_seen(state, card)
    _log(state, EVENT_LOOK, viewer, seat, slot, card, 0)


@inlined
def _reveal_to_all(state, seat, slot):
    """Let every seat look at the card in a place. Rules: VIE-25."""
    place = state.places[seat, slot]
    card = np.int64(place.card)
    _show(state, card, np.int64(place.knowers))
    seen = _time_seen(state, card)
    shown = cell(card, _everybody(state), place.origin)
    state.cells[seat, slot] = shown
    for viewer in range(state.rules.seats):
        view = state.views[viewer]
        view.cells[seat, slot] = shown
        view.seen[card] = seen


@kernel
def _lay(state, seat, slot, card):
    """Lay a card from the stock into an empty slot, unseen (modifies the table and every view)."""
    state.cells[seat, slot] = cell(card, 0, state.generation)
    state.counts[seat] += 1
    if slot >= state.slots[seat]:
        state.slots[seat] = slot + 1
    state.in_hands += 1
    hidden = cell(CARD_NONE, 0, state.generation)
    for viewer in range(state.rules.seats):
        state.views[viewer].cells[seat, slot] = hidden


@kernel
def _vacate(state, seat, slot):
    """Take the card out of a slot and leave the slot empty (modifies the table and every view)."""
    state.cells[seat, slot] = CELL_EMPTY
    state.counts[seat] -= 1
    state.in_hands -= 1
    slots = np.int64(state.slots[seat])
    while slots > 0 and not has_card(state, seat, slots - 1):
        slots -= 1
    state.slots[seat] = slots
    for viewer in range(state.rules.seats):
        state.views[viewer].cells[seat, slot] = CELL_EMPTY


@kernel
def _discard(state, seat, slot):
    """Lay the card in a place on the discard pile, seen by all; what lies in the place is for the caller to settle."""
    place = state.places[seat, slot]
    _put_on_discards(state, np.int64(place.card), np.int64(place.knowers))


@kernel
def _put_on_discards(state, card, knowers):
    """Put a card on the discard pile, seen by all; the `knowers`, a bit a seat, had seen it before."""
    _show(state, card, knowers)
    state.discard_cards[state.discards] = card
    state.discards += 1
    state.discarded[card >> 6] |= bit_of(card)
    state.face_up[card >> 6] &= ~bit_of(card)
    state.top = card


@kernel
def _exchange(state, seat, slot, other, other_slot):
    """Let two cards change places, unseen; what anybody knows of them moves along. Rules: VIE-16."""
    word = state.cells[seat, slot]
    state.cells[seat, slot] = state.cells[other, other_slot]
    state.cells[other, other_slot] = word
    for viewer in range(state.rules.seats):
        view = state.views[viewer]
        word = view.cells[seat, slot]
        view.cells[seat, slot] = view.cells[other, other_slot]
        view.cells[other, other_slot] = word


# ── The stock ────────────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def _has_stock(state):
    """Say whether a stock card can be had, by a reshuffle if need be. Rules: VIE-27."""
    return state.stock > 0 or (state.rules.stock_empty == STOCK_RESHUFFLE and state.discards > 1)


@kernel
def _take_stock(state):
    """Take the top stock card, after a reshuffle if the stock is empty. Rules: VIE-27."""
    if state.stock == 0:
        _reshuffle(state)
    state.stock -= 1
    return np.int64(state.stock_cards[state.stock])


@kernel
def _reshuffle(state):
    """Shuffle all discards but the top one into a new stock. Rules: VIE-27."""
    state.generation += 1
    state.reshuffles += 1
    count = state.discards - 1
    for index in range(count):
        card = np.int64(state.discard_cards[index])
        state.stock_cards[index] = card
        state.discarded[card >> 6] &= ~bit_of(card)
        for viewer in range(state.rules.seats):
            state.views[viewer].pool[card] = state.generation
            state.unseen[card >> 6, viewer] |= bit_of(card)
            state.unseen_count[viewer] += 1
            state.unseen_points[viewer] += state.rules.points_of[card]
    state.discard_cards[0] = state.discard_cards[count]
    state.discards = 1
    state.stock = count
    seed(state, event_key(state.deal_key, _PURPOSE_RESHUFFLE, (np.int64(state.round_number) << 20) + state.generation))
    shuffle(state, state.stock_cards, state.stock)
    _log(state, EVENT_RESHUFFLE, count, 0, 0, 0, 0)
    _log_stock(state)


@kernel
def _log_stock(state):
    """Log the cards of the stock, the top one first."""
    if state.is_logged != 0:
        for index in range(state.stock - 1, -1, -1):
            _log(state, EVENT_CARD, state.stock_cards[index], 0, 0, 0, 0)


@kernel
def _empty_slot(state, seat):
    """Find the lowest slot of a seat without a card: one that a throw left, else the next beside the others."""
    slot = np.int64(state.slots[seat])
    if state.counts[seat] != state.slots[seat]:
        slot = np.int64(0)
        while has_card(state, seat, slot):
            slot += 1
    return slot


@inlined
def _pay_penalty(state, seat):
    """Lay an unseen stock card beside a seat's cards. Rules: VIE-25, VIE-27."""
    if not _has_stock(state):
        if state.rules.stock_empty != STOCK_RESHUFFLE:
            state.is_void = 1
        _log(state, EVENT_NO_PENALTY, seat, 0, 0, 0, 0)
        return
    card = _take_stock(state)
    slot = _empty_slot(state, seat)
    _lay(state, seat, slot, card)
    state.penalties[seat] += 1
    _log(state, EVENT_PENALTY, seat, slot, card, 0, 0)


# ── A game and its rounds ────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def begin(state, master, deal_number, rotation, seating, parameters, skills):
    """Set a STATE up for one game of one table; its rules are written already.

    `seating` holds the entrants of rotation 0 seat by seat, `parameters[entrant]` what a bot reads,
    `skills[entrant]` what the engine applies: the reflex in thousandths.
    """
    seats = np.int64(state.rules.seats)
    key = deal_key(master, deal_number)
    state.deal_key = key
    state.is_over = 0
    state.status = STATUS_FINISHED
    state.turn = 0
    state.round_number = 0
    state.decisions = 0
    state.resets = 0
    state.throws = 0
    state.reshuffles = 0
    state.is_thrown = 0
    state.window = 0
    state.drawn = CARD_NONE
    state.special = SPECIAL_NONE
    state.place_seat = -1
    state.place_slot = -1
    state.is_even = 1
    for seat in range(seats):
        entrant = seating[(seat + rotation) % seats]
        state.who[seat] = entrant
        state.reflex[seat] = skills[entrant, 0]
        if state.reflex[seat] != state.reflex[0]:
            state.is_even = 0
        state.bot_keys[seat] = event_key(key, PURPOSE_BOT, rotation * seats + seat)
        state.asked[seat] = 0
        state.totals[seat] = 0
        state.resets_of[seat] = 0
        state.knocks[seat] = 0
        state.knocks_won[seat] = 0
        state.penalties[seat] = 0
        view = state.views[seat]
        # Whatever a bot may have left in its view ends with its game.
        view.words = state.fresh.words
        view.seat = seat
        view.memory_key = event_key(key, PURPOSE_MEMORY, rotation * seats + seat)
        for index in range(len(view.parameters)):
            view.parameters[index] = parameters[entrant, index]
    seed(state, event_key(key, _PURPOSE_START, 0))
    state.start_seat = below(state, seats)
    state.first_seat = state.start_seat


@kernel
def deal(state):
    """Start the game that `begin` set up: run on to its first decision. Rules: VIE-6."""
    state.step = _STEP_ROUND
    advance(state)


@kernel
def _begin_round(state):
    """Shuffle, deal, let everybody look at the near cards, turn the first discard. Rules: VIE-4, VIE-5, VIE-6."""
    rules = state.rules
    seats = rules.seats
    _clear_table(state)
    state.round_number += 1
    state.round_turn = 0
    state.generation = 0
    state.knocker = -1
    state.turns_left = -1
    state.is_void = 0
    state.active = state.first_seat
    _log(state, EVENT_ROUND, state.round_number, state.first_seat, state.round_number == 1, 0, 0)
    for card in range(rules.cards):
        state.stock_cards[card] = card
    state.stock = rules.cards
    seed(state, event_key(state.deal_key, _PURPOSE_SHUFFLE, state.round_number))
    shuffle(state, state.stock_cards, state.stock)
    _log(state, EVENT_SHUFFLE, state.stock, 0, 0, 0, 0)
    _log_stock(state)
    for seat in range(seats):
        state.turns_taken[seat] = 0
        state.views[seat].turns_taken[:] = 0
    for seat in range(seats):
        for slot in range(rules.hand_size):
            state.stock -= 1
            _lay(state, seat, slot, np.int64(state.stock_cards[state.stock]))
    _log_deal(state)
    for seat in range(seats):
        for slot in range(rules.peek):
            _reveal(state, seat, seat, slot)
    if rules.initial_discard != 0:
        state.stock -= 1
        _put_on_discards(state, np.int64(state.stock_cards[state.stock]), np.int64(0))
        _log(state, EVENT_TURN_UP, state.stock_cards[state.stock], 0, 0, 0, 0)


@kernel
def _log_deal(state):
    """Log the cards dealt, seat by seat and slot by slot."""
    if state.is_logged != 0:
        rules = state.rules
        _log(state, EVENT_DEAL, state.in_hands, 0, 0, 0, 0)
        for seat in range(rules.seats):
            for slot in range(rules.hand_size):
                _log(state, EVENT_CARD, state.places[seat, slot].card, 0, 0, 0, 0)


@inlined
def _clear_table(state):
    """Take all cards off the table, and what anybody knew of them (modifies the table and every view)."""
    rules = state.rules
    for seat in range(rules.seats):
        slots = np.int64(state.slots[seat])
        for slot in range(slots):
            state.cells[seat, slot] = CELL_EMPTY
        for viewer in range(rules.seats):
            view = state.views[viewer]
            for slot in range(slots):
                view.cells[seat, slot] = CELL_EMPTY
        state.counts[seat] = 0
        state.slots[seat] = 0
        state.unseen_count[seat] = rules.cards
        state.unseen_points[seat] = rules.deck_points
        for word in range(SET_WORDS):
            state.unseen[word, seat] = rules.deck[word]
    if state.generation > 0:
        for viewer in range(rules.seats):
            state.views[viewer].pool[:] = 0
    for word in range(SET_WORDS):
        state.discarded[word] = 0
        state.face_up[word] = 0
    state.in_hands = 0
    state.discards = 0
    state.top = CARD_NONE


# ── Between decisions ────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def advance(state):
    """Run on from `state.step` to the next decision with more than one legal action, or to the end of the game."""
    while state.is_over == 0:
        step = state.step
        if step == _STEP_ASK:
            if _ask_next(state):
                return
            state.step = _STEP_ATTEMPTS
        elif step == _STEP_ATTEMPTS:
            state.step = _STEP_DRAW if state.window == 0 else _STEP_KNOCK
            if state.intending > 0 and _carry_out_attempts(state):
                return
        elif step == _STEP_TURN:
            _begin_turn(state)
        elif step == _STEP_DRAW:
            if _begin_draw(state):
                return
        elif step == _STEP_SPECIAL:
            state.step = _STEP_SECOND_WINDOW
            state.special = _usable_special(state)
            if state.special != SPECIAL_NONE:
                _ask(state, PHASE_SPECIAL, state.active)
                return
        elif step == _STEP_SECOND_WINDOW:
            if state.is_thrown != 0:
                state.step = _STEP_KNOCK
            else:
                _open_window(state, np.int64(1))
        elif step == _STEP_KNOCK:
            state.step = _STEP_NEXT
            if _may_knock(state):
                _ask(state, PHASE_KNOCK, state.active)
                return
        elif step == _STEP_NEXT:
            _end_turn(state)
        else:
            _begin_round(state)
            state.step = _STEP_TURN


@inlined
def _ask(state, phase, seat):
    """Make a seat the one that decides next."""
    state.phase = phase
    state.seat = seat


@inlined
def _begin_turn(state):
    """Begin the turn of `active` with its first window. Rules: VIE-7, VIE-23."""
    state.turn += 1
    state.round_turn += 1
    state.is_thrown = 0
    _log(state, EVENT_TURN, state.round_turn, state.active, 0, 0, 0)
    if state.rules.window == WINDOW_BOTH and state.discards > 0:
        _open_window(state, np.int64(0))
    else:
        state.step = _STEP_DRAW


@kernel
def _open_window(state, window):
    """Open a throw window: every seat is asked before any throw is carried out. Rules: VIE-21, VIE-23."""
    state.window = window
    state.to_ask = state.rules.seats
    state.ask_seat = state.active
    state.intending = 0
    state.phase = PHASE_THROW
    state.step = _STEP_ASK
    _log(state, EVENT_WINDOW, window, 0, 0, 0, 0)


@inlined
def _ask_next(state):
    """Ask the next seat of a window that could throw anything; false when all have been asked."""
    while state.to_ask > 0:
        seat = np.int64(state.ask_seat)
        state.ask_seat = after(state, seat)
        state.to_ask -= 1
        reach = np.int64(state.in_hands) - _locked(state)
        if seat == state.active:
            reach -= state.counts[seat]
        if reach > 0:
            state.seat = seat
            return True
    return False


@inlined
def _carry_out_attempts(state):
    """Carry out the throws of a window in their drawn order; true if the thrower is to be asked what he gives.

    Rules: VIE-18, VIE-21, VIE-22, VIE-24, VIE-25, VIE-26.
    """
    count = np.int64(state.intending)
    if count > 1:
        _order_attempts(state, count)
    _log_attempts(state)
    for index in range(count):
        seat = np.int64(state.wanting[index])
        is_late = state.is_thrown != 0
        if state.rules.late_penalty != 0 if is_late else not _attempt(state, seat):
            _pay_penalty(state, seat)
    return state.is_thrown != 0 and _may_give(state)


@inlined
def _order_attempts(state, count):
    """Draw the order of attempts: one after another, in proportion to the reflexes of those left. Rules: VIE-24."""
    window = (np.int64(state.round_number) << 20) + 2 * np.int64(state.round_turn) + state.window
    key = event_key(state.deal_key, _PURPOSE_ATTEMPTS, window)
    total = np.int64(0)
    if state.is_even == 0:
        for index in range(count):
            total += state.reflex[state.wanting[index]]
    for index in range(count - 1):
        word = word_at(key, index)
        if state.is_even != 0:  # The same choice as below: a share of the total is a share of the count.
            chosen = index + pick(word, count - index)
        else:
            chosen = _quicker(state, index, count, pick(word, total))
            total -= state.reflex[state.wanting[chosen]]
        seat = state.wanting[chosen]
        state.wanting[chosen] = state.wanting[index]
        state.wanting[index] = seat


@kernel
def _quicker(state, index, count, at):
    """Find who of those left, from `index` on, has the share of the summed reflexes in which `at` lies."""
    chosen = index
    reached = np.int64(0)
    for waiting in range(index, count - 1):
        reached += state.reflex[state.wanting[waiting]]
        chosen += reached <= at
    return chosen


@kernel
def _log_attempts(state):
    """Log the order of attempts."""
    _log(state, EVENT_ATTEMPTS, state.intending, 0, 0, 0, 0)
    if state.is_logged != 0:
        for index in range(state.intending):
            _log(state, EVENT_CARD, state.wanting[index], 0, 0, 0, 0)


@inlined
def _attempt(state, seat):
    """Carry out one throw; false if it was wrong, the card then being back and seen by all.

    Rules: VIE-18, VIE-19, VIE-25, VIE-26.
    """
    owner = seat_of(np.int64(state.intents[seat]))
    slot = slot_of(np.int64(state.intents[seat]))
    card = np.int64(state.places[owner, slot].card)
    is_right = is_match(state.rules, np.int64(state.top), card)
    if owner == seat and seat == state.active:
        is_right = False
    _log(state, EVENT_THROW, seat, owner, slot, card, is_right)
    if is_right:
        _discard(state, owner, slot)
        _vacate(state, owner, slot)
        state.is_thrown = 1
        state.throws += 1
        state.thrower = seat
        state.target_seat = owner
        state.target_slot = slot
    else:
        _reveal_to_all(state, owner, slot)
    return is_right


@inlined
def _may_give(state):
    """See what the thrower may give to the owner of the thrown card; true if he is to be asked. Rules: VIE-22."""
    giver = np.int64(state.thrower)
    own = state.counts[giver]
    if state.target_seat == giver or own == 0 or state.rules.give == GIVE_NEVER or _is_locked(state, giver):
        return False
    if state.rules.give == GIVE_FORCED and own == 1:
        slot = np.int64(0)
        while not has_card(state, giver, slot):
            slot += 1
        _give(state, giver, slot)
        return False
    state.place_seat = state.target_seat
    state.place_slot = state.target_slot
    _ask(state, PHASE_GIVE, giver)
    return True


@kernel
def _give(state, giver, slot):
    """Move a card of the thrower into the slot that his throw emptied. Rules: VIE-16, VIE-22."""
    owner = np.int64(state.target_seat)
    empty = np.int64(state.target_slot)
    if has_card(state, owner, empty):  # a penalty for coming too late lies there already
        empty = _empty_slot(state, owner)
    state.counts[owner] += 1
    state.in_hands += 1
    if empty >= state.slots[owner]:
        state.slots[owner] = empty + 1
    _exchange(state, giver, slot, owner, empty)
    _vacate(state, giver, slot)
    _log(state, EVENT_GIVE, giver, slot, owner, empty, 0)


@inlined
def _begin_draw(state):
    """See what the active seat may draw; true if it is to be asked. Rules: VIE-7, VIE-8, VIE-17, VIE-27."""
    can_discard = state.discards > 0 and state.counts[state.active] > 0
    can_stock = _has_stock(state)
    if state.stock == 0 and state.rules.stock_empty != STOCK_RESHUFFLE:
        state.is_void = 1
    if can_discard and can_stock:
        _ask(state, PHASE_DRAW, state.active)
        return True
    if can_discard:
        return _draw_discard(state)
    if can_stock:
        return _draw_stock(state)
    state.step = _STEP_KNOCK
    return False


@kernel
def _draw_discard(state):
    """Take the top discard, seen by all; true if its taker is to be asked for a slot. Rules: VIE-8."""
    seat = np.int64(state.active)
    state.held = state.top
    state.discards -= 1
    state.top = state.discard_cards[state.discards - 1] if state.discards > 0 else np.int8(CARD_NONE)
    state.discarded[state.held >> 6] &= ~bit_of(np.int64(state.held))
    _log(state, EVENT_DRAW, seat, 1, state.held, 0, 0)
    state.step = _STEP_SECOND_WINDOW
    if state.counts[seat] > 1:
        state.drawn = state.held
        _ask(state, PHASE_SWAP, seat)
        return True
    slot = np.int64(0)
    while not has_card(state, seat, slot):
        slot += 1
    _place_drawn(state, slot, np.int64(1))
    return False


@kernel
def _draw_stock(state):
    """Draw the top stock card, seen by the drawer alone; true if he is to be asked. Rules: VIE-9, VIE-10, VIE-17."""
    seat = np.int64(state.active)
    state.held = _take_stock(state)
    _show_to_one(state, seat, np.int64(state.held))
    _log(state, EVENT_DRAW, seat, 0, state.held, 0, 0)
    if state.counts[seat] > 0:
        state.drawn = state.held
        _ask(state, PHASE_KEEP, seat)
        return True
    _throw_away(state)
    return False


@kernel
def _throw_away(state):
    """Lay the drawn stock card on the discard pile directly. Rules: VIE-10."""
    _put_on_discards(state, np.int64(state.held), 1 << np.int64(state.active))
    _log(state, EVENT_THROW_AWAY, state.active, state.held, 0, 0, 0)
    state.step = _STEP_SPECIAL


@kernel
def _place_drawn(state, slot, is_public):
    """Put the drawn card face down into an own slot and discard what lay there. Rules: VIE-8, VIE-9, VIE-11."""
    seat = np.int64(state.active)
    out = np.int64(state.places[seat, slot].card)
    held = np.int64(state.held)
    _discard(state, seat, slot)
    if is_public != 0 and state.rules.taken_face_up != 0:
        state.face_up[held >> 6] |= bit_of(held)
    knowers = _everybody(state) if is_public != 0 else 1 << seat
    seen = _time_seen(state, held)
    shown = cell(held, knowers, state.generation)
    hidden = cell(CARD_NONE, knowers, state.generation)
    state.cells[seat, slot] = shown
    for viewer in range(state.rules.seats):
        view = state.views[viewer]
        if (knowers >> viewer) & 1 != 0:
            view.cells[seat, slot] = shown
            view.seen[held] = seen
        else:
            view.cells[seat, slot] = hidden
    _log(state, EVENT_PLACE, seat, slot, state.held, out, 0)
    state.step = _STEP_SECOND_WINDOW


@kernel
def _usable_special(state):
    """Give the special of the card thrown away, if it has a legal target. Rules: VIE-10 to VIE-15, VIE-17."""
    special = state.rules.special_of[state.held]
    own = np.int64(state.counts[state.active])
    foreign = np.int64(state.in_hands) - own - _locked(state)
    needs_own = special in (SPECIAL_PEEK, SPECIAL_TRADE)
    needs_foreign = special != SPECIAL_PEEK
    if (needs_own and own == 0) or (needs_foreign and foreign == 0):
        return np.int8(SPECIAL_NONE)
    return special


@kernel
def _may_knock(state):
    """Say whether the active seat is to be asked to knock. Rules: VIE-17, VIE-27, VIE-29, VIE-30."""
    if state.knocker >= 0 or state.is_void != 0:
        return False
    seats = np.int64(state.rules.seats)
    if state.rules.empty_ends_round != 0:
        seat = np.int64(state.active)
        for _ in range(seats):
            if state.counts[seat] == 0:
                _knock(state, seat, np.int64(1))
                return False
            seat = after(state, seat)
    return state.turns_taken[state.active] >= state.rules.min_turns_before_knock


@kernel
def _knock(state, seat, is_counted):
    """Let a seat knock, or count as knocking; every other seat takes one more turn. Rules: VIE-17, VIE-29, VIE-30."""
    state.knocker = seat
    state.knocks[seat] += 1
    state.turns_left = state.rules.seats  # the turn that ends now is one of them
    _log(state, EVENT_KNOCK, seat, is_counted, 0, 0, 0)


@inlined
def _end_turn(state):
    """End a turn: go on to the next seat, or end the round. Rules: VIE-7, VIE-27, VIE-28, VIE-30."""
    seats = np.int64(state.rules.seats)
    state.turns_taken[state.active] += 1
    for viewer in range(seats):
        state.views[viewer].turns_taken[state.active] += 1
    if state.knocker >= 0:
        state.turns_left -= 1
    if state.is_void != 0 or state.turns_left == 0 or state.round_turn >= state.rules.max_turns:
        reason = REASON_STOCK if state.is_void != 0 else REASON_KNOCK if state.turns_left == 0 else REASON_TURNS
        _end_round(state, np.int64(reason))
    else:
        state.active = after(state, np.int64(state.active))
        if state.active == state.knocker:
            state.active = after(state, np.int64(state.active))
        state.step = _STEP_TURN


# ── Ends ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def hand_sum(state, seat):
    """Sum the points of a seat's cards. Rules: VIE-2, VIE-32."""
    total = np.int64(0)
    for slot in range(np.int64(state.slots[seat])):
        if has_card(state, seat, slot):
            total += state.rules.points_of[state.places[seat, slot].card]
    return total


@kernel
def _count_minus(state, seat):
    """Count a seat's cards worth -1. Rules: VIE-35."""
    count = np.int64(0)
    for slot in range(np.int64(state.slots[seat])):
        if has_card(state, seat, slot) and state.rules.points_of[state.places[seat, slot].card] < 0:
            count += 1
    return count


@kernel
def _is_successful(state, knocker):
    """Say whether the knocker has the lowest of the hands. Rules: VIE-33."""
    sums = state.sums
    for seat in range(state.rules.seats):
        is_as_low = sums[seat] < sums[knocker] or (sums[seat] == sums[knocker] and state.rules.tie == TIE_LOSES)
        if is_as_low and seat != knocker:
            return False
    return True


@kernel
def _round_points(state, seat, knocker, is_success):
    """Give the change of a seat's total in this round, before any reset. Rules: VIE-28, VIE-33, VIE-34, VIE-35."""
    if seat == knocker:
        points = np.int64(state.rules.knock_bonus if is_success else state.rules.knock_penalty)
    elif knocker < 0 or is_success:
        return np.int64(state.sums[seat])
    else:
        points = np.int64(0)
    if state.rules.z_bonus == Z_ALWAYS:
        points -= _count_minus(state, seat)
    return points


@inlined
def _end_round(state, reason):
    """Turn up the hands, add the points, reset totals, see who starts next or who has lost.

    Rules: VIE-6, VIE-28, VIE-32 to VIE-38, VIE-40.
    """
    seats = np.int64(state.rules.seats)
    for seat in range(seats):
        state.sums[seat] = hand_sum(state, seat)
    knocker = np.int64(state.knocker) if reason == REASON_KNOCK else np.int64(-1)
    is_success = knocker >= 0 and _is_successful(state, knocker)
    if is_success:
        state.knocks_won[knocker] += 1
    _log(state, EVENT_ROUND_END, reason, knocker, is_success, state.in_hands, 0)
    _log_hands(state)
    anchor = knocker if knocker >= 0 else np.int64(state.active)
    loser = np.int64(-1)
    worst = np.int64(0)
    is_lost = False
    seat = anchor
    for _ in range(seats):
        seat = after(state, seat)
        points = _round_points(state, seat, knocker, is_success)
        if loser < 0 or points > worst:
            loser = seat
            worst = points
        state.totals[seat] += points
        is_reset = _reset(state, seat)
        is_lost = is_lost or state.totals[seat] > state.rules.limit
        _log(state, EVENT_POINTS, seat, state.sums[seat], points, is_reset, state.totals[seat])
    state.first_seat = loser
    state.step = _STEP_ROUND
    for viewer in range(seats):
        state.views[viewer].totals = state.totals
        state.views[viewer].resets_of = state.resets_of
    if is_lost or state.round_number >= state.rules.max_rounds:
        state.status = STATUS_FINISHED if is_lost else STATUS_CAPPED
        state.is_over = 1
        state.phase = PHASE_OVER
        _log(state, EVENT_GAME_END, state.status, 0, 0, 0, 0)


@kernel
def _reset(state, seat):
    """Reset a total that is exactly `reset_at`. Rules: VIE-37."""
    rules = state.rules
    if rules.reset_at == 0 or state.totals[seat] != rules.reset_at or rules.resets == RESETS_NEVER:
        return False
    if rules.resets == RESETS_ONCE and state.resets_of[seat] > 0:
        return False
    state.totals[seat] = rules.reset_to
    state.resets_of[seat] += 1
    state.resets += 1
    return True


@kernel
def _log_hands(state):
    """Log every card in front of a seat when the hands are turned up."""
    if state.is_logged != 0:
        for seat in range(state.rules.seats):
            for slot in range(np.int64(state.slots[seat])):
                if has_card(state, seat, slot):
                    _log(state, EVENT_HAND, seat, slot, state.places[seat, slot].card, 0, 0)


# ── Decisions ────────────────────────────────────────────────────────────────────────────────────────────────────────


@inlined
def observe(state):
    """Give the deciding seat its VIEW, with all public facts and what it cannot place as they are now."""
    seat = np.int64(state.seat)
    view = state.views[seat]
    view.word = word_at(state.bot_keys[seat], np.int64(state.asked[seat]))
    view.block = state.block
    for word in range(SET_WORDS):
        view.unseen[word] = state.unseen[word, seat]
    view.unseen_count = state.unseen_count[seat]
    view.unseen_points = state.unseen_points[seat]
    return view


@inlined
def _is_taken(state, seat, slot):
    """Say whether there is such a place and a card lies in it."""
    return seat < state.rules.seats and slot < state.slots[seat] and has_card(state, seat, slot)


@inlined
def _is_legal_throw(state, action):
    """Check a throw against the STATE. Rules: VIE-20, VIE-26, VIE-31."""
    if action == ACT_PASS:
        return True
    if action < 0 or action > 1 << PLACE_BITS:
        return False
    owner = seat_of(action)
    if not _is_taken(state, owner, slot_of(action)) or _is_locked(state, owner):
        return False
    return owner != state.seat or owner != state.active or state.rules.illegal_penalty != 0


@kernel
def _is_legal(state, action):
    """Check any other action against the STATE. Rules: VIE-7 to VIE-15, VIE-22, VIE-29, VIE-31."""
    phase = state.phase
    seat = np.int64(state.seat)
    if action < 0:
        return False
    if phase in (PHASE_DRAW, PHASE_KNOCK):
        return action <= 1
    if action == ACT_PASS:
        return phase != PHASE_SWAP and not (phase == PHASE_GIVE and state.rules.give == GIVE_FORCED)
    owner = seat_of(action)
    if not _is_taken(state, owner, slot_of(action)) or _is_locked(state, owner):
        return False
    own_slot = own_slot_of(action)
    if phase == PHASE_SPECIAL and state.special == SPECIAL_TRADE:
        return owner != seat and _is_taken(state, seat, own_slot)
    if own_slot != 0:
        return False
    if phase == PHASE_SPECIAL and state.special != SPECIAL_PEEK:
        return owner != seat
    return owner == seat


@inlined
def apply(state, action):
    """Carry out the deciding seat's action and run on to the next decision; false (and nothing done) if it is illegal.

    Rules: VIE-7 to VIE-16, VIE-18 to VIE-31.
    """
    if state.phase != PHASE_THROW:
        return _apply_own(state, action)
    if not _is_legal_throw(state, action):
        return False
    seat = np.int64(state.seat)
    state.asked[seat] += 1
    state.decisions += 1
    if action != ACT_PASS:
        state.intents[seat] = action
        state.wanting[state.intending] = seat
        state.intending += 1
    if not _ask_next(state):
        state.step = _STEP_ATTEMPTS
        advance(state)
    return True


@kernel
def _apply_own(state, action):
    """Carry out an action of any phase but the throw. Rules: VIE-7 to VIE-16, VIE-22, VIE-29."""
    if not _is_legal(state, action):
        return False
    state.asked[state.seat] += 1
    state.decisions += 1
    phase = state.phase
    special = state.special
    state.drawn = CARD_NONE
    state.special = SPECIAL_NONE
    state.place_seat = -1
    state.place_slot = -1
    is_asked = False
    if phase == PHASE_DRAW:
        is_asked = _draw_discard(state) if action == ACT_DISCARD else _draw_stock(state)
    elif phase == PHASE_SWAP:
        _place_drawn(state, slot_of(action), np.int64(1))
    elif phase == PHASE_KEEP:
        if action == ACT_THROW_AWAY:
            _throw_away(state)
        else:
            _place_drawn(state, slot_of(action), np.int64(0))
    elif phase == PHASE_KNOCK:
        if action == ACT_KNOCK:
            _knock(state, np.int64(state.seat), np.int64(0))
    elif action != ACT_PASS:
        is_asked = _use(state, phase, special, action)
    if not is_asked:
        advance(state)
    return True


@kernel
def _use(state, phase, special, action):
    """Carry out a special, the taking after a look, or a gift; true if the seat is to be asked again.

    Rules: VIE-11 to VIE-14, VIE-22.
    """
    seat = np.int64(state.seat)
    owner = seat_of(action)
    slot = slot_of(action)
    if phase == PHASE_GIVE:
        _give(state, seat, slot)
    elif phase == PHASE_TAKE:
        _trade(state, slot, np.int64(state.target_seat), np.int64(state.target_slot))
    elif special == SPECIAL_TRADE:
        _trade(state, own_slot_of(action), owner, slot)
    else:
        _reveal(state, seat, owner, slot)
        if special == SPECIAL_HUNT and state.counts[seat] > 0:
            state.target_seat = owner
            state.target_slot = slot
            state.place_seat = owner
            state.place_slot = slot
            _ask(state, PHASE_TAKE, seat)
            return True
    return False


@kernel
def _trade(state, own_slot, other, slot):
    """Trade an own card of the active seat for another's, unseen. Rules: VIE-13, VIE-14."""
    _exchange(state, np.int64(state.active), own_slot, other, slot)
    _log(state, EVENT_TRADE, state.active, own_slot, other, slot, 0)


# ── Results ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def score(state, game, deal_number, rotation, games, seats):
    """Write a finished game's rows: `games` (one row), `seats` (a row a seat), columns as declared by the game.

    Rules: VIE-38, VIE-39, VIE-40.
    """
    count = np.int64(state.rules.seats)
    lowest = np.int64(state.totals[0])
    for seat in range(1, count):
        lowest = min(lowest, np.int64(state.totals[seat]))
    winners = np.int64(0)
    for seat in range(count):
        if state.totals[seat] == lowest:
            winners += 1
    knocks = np.int64(0)
    knocks_won = np.int64(0)
    penalties = np.int64(0)
    for seat in range(count):
        place_of = np.int64(1)
        for other in range(count):
            if state.totals[other] < state.totals[seat]:
                place_of += 1
        row = seats[seat]
        row[0] = game
        row[1] = seat
        row[2] = state.who[seat]
        row[3] = state.totals[seat]
        row[4] = place_of
        row[5] = _SHARE // winners if place_of == 1 else 0
        row[6] = state.totals[seat] > state.rules.limit
        row[7] = state.knocks[seat]
        row[8] = state.knocks_won[seat]
        row[9] = state.penalties[seat]
        knocks += state.knocks[seat]
        knocks_won += state.knocks_won[seat]
        penalties += state.penalties[seat]
    games[0] = game
    games[1] = deal_number
    games[2] = rotation
    games[3] = state.status
    games[4] = state.turn
    games[5] = state.decisions
    games[6] = state.round_number
    games[7] = knocks
    games[8] = knocks_won
    games[9] = state.resets
    games[10] = penalties
    games[11] = state.throws
    games[12] = state.reshuffles
    games[13] = state.start_seat


# ── Other worlds ─────────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def redeal(view, state, word):
    """Draw a full state that agrees with a deciding seat's VIEW, uniformly over the hidden cards (modifies `state`).

    `state` is a fresh one of the same rules. Hidden cards are told apart by the stock they came from: a card unseen
    since its shuffle lies where a card of that stock was laid, or still in the stock. In a throw window the seat is the
    first to be asked, since nobody's answer is known. Other seats know what they are known to have seen, and remember
    it afresh, and all are taken to be equally quick; all further chance follows from `word`. Rules: VIE-16, VIE-25,
    VIE-27.
    """
    rules = view.rules
    seats = np.int64(rules.seats)
    me = np.int64(view.seat)
    state.deal_key = word
    seed(state, event_key(word, _PURPOSE_SHUFFLE, 0))
    _redeal_stock(view, state)
    for seat in range(seats):
        for slot in range(np.int64(view.slots[seat])):
            place = view.places[seat, slot]
            if place.origin != ORIGIN_NONE:
                card = np.int64(place.card)
                if card == CARD_NONE:
                    card = _take_of(view, state, place.origin)
                elif view.seen[card] == SEEN_OPEN:
                    state.face_up[card >> 6] |= bit_of(card)
                state.cells[seat, slot] = cell(card, place.knowers, place.origin)
    _copy_public(view, state)
    for seat in range(seats):
        state.bot_keys[seat] = event_key(word, PURPOSE_BOT, seat)
        state.reflex[seat] = REFLEX_UNIT
        state.is_even = 1
        if seat != me:
            state.views[seat].memory_key = event_key(word, PURPOSE_MEMORY, seat)
            _know_again(view, state, seat)
    _copy_own(view, state)
    _resume(view, state)


@kernel
def _redeal_stock(view, state):
    """Lay the known discards, and shuffle every card that the seat cannot place into the stock."""
    for card in range(view.rules.cards):
        if is_unseen(view, card):
            state.stock_cards[state.stock] = card
            state.stock += 1
        elif is_discarded(view, card) and card != view.top:
            state.discard_cards[state.discards] = card
            state.discards += 1
    if view.top != CARD_NONE:
        state.discard_cards[state.discards] = view.top
    shuffle(state, state.stock_cards, state.stock)


@kernel
def _take_of(view, state, generation):
    """Take the next card of one stock's generation out of the shuffled unseen cards."""
    found = np.int64(state.stock) - 1
    while view.pool[state.stock_cards[found]] != generation:
        found -= 1
    card = np.int64(state.stock_cards[found])
    for index in range(found, state.stock - 1):
        state.stock_cards[index] = state.stock_cards[index + 1]
    state.stock -= 1
    return card


@kernel
def _copy_public(view, state):
    """Copy what everybody knows of the game, the round and the turn."""
    for seat in range(view.rules.seats):
        state.totals[seat] = view.totals[seat]
        state.resets_of[seat] = view.resets_of[seat]
        state.turns_taken[seat] = view.turns_taken[seat]
    state.block = view.block


@kernel
def _know_again(view, state, seat):
    """Let another seat know what it is known to have seen, in the redealt cards."""
    other = state.views[seat]
    other.seat = seat
    rules = view.rules
    for place_seat in range(rules.seats):
        other.totals[place_seat] = view.totals[place_seat]
        other.resets_of[place_seat] = view.resets_of[place_seat]
        other.turns_taken[place_seat] = view.turns_taken[place_seat]
    other.pool = view.pool
    for word in range(SET_WORDS):
        state.unseen[word, seat] = rules.deck[word] & ~view.discarded[word]
    if view.phase == PHASE_SWAP:
        state.unseen[view.drawn >> 6, seat] &= ~bit_of(np.int64(view.drawn))
    for place_seat in range(rules.seats):
        for slot in range(np.int64(view.slots[place_seat])):
            place = state.places[place_seat, slot]
            if (place.knowers >> seat) & 1 != 0:
                card = np.int64(place.card)
                other.cells[place_seat, slot] = state.cells[place_seat, slot]
                other.seen[card] = _time_seen(state, card)
                state.unseen[card >> 6, seat] &= ~bit_of(card)
            else:
                other.cells[place_seat, slot] = cell(CARD_NONE, place.knowers, place.origin)
    state.unseen_count[seat] = 0
    state.unseen_points[seat] = 0
    for card in range(rules.cards):
        if state.unseen[card >> 6, seat] & bit_of(card) != 0:
            state.unseen_count[seat] += 1
            state.unseen_points[seat] += rules.points_of[card]


@kernel
def _copy_own(view, state):
    """Copy the lasting knowledge of the seat itself, as it is."""
    own = state.views[view.seat]
    own.seat = view.seat
    own.memory_key = view.memory_key
    own.parameters = view.parameters
    own.totals = view.totals
    own.resets_of = view.resets_of
    own.turns_taken = view.turns_taken
    own.cells = view.cells
    own.seen = view.seen
    own.pool = view.pool
    for word in range(SET_WORDS):
        state.unseen[word, view.seat] = view.unseen[word]
    state.unseen_count[view.seat] = view.unseen_count
    state.unseen_points[view.seat] = view.unseen_points


@kernel
def _resume(view, state):
    """Put the redealt state at the decision that the view stands before."""
    phase = np.int64(view.phase)
    state.seat = view.seat
    state.held = view.drawn
    state.target_seat = view.place_seat
    state.target_slot = view.place_slot
    state.thrower = view.seat
    state.step = _STEP_SECOND_WINDOW
    if phase == PHASE_THROW:
        state.step = _STEP_ASK
        state.to_ask = view.rules.seats - 1
        state.ask_seat = after(state, np.int64(view.seat))
    elif phase == PHASE_GIVE:
        state.step = _STEP_DRAW if view.window == 0 else _STEP_KNOCK
    elif phase == PHASE_KNOCK:
        state.step = _STEP_NEXT


# ── What Python calls ────────────────────────────────────────────────────────────────────────────────────────────────


@entry
def start(record, table, deal_number, rotation):
    """Set the game of one deal and rotation up and run on to its first decision; returns the deal's rotations."""
    state = record[0]
    line_up, is_rotated, master, parameters, skills, seating, _ = table
    rotations = arrange(state, master, deal_number, line_up, is_rotated, seating)
    if rotation < rotations:
        begin(state, master, deal_number, rotation, seating, parameters, skills)
        deal(state)
    return rotations


@entry
def look(record, actions):
    """Fill the deciding seat's VIEW and list its legal actions into `actions`; returns how many there are."""
    return legal(observe(record[0]), actions)


@entry
def act(record, action):
    """Carry out the deciding seat's action; false (and nothing done) if it is illegal."""
    return apply(record[0], action)


@entry
def finish(record, game, deal_number, rotation, games, seats, rounds):
    """Write a finished game's rows into `games[0]` and `seats`; `rounds` has none."""
    score(record[0], game, deal_number, rotation, games[0], seats)


@entry
def redealt(views, seat, record, word):
    """Draw a state that agrees with `views[seat]` into a fresh `record`."""
    redeal(views[seat], record[0], word)


@entry
def play_part(record, bots, table, first, deals, games, seats, rounds, progress):
    """Play a contiguous range of whole deals; returns the number of games played.

    `record` is the STATE (one element, rules written), `bots` a tuple of deciders by entrant, `table` the line-up and
    what the entrants bring (sim.table), `games` and `seats` the rows to fill (`rounds` has none: every game's
    `play_part` takes it). `progress` (int64) holds the number of the game in play, and after an illegal action 1, the
    seat and the action: the part ends there.
    """
    state = record[0]
    line_up, is_rotated, master, parameters, skills, seating, most_rotations = table
    count = np.int64(state.rules.seats)
    row = 0
    for deal_number in range(first, first + deals):
        rotations = arrange(state, master, deal_number, line_up, is_rotated, seating)
        for rotation in range(rotations):
            game = deal_number * most_rotations + rotation
            progress[0] = game
            begin(state, master, deal_number, rotation, seating, parameters, skills)
            deal(state)
            while state.is_over == 0:
                action = bots[state.who[state.seat]](observe(state))
                if not apply(state, action):
                    progress[1] = 1
                    progress[2] = state.seat
                    progress[3] = action
                    return row
            score(state, game, deal_number, rotation, games[row], seats[row * count : (row + 1) * count])
            row += 1
    return row
