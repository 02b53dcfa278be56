"""The rules of Vier zu mir! as a state machine, compiled.

The path of a game: `begin` sets a STATE up for one deal and one table, `deal` deals, lets everybody place what is
complete and begins the first turn; then, until `is_over`, `observe` gives the deciding seat its VIEW, the bot answers,
and `apply` checks the answer, carries it out and runs on to the next decision.

What happens is public but for the deal, the search cards and the stack. So what all know is kept in STATE and written
into every view as it happens. The engine reads nothing back from a view, so a bot that writes into its view harms
nobody but itself.
"""

import numpy as np

from sim.bits import NTH_BIT
from sim.chance import (
    PURPOSE_BOT,
    PURPOSE_GAME,
    PURPOSE_MEMORY,
    below,
    deal_key,
    event_key,
    seed,
    shuffle,
    word_at,
)
from sim.compiled import entry, inlined, kernel, merged, shared
from sim.games.vier_zu_mir import worlds
from sim.games.vier_zu_mir.spec import (
    ACT_STOP,
    ANIMAL_BITS,
    ANIMAL_CARDS,
    ANIMALS,
    CARD_ANIMALS,
    CARDS,
    EVENT_AGES,
    EVENT_ANSWER,
    EVENT_DEAL,
    EVENT_DRAW,
    EVENT_GAME_END,
    EVENT_SEARCH_CARDS,
    EVENT_SHOW,
    EVENT_SHUFFLE,
    EVENT_START,
    EVENT_TURN,
    HOLDER_NONE,
    LOG_ROWS,
    MAX_SEATS,
    PASS_TURN,
    PHASE_ASK,
    PHASE_OVER,
    QUESTIONS,
    STATUS_CAPPED,
    STATUS_FINISHED,
)

_PURPOSE_TUBES = PURPOSE_GAME
_PURPOSE_CARDS = PURPOSE_GAME + 1
_PURPOSE_START = PURPOSE_GAME + 2
_PURPOSE_AGES = PURPOSE_GAME + 3
_PURPOSE_DECK = PURPOSE_GAME + 4

_SHARE = 2520  # 1/k of a shared win is a whole number of these for every k up to 10
_U0, _U1, _U3, _U8, _U16, _U32 = (np.uint64(number) for number in (0, 1, 3, 8, 16, 32))
_TUBES_WORD, _UNKNOWN_WORD = 0, 1  # of the block: how many tubes lie where, and how many of them are unknown
_BYTE, _ANIMAL_MASK = np.uint64(0xFF), np.uint64((1 << ANIMAL_BITS) - 1)
_SEAT_SHIFT = np.uint64(ANIMAL_BITS)

# ── Sets of animals, legality from a view ────────────────────────────────────────────────────────────────────────────

_BITS_IN = np.array([byte.bit_count() for byte in range(256)], np.uint8)
# The quotient of a small number by another as a product: n // d is (n * _INVERSE[d]) >> 32 as long as n * d < 2**32.
_INVERSE = np.array([0] + [2**32 // count + 1 for count in range(1, ANIMALS + 1)], np.uint64)


@merged
def count_of(animals):
    """Count the animals of a set."""
    word = np.uint64(animals)
    return (
        np.int64(_BITS_IN[word & _BYTE])
        + np.int64(_BITS_IN[(word >> _U8) & _BYTE])
        + np.int64(_BITS_IN[(word >> _U16) & _BYTE])
    )


@merged
def nth_animal(animals, nth):
    """Give the `nth` animal of a set, from the lowest; 0 <= nth < count_of(animals).

    Without a branch: which byte of the set it stands in cannot be guessed.
    """
    word, left = np.uint64(animals), np.uint64(nth)
    first = np.uint64(_BITS_IN[word & _BYTE])
    second = first + np.uint64(_BITS_IN[(word >> _U8) & _BYTE])
    is_past, is_far = np.uint64(left >= first), np.uint64(left >= second)
    shift = (is_past + is_far) << _U3
    before = is_past * first + is_far * (second - first)
    return np.int64(shift + np.uint64(NTH_BIT[(word >> shift) & _BYTE, left - before]))


@shared
def ask(seat, animal):
    """Code the action that asks a seat for an animal."""
    return 1 + (np.int64(seat) << ANIMAL_BITS) + animal


@shared
def seat_of(action):
    """Read the seat out of an action that asks."""
    return (np.int64(action) - 1) >> ANIMAL_BITS


@shared
def animal_of(action):
    """Read the animal out of an action that asks."""
    return (np.int64(action) - 1) & ((1 << ANIMAL_BITS) - 1)


@merged
def count_legal(view):
    """Count the legal actions of the deciding seat, from its VIEW alone. Rules: VZM-12, VZM-14."""
    return np.int64(view.may_stop) + np.int64(view.needed_count) * (np.int64(view.rules.seats) - 1)


@merged
def nth_legal(view, nth):
    """Give the `nth` legal action, 0 <= nth < count_legal(view), stop first where it is allowed.

    Then come the left neighbour's animals, rising, those of the next seat, and so on. Rules: VZM-12, VZM-14.
    """
    if view.may_stop != 0:
        if nth == 0:
            return np.int64(ACT_STOP)
        nth -= 1
    each = np.uint64(view.needed_count)
    left = np.uint64(nth)
    passed = (left * _INVERSE[each]) >> _U32
    seat = np.uint64(view.seat) + _U1 + passed
    seats = np.uint64(view.rules.seats)
    seat = seat - seats if seat >= seats else seat
    return ask(seat, nth_animal(view.needed, left - passed * each))


@kernel
def legal(view, actions):
    """List the legal actions of the deciding seat into `actions` (modified); returns how many there are."""
    count = count_legal(view)
    for nth in range(count):
        actions[nth] = nth_legal(view, nth)
    return count


# ── The log ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@inlined
def _log(state, event, a, b, c, d):
    """Log what happened if the game is watched."""
    if state.is_logged != 0:
        _write_row(state, np.int64(event), np.int64(a), np.int64(b), np.int64(c), np.int64(d))


@kernel
def _write_row(state, event, a, b, c, d):
    """Write one row into the log (modifies log, logged); what does not fit is only counted."""
    if state.logged < LOG_ROWS:
        row = state.log[state.logged]
        row[0] = event
        row[1] = a
        row[2] = b
        row[3] = c
        row[4] = d
    state.logged += 1


# ── The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@inlined
def begin(state, master, deal_number, rotation, seating, parameters):
    """Set a STATE up for one game of one table; its rules are written already.

    `seating` holds the entrants of rotation 0 seat by seat, `parameters[entrant]` what a bot reads.
    """
    seats = np.uint64(state.rules.seats)
    key = deal_key(master, deal_number)
    state.deal_key = key
    state.is_over = 0
    state.phase = PHASE_ASK
    state.status = STATUS_FINISHED
    state.decisions = 0
    state.hits = 0
    state.stops = 0
    state.asks = 0
    state.turn = 0
    state.may_stop = 0
    state.block = state.fresh.block
    state.holder = state.fresh.holder
    state.lacks = state.fresh.lacks
    state.seen = state.fresh.seen
    taken = np.uint64(rotation)
    for seat in range(seats):
        entrant = np.uint64(seating[taken])
        taken = taken + _U1 if taken + _U1 < seats else _U0
        state.who[seat] = entrant
        state.bot_keys[seat] = event_key(key, PURPOSE_BOT, np.uint64(rotation) * seats + seat)
        state.asked[seat] = 0
        state.stops_of[seat] = 0
        state.hits_of[seat] = 0
        # Whatever a bot may have left in its view ends with its game.
        view = state.views[seat]
        view.words = state.fresh.words
        view.seat = seat
        view.memory_key = event_key(key, PURPOSE_MEMORY, np.uint64(rotation) * seats + seat)
        for index in range(len(view.parameters)):
            view.parameters[index] = parameters[entrant, index]


@inlined
def deal(state):
    """Start the game that `begin` set up: deal, place what is complete, begin the first turn.

    Rules: VZM-2, VZM-3, VZM-4, VZM-5, VZM-9, VZM-11.
    """
    if state.is_drawn != 0:
        _draw_search_cards(state)
    _deal_tubes(state)
    _deal_cards(state)
    start_seat = np.int64(state.given_start)
    if start_seat < 0:
        seed(state, event_key(state.deal_key, _PURPOSE_START, 0))
        start_seat = below(state, state.rules.seats)
    state.first_seat = start_seat
    _log(state, EVENT_START, start_seat, state.given_start < 0, 0, 0)
    _place_at_start(state)
    _tell_table(state)
    if state.is_over == 0:
        _begin_turn(state, np.uint64(start_seat))


@kernel
def _draw_search_cards(state):
    """Draw the search cards: 24 different ones, each animal on four, all such sets of cards as likely. Rules: VZM-6.

    Each animal is written on four slips and the slips are dealt four to a card; where a card has an animal twice, or
    two cards are alike, all is dealt anew. Every set of cards comes from equally many orders of the slips.
    """
    seed(state, event_key(state.deal_key, _PURPOSE_DECK, 0))
    while not _deal_slips(state):
        pass
    for seat in range(state.rules.seats):
        for card in range(CARDS):
            state.views[seat].sets[card] = state.sets[card]
    if state.is_logged != 0:
        _log(state, EVENT_SEARCH_CARDS, 0, 0, 0, 0)
        for card in range(CARDS):
            _log(state, EVENT_SEARCH_CARDS, state.sets[card], 0, 0, 0)


@kernel
def _deal_slips(state):
    """Deal the slips until a card has an animal twice or is like another; true if that never was so."""
    slips = ANIMALS * ANIMAL_CARDS
    for slip in range(slips):
        state.draws[slip] = slip // ANIMAL_CARDS
    for card in range(CARDS):
        animals = np.uint32(0)
        for slip in range(CARD_ANIMALS * card, CARD_ANIMALS * (card + 1)):
            other = slip + below(state, slips - slip)
            animal = state.draws[other]
            state.draws[other] = state.draws[slip]
            if (animals >> animal) & 1 != 0:
                return False
            animals |= np.uint32(1) << animal
        for other in range(card):
            if state.sets[other] == animals:
                return False
        state.sets[card] = animals
        _list_card(state, card)
    return True


@kernel
def _list_card(state, card):
    """List the animals of a card, rising."""
    found = 0
    for animal in range(ANIMALS):
        if (state.sets[card] >> np.uint32(animal)) & 1 != 0:
            state.on_card[card, found] = animal
            found += 1


@kernel
def _deal_tubes(state):
    """Draw who is how old and deal the tubes. Rules: VZM-2, VZM-3, VZM-4."""
    seats = np.int64(state.rules.seats)
    is_age_drawn = state.given_ages[0] < 0
    for seat in range(seats):
        state.ages[seat] = seat if is_age_drawn else state.given_ages[seat]
    # Where all get as many, ages are drawn only to be told.
    if is_age_drawn and (state.tubes_by_age[0] != state.tubes_by_age[seats - 1] or state.is_logged != 0):
        seed(state, event_key(state.deal_key, _PURPOSE_AGES, 0))
        shuffle(state, state.ages, seats)
    if state.is_logged != 0:
        _log(state, EVENT_AGES, is_age_drawn, 0, 0, 0)
    for rank in range(seats):
        state.tubes_of[state.ages[rank]] = state.tubes_by_age[rank]
    seed(state, event_key(state.deal_key, _PURPOSE_TUBES, 0))
    for animal in range(ANIMALS):
        state.animals[animal] = animal
    shuffle(state, state.animals, ANIMALS)
    dealt = np.uint64(0)
    for seat in range(seats):
        tubes = _U0
        for _ in range(state.tubes_of[seat]):
            tubes |= _U1 << np.uint64(state.animals[dealt])
            dealt += _U1
        state.tubes[seat] = tubes
        state.unknown[seat] = state.tubes_of[seat]


@kernel
def _deal_cards(state):
    """Deal the search cards; the rest is the stack, whose top is the first of them. Rules: VZM-5."""
    seats = np.int64(state.rules.seats)
    hand_cards = np.int64(state.rules.hand_cards)
    seed(state, event_key(state.deal_key, _PURPOSE_CARDS, 0))
    for card in range(CARDS):
        state.cards[card] = card
    shuffle(state, state.cards, CARDS)
    for seat in range(seats):
        for place in range(hand_cards):
            card = state.cards[seat * hand_cards + place]
            state.hands[seat, place] = card
            state.views[seat].hand[place] = card
        state.cards_of[seat] = hand_cards
        _find_wanted(state, seat)
    state.stack = CARDS - seats * hand_cards
    if state.is_logged != 0:
        _log(state, EVENT_SHUFFLE, 0, 0, 0, 0)
        _log(state, EVENT_DEAL, 0, 0, 0, 0)


@kernel
def _find_wanted(state, seat):
    """Find the animals on a seat's cards, and what it needs of them. Rules: VZM-12."""
    wanted = np.uint32(0)
    for place in range(state.cards_of[seat]):
        wanted |= state.sets[state.hands[seat, place]]
    state.wanted[seat] = wanted
    _find_needed(state, seat)


@kernel
def _find_needed(state, seat):
    """Find the animals that a seat may ask for: on its cards, not in its tubes. Rules: VZM-4, VZM-12."""
    tubes = state.tubes[seat]
    needed = state.wanted[seat] & ~tubes
    state.needed[seat] = needed
    view = state.views[seat]
    view.tubes = tubes
    view.needed = needed
    view.needed_count = count_of(needed)


# ── Completing cards ─────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def _place_at_start(state):
    """Let every seat, from the start player on, place what is complete. Rules: VZM-9."""
    seats = np.int64(state.rules.seats)
    seat = np.int64(state.first_seat)
    for _ in range(seats):
        if state.is_over == 0 and _has_complete(state, seat):
            _place(state, seat, np.int64(0))
        seat = seat + 1 if seat + 1 < seats else 0
    state.placed_at_start = np.int64(state.shown)


@kernel
def _is_complete(state, seat, place):
    """Say whether a card of a hand is complete. Rules: VZM-7."""
    return state.sets[state.hands[seat, place]] & ~state.tubes[seat] == 0


@kernel
def _has_complete(state, seat):
    """Say whether a seat holds a complete card. Rules: VZM-7."""
    found = False
    for place in range(state.cards_of[seat]):
        found |= _is_complete(state, seat, place)
    return found


@kernel
def _place(state, seat, passes):
    """Let a seat place its complete cards and draw, with `chain` until it holds none; may end the game.

    `passes` is the number of the first pass. Rules: VZM-8, VZM-10, VZM-16, VZM-20.
    """
    while True:
        _show_complete(state, seat, passes)
        if state.cards_of[seat] == 0 and state.stack == 0:
            _end(state, np.int64(STATUS_FINISHED))
            break
        while state.cards_of[seat] < state.rules.hand_cards and state.stack > 0:
            _draw(state, seat)
        passes += 1
        if state.rules.chain == 0 or not _has_complete(state, seat):
            break
    _find_wanted(state, seat)


@kernel
def _show_complete(state, seat, passes):
    """Show and place each complete card of a hand; the others close up. Rules: VZM-8.

    They are shown in the order of their numbers, which tells nothing of when each was drawn.
    """
    while True:
        found, lowest = -1, CARDS
        for place in range(state.cards_of[seat]):
            if _is_complete(state, seat, place) and state.hands[seat, place] < lowest:
                found, lowest = place, np.int64(state.hands[seat, place])
        if found < 0:
            break
        state.cards_of[seat] -= 1
        held = np.int64(state.cards_of[seat])
        for place in range(found, held):
            _put(state, seat, place, state.hands[seat, place + 1])
        _put(state, seat, held, np.uint8(0))
        _show(state, seat, lowest, passes)


@inlined
def _put(state, seat, place, card):
    """Put a card into a place of a hand, of which only its seat knows; 0 where there is no card."""
    state.hands[seat, place] = card
    state.views[seat].hand[place] = card


@kernel
def _show(state, seat, card, passes):
    """Show the animals of a complete card to all, and place it. Rules: VZM-8, VZM-18."""
    for index in range(CARD_ANIMALS):
        animal = state.on_card[card, index]
        state.unknown[seat] -= state.holder[animal] == HOLDER_NONE
        _see(state, animal, seat)
    word = np.uint32(np.int64(card) | (np.int64(seat) << 5) | (passes << 8) | (np.int64(state.asks) << 13))
    for viewer in range(np.uint64(state.rules.seats)):
        state.views[viewer].shows[state.shown] = word
    state.shown += 1
    state.placed[seat] += 1
    _log(state, EVENT_SHOW, seat, card, state.sets[card], 0)


@inlined
def _see(state, animal, seat):
    """Let all see that a seat has an animal. Rules: VZM-18."""
    lacks = _everybody(state) ^ (1 << np.int64(seat))
    state.holder[animal] = seat
    state.lacks[animal] = lacks
    state.seen[animal] = state.turn
    for viewer in range(np.uint64(state.rules.seats)):
        view = state.views[viewer]
        view.holder[animal] = seat
        view.lacks[animal] = lacks
        view.seen[animal] = state.turn


@kernel
def _tell_table(state):
    """Let all see how many tubes and cards lie where (modifies every view)."""
    for viewer in range(np.uint64(state.rules.seats)):
        state.views[viewer].block = state.block


@kernel
def _everybody(state):
    """Give the bits of all seats."""
    return (1 << np.int64(state.rules.seats)) - 1


@kernel
def _draw(state, seat):
    """Draw the top card of the stack into a hand. Rules: VZM-8."""
    card = state.cards[CARDS - state.stack]
    state.stack -= 1
    _put(state, seat, state.cards_of[seat], card)
    state.cards_of[seat] += 1
    _log(state, EVENT_DRAW, seat, card, 0, 0)


# ── Turns ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def after(table, seat):
    """Give the left neighbour of a seat. Rules: G-1, VZM-15."""
    return seat + _U1 if seat + _U1 < np.uint64(table.rules.seats) else _U0


@inlined
def _begin_turn(state, seat):
    """Begin a seat's turn. Rules: VZM-13, VZM-14, VZM-15."""
    state.turn += 1
    state.seat = seat
    state.may_stop = 0
    _log(state, EVENT_TURN, state.turn, seat, 0, 0)
    if state.needed[seat] == 0:
        _begin_complete(state)
        _tell_table(state)


@kernel
def _begin_complete(state):
    """Let seats whose cards are all complete at the start of their turn place them instead of asking. Rules: VZM-19."""
    while state.needed[state.seat] == 0:
        _place(state, np.int64(state.seat), np.int64(PASS_TURN))
        if state.is_over != 0:
            break
        state.turn += 1
        state.seat = after(state, np.uint64(state.seat))
        _log(state, EVENT_TURN, state.turn, state.seat, 0, 0)


@kernel
def _end(state, status):
    """End the game. Rules: VZM-20, VZM-22."""
    state.is_over = 1
    state.phase = PHASE_OVER
    state.status = status
    _log(state, EVENT_GAME_END, status, 0, 0, 0)


@inlined
def observe(state):
    """Fill what changes in the deciding seat's VIEW and give it."""
    seat = np.uint64(state.seat)
    view = state.views[seat]
    view.asks = state.asks
    view.turn = state.turn
    view.may_stop = state.may_stop
    view.word = word_at(state.bot_keys[seat], state.asked[seat])
    return view


@inlined
def apply(state, action):
    """Carry out the deciding seat's action and run on to the next decision; false (and nothing done) if it is illegal.

    Rules: VZM-12, VZM-13, VZM-14, VZM-15, VZM-22.
    """
    seat = np.uint64(state.seat)
    if action == ACT_STOP:
        return _stop(state, seat)
    asked = np.uint64(action - 1) >> _SEAT_SHIFT
    animal = np.uint64(action - 1) & _ANIMAL_MASK
    if asked >= np.uint64(state.rules.seats) or asked == seat or (state.needed[seat] >> animal) & _U1 == 0:
        return False
    state.asked[seat] += _U1
    state.decisions += 1
    is_hit = (np.uint64(state.tubes[asked]) >> animal) & _U1
    _tell_question(state, seat, asked, animal, is_hit)
    is_kept = is_hit != _U0 and _hand_over(state, seat, asked, animal)
    if state.asks >= state.rules.max_asks and state.is_over == 0:
        _end(state, np.int64(STATUS_CAPPED))
    if not is_kept and state.is_over == 0:
        _begin_turn(state, after(state, seat))
    return True


@kernel
def _stop(state, seat):
    """Let a seat stop, if it may. Rules: VZM-14."""
    if state.may_stop == 0:
        return False
    state.asked[seat] += _U1
    state.decisions += 1
    state.stops += 1
    state.stops_of[seat] += 1
    _begin_turn(state, after(state, seat))
    return True


@inlined
def _tell_question(state, seat, asked, animal, is_hit):
    """Ask before everybody, and let all take in what the answer says for certain. Rules: VZM-15, VZM-18.

    Who has asked lacks the animal, and so does who said no; where it is known already that says nothing new.
    """
    turn = np.uint64(state.turn) << np.uint64(12)
    word = seat | (((asked << _SEAT_SHIFT) | animal) << _U3) | (is_hit << np.uint64(11)) | turn
    place = np.uint64(state.asks) & np.uint64(QUESTIONS - 1)
    lacks = np.uint64(state.lacks[animal]) | (_U1 << seat) | ((_U1 ^ is_hit) << asked)
    state.lacks[animal] = lacks
    state.asks += 1
    for viewer in range(MAX_SEATS):  # A fixed number costs less than a loop, though some views may be nobody's.
        view = state.views[viewer]
        view.questions[place] = word
        view.lacks[animal] = lacks
    _log(state, EVENT_ANSWER, seat, asked, animal, is_hit)


@kernel
def _hand_over(state, seat, asked, animal):
    """Hand an animal over to who asked for it, who may complete cards; true if that seat may ask on.

    Rules: VZM-13, VZM-14, VZM-16, VZM-17.
    """
    bit = np.uint32(1) << np.uint32(animal)
    state.tubes[asked] ^= bit
    state.tubes[seat] |= bit
    state.tubes_of[asked] -= 1
    state.tubes_of[seat] += 1
    state.unknown[asked] -= state.holder[animal] == HOLDER_NONE
    _see(state, animal, seat)
    state.hits += 1
    state.hits_of[seat] += 1
    _find_needed(state, seat)
    _find_needed(state, asked)
    for place in range(np.uint64(state.cards_of[seat])):
        # What was complete before stays where it is without `chain`: only what the animal completes is placed now.
        if _is_complete(state, seat, place) and state.sets[state.hands[seat, place]] & bit != 0:
            _place(state, np.int64(seat), np.int64(0))
            _tell_table(state)
            return False
    state.may_stop = state.rules.voluntary_stop
    for viewer in range(np.uint64(state.rules.seats)):
        view = state.views[viewer]
        view.block[_TUBES_WORD] = state.block[_TUBES_WORD]
        view.block[_UNKNOWN_WORD] = state.block[_UNKNOWN_WORD]
    return True


# ── Results ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def score(state, game, deal_number, rotation, games, seats):
    """Write a finished game's rows: `games` (one row), `seats` (a row a seat), columns as declared by the game.

    Rules: VZM-21, VZM-22.
    """
    count = np.int64(state.rules.seats)
    most = np.int64(0)
    for seat in range(count):
        most = max(most, np.int64(state.placed[seat]))
    winners = np.int64(0)
    for seat in range(count):
        winners += state.placed[seat] == most
    for seat in range(count):
        place_of = np.int64(1)
        for other in range(count):
            place_of += state.placed[other] > state.placed[seat]
        row = seats[seat]
        row[0] = game
        row[1] = seat
        row[2] = state.who[seat]
        row[3] = state.placed[seat]
        row[4] = place_of
        row[5] = _SHARE // winners if place_of == 1 else 0
        row[6] = 0
        row[7] = np.int64(state.asked[seat]) - state.stops_of[seat]
        row[8] = state.hits_of[seat]
    games[0] = game
    games[1] = deal_number
    games[2] = rotation
    games[3] = state.status
    games[4] = state.turn
    games[5] = state.decisions
    games[6] = state.asks
    games[7] = state.hits
    games[8] = state.stops
    games[9] = state.first_seat
    games[10] = state.placed_at_start


# ── Other worlds ─────────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def redeal(view, state, word):
    """Draw a full state that agrees with a deciding seat's VIEW, uniformly over the deals it may come from.

    `state` is a fresh one of the same rules (modified). All further chance follows from `word`. See `worlds`.
    """
    seats = np.int64(view.rules.seats)
    me = np.int64(view.seat)
    state.deal_key = word
    state.seat = me
    state.block = view.block
    state.sets = view.sets
    for card in range(CARDS):
        _list_card(state, card)
    _copy_public(view, state)
    seed(state, event_key(word, _PURPOSE_TUBES, 0))
    worlds.draw(view, state)
    for seat in range(seats):
        state.bot_keys[seat] = event_key(word, PURPOSE_BOT, seat)
        _find_wanted(state, seat)
        other = state.views[seat]
        other.seat = seat
        other.memory_key = event_key(word, PURPOSE_MEMORY, seat)
        other.block = view.block
        _copy_public(view, other)
        other.sets = view.sets
        other.shows = view.shows
        other.questions = view.questions
        for place in range(state.cards_of[seat]):
            other.hand[place] = state.hands[seat, place]
    own = state.views[me]
    own.memory_key = view.memory_key
    own.parameters = view.parameters


@kernel
def _copy_public(view, other):
    """Copy what all have seen into a VIEW or the STATE."""
    other.holder = view.holder
    other.lacks = view.lacks
    other.seen = view.seen
    other.asks = view.asks
    other.turn = view.turn
    other.may_stop = view.may_stop


# ── What Python calls ────────────────────────────────────────────────────────────────────────────────────────────────


@entry
def start(record, table, deal_number, rotation, seating):
    """Set one game up and run on to its first decision; `seating` holds the entrants of rotation 0 seat by seat."""
    state = record[0]
    master, parameters, _, _ = table
    begin(state, master, deal_number, rotation, seating, parameters)
    deal(state)


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
def play_list(record, bots, table, deals, rotations, seatings, numbers, games, seats, rounds, progress):
    """Play a list of games; returns how many were played.

    Game i is deal `deals[i]`, turned by `rotations[i]`, with the entrants `seatings[i]` in the seats of rotation 0; its
    number is `numbers[i]`. `record` is the STATE (one element, rules written), `bots` a tuple of deciders, `table` what
    the entrants bring (sim.table), `games`, `seats` and `rounds` the rows to fill (`rounds` has none). `progress`
    (int64) holds the number of the game in play, and after an illegal action 1, the seat and the action: play ends
    there.
    """
    state = record[0]
    master, parameters, _, deciders = table
    count = np.int64(state.rules.seats)
    deciding = np.zeros(MAX_SEATS, np.int64)
    for row in range(len(deals)):
        progress[0] = numbers[row]
        begin(state, master, deals[row], rotations[row], seatings[row], parameters)
        deal(state)
        for seat in range(count):
            deciding[seat] = deciders[state.who[seat]]
        while state.is_over == 0:
            action = bots[deciding[np.uint64(state.seat)]](observe(state))
            if not apply(state, action):
                progress[1] = 1
                progress[2] = state.seat
                progress[3] = action
                return row
        own = seats[row * count : (row + 1) * count]
        score(state, numbers[row], deals[row], rotations[row], games[row], own)
    return len(deals)
