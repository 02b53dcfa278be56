"""The rules of Clueverge as a state machine, compiled.

The path of a game: `begin` sets a STATE up for one deal and one table, `deal` lays the cards and begins the first turn;
then, until `is_over`, `observe` gives the deciding seat its VIEW, the bot answers, and `apply` checks the answer,
carries it out and runs on to the next decision. In a series or a challenge `apply` goes on to the next game.

What each card does to the culprit stands in `board`, for bots to use as well. The engine reads nothing back from a
view, so a bot that writes into its view harms nobody but itself.
"""

import numpy as np

from sim.bits import NTH_BIT
from sim.chance import PURPOSE_BOT, PURPOSE_GAME, below, deal_key, event_key, pick, seed, shuffle, word_at
from sim.compiled import entry, inlined, kernel, merged
from sim.games.clueverge import worlds
from sim.games.clueverge.board import BIT, SHOWN, SHOWN_AT_SCENE, can_have_culprit, cell_of, find_culprit
from sim.games.clueverge.spec import (
    ACT_DECLARE,
    ACT_OTHER,
    ACTIONS,
    CARD_SCENE,
    CARDS,
    CELLS,
    EVENT_CASE_CARD,
    EVENT_GAME_END,
    EVENT_LOOK,
    EVENT_PAWN,
    EVENT_REDO,
    EVENT_REVEAL,
    EVENT_SET_UP,
    EVENT_START,
    EVENT_TURN,
    EVENT_VERDICT,
    FACE_NONE,
    FIRST_FACE_DOWN,
    FIRST_FACE_UP,
    FLED,
    HISTORY,
    LOG_ROWS,
    MAX_SEATS,
    MODE_COMPETITIVE,
    MODE_SOLO,
    NOWHERE,
    PHASE_ACT,
    PHASE_OVER,
    PHASE_PLACE,
    SERIES_GAMES,
    SERIES_WINS,
    STATUS_CAPPED,
    STATUS_FINISHED,
    TARGETS,
)

_PURPOSE_LAYOUT = PURPOSE_GAME
_PURPOSE_CASE = PURPOSE_GAME + 1
_PURPOSE_START = PURPOSE_GAME + 2
_ATTEMPTS = 1 << 20  # more than any game needs to be set up

_SHARE = 2520  # 1/k of a shared win is a whole number of these for every k up to 10
_U0, _U1, _U4, _U8, _U15, _U16 = (np.uint64(number) for number in (0, 1, 4, 8, 15, 16))
_ALL_CELLS, _ALL_TARGETS = np.uint64((1 << CELLS) - 1), np.uint64((1 << TARGETS) - 1)
_SHIFT_OTHER, _SHIFT_DECLARE = np.uint64(ACT_OTHER), np.uint64(ACT_DECLARE)
_ORDERED = np.arange(CARDS, dtype=np.uint8)
# Eight bits spread out: a byte of ones for each.
_BYTES_OF = np.array(
    [sum(0xFF << 8 * bit for bit in range(8) if byte >> bit & 1) for byte in range(256)], np.uint64
).view(np.int64)
# The cell of a pawn as a bit, none where it lies on no card.
_PAWN_BIT = np.array([*(1 << cell for cell in range(CELLS)), 0, 0], np.uint64)

# ── Legality, from a view alone ──────────────────────────────────────────────────────────────────────────────────────

_ODD, _PAIRS, _HALVES = (np.uint64(number) for number in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
_BYTES, _TOPS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_U2, _U3, _U6, _U7, _U56 = (np.uint64(number) for number in (2, 3, 6, 7, 56))
_BYTE, _TOP = np.uint64(0xFF), np.uint64(0x80)


@inlined
def _counts(word):
    """Count the bits of each byte of a word; the byte k of the answer holds those of the bytes 0 to k."""
    word = word - ((word >> _U1) & _ODD)
    word = (word & _PAIRS) + ((word >> _U2) & _PAIRS)
    return ((word + (word >> _U4)) & _HALVES) * _BYTES


@merged
def count_legal(view):
    """Count the legal actions of the deciding seat, from its VIEW alone. Rules: CLV-18 to CLV-28, CLV-32 to CLV-40."""
    return np.int64(_counts(np.uint64(view.legal)) >> _U56)


@merged
def nth_legal(view, nth):
    """Give the `nth` legal action, 0 <= nth < count_legal(view): in the order of their numbers.

    Without a branch: which byte of the 49 bits it stands in cannot be guessed.
    """
    word, left = np.uint64(view.legal), np.uint64(nth)
    counts = _counts(word)
    # A byte's top bit is set where at most `nth` bits stand up to it: as many bytes are passed.
    passed = (((left | _TOP) * _BYTES - counts) & _TOPS) >> _U7
    shift = ((passed * _BYTES) >> _U56) << _U3
    before = ((counts << _U8) >> shift) & _BYTE
    return np.int64(shift + np.uint64(NTH_BIT[(word >> shift) & _BYTE, left - before]))


@kernel
def legal(view, actions):
    """List the legal actions of the deciding seat into `actions` (modified); returns how many there are."""
    count = count_legal(view)
    for nth in range(count):
        actions[nth] = nth_legal(view, nth)
    return count


@merged
def _find_legal(state):
    """Find what the seat in turn may do, a bit each (modifies legal and phase)."""
    rules = state.rules
    own = state.pawns[np.uint64(state.seat)]
    lying = _lying(state.pawns)
    if rules.mode != MODE_COMPETITIVE:
        state.legal = _legal_together(state, np.uint64(state.open), own, lying | _lying(state.spares))
    elif own == NOWHERE:
        state.phase = PHASE_PLACE
        state.legal = _first_cells(state, np.uint64(state.open), lying)
    else:
        state.phase = PHASE_ACT
        targets = (~np.uint64(state.standing) & _ALL_TARGETS) << _SHIFT_DECLARE
        free = ~lying & _ALL_CELLS
        moves = free | ((free & ~np.uint64(state.open)) << _SHIFT_OTHER)
        must = state.is_forced != 0 or (state.undeclared == 1 and state.extra == 0)
        state.legal = targets if must else targets | moves


@inlined
def _lying(pawns):
    """Give the cells where pawns are, a bit each."""
    return _PAWN_BIT[pawns[0]] | _PAWN_BIT[pawns[1]] | _PAWN_BIT[pawns[2]] | _PAWN_BIT[pawns[3]]


@merged
def _first_cells(state, is_open, lying):
    """Give the cells where a pawn may be laid at first. Rules: CLV-18, CLV-19."""
    rules = state.rules
    cells = _ALL_CELLS ^ BIT[state.scene_cell]
    if rules.first_placement == FIRST_FACE_UP:
        cells &= is_open
    elif rules.first_placement == FIRST_FACE_DOWN:
        cells &= ~is_open
    return cells if rules.share_first != 0 else cells & ~lying


@kernel
def _legal_together(state, is_open, own, lying):
    """Give what the seat in turn may do in the cooperative and the solo game. Rules: CLV-32, CLV-33, CLV-38."""
    rules = state.rules
    state.phase = PHASE_ACT
    free = _ALL_CELLS if rules.coop_share != 0 else _ALL_CELLS & ~lying
    found = _U0
    if state.unused > 0:
        others = free & ~BIT[state.scene_cell]
        found |= (others if rules.coop_u_face_up != 0 else others & ~is_open) << _SHIFT_OTHER
    if own == NOWHERE:
        return found | (free & ~is_open)
    return found | (_ALL_TARGETS << _SHIFT_DECLARE)


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


@kernel
def _board_word(state):
    """Write the faces of the board as a word, four bits a cell, the first lowest."""
    word = _U0
    for cell in range(CELLS):
        word |= np.uint64(state.board[cell]) << (_U4 * np.uint64(cell))
    return word


# ── The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@merged
def begin(state, master, deal_number, rotation, seating, parameters):
    """Set a STATE up for one game of one table; its rules are written already.

    `seating` holds the entrants of rotation 0 seat by seat, `parameters[entrant]` what a bot reads.
    """
    seats = np.uint64(state.rules.seats)
    key = deal_key(master, deal_number)
    state.deal_key = key
    state.is_over = 0
    state.status = STATUS_FINISHED
    state.decisions = 0
    state.block = state.fresh.block
    state.looks = state.fresh.looks
    taken = np.uint64(rotation)
    for seat in range(seats):
        entrant = np.uint64(seating[taken])
        taken = taken + _U1 if taken + _U1 < seats else _U0
        state.who[seat] = entrant
        state.bot_keys[seat] = event_key(key, PURPOSE_BOT, np.uint64(rotation) * seats + seat)
        state.asked[seat] = 0
        # Whatever a bot may have left in its view ends with its game.
        view = state.views[seat]
        view.kept = state.fresh.kept
        view.seat = seat
        for index in range(len(view.parameters)):
            view.parameters[index] = parameters[entrant, index]


@inlined
def deal(state):
    """Start the game that `begin` set up: lay the cards, open some, begin the first turn. Rules: CLV-12 to CLV-17."""
    _set_up(state)


@kernel
def _set_up(state):
    """Set one game up and begin its first turn. Rules: CLV-12 to CLV-17, CLV-30."""
    seats = np.uint64(state.rules.seats)
    state.redeals = 0
    state.reveals = 0
    state.moves = 0
    state.standing = 0
    state.attempt = 0
    lay(state)
    _open_case(state)
    while state.culprit == 0 and state.rules.redo != 0 and _is_evident(state):
        _log(state, EVENT_REDO, 0, 0, 0, 0, 0)
        state.redeals += 1
        state.attempt += 1
        lay(state)
        _open_case(state)
    first = np.uint64(0)
    if seats > _U1:
        first = np.uint64(pick(word_at(event_key(state.deal_key, _PURPOSE_START, state.game), _U0), seats))
    begin_game(state, first)


@merged
def begin_game(state, first):
    """Begin the first turn of a game whose cards lie: that of the seat `first`. Rules: CLV-17, CLV-31, CLV-38."""
    seats = np.uint64(state.rules.seats)
    state.first_seat = first
    state.unused = state.rules.spare_pawns
    state.undeclared = seats
    state.extra = seats == np.uint64(2)
    for seat in range(seats):
        view = state.views[seat]
        view.block = state.block
        view.known = state.faces
        view.seat = seat
    _log(state, EVENT_START, first, seats > _U1, 0, 0, 0)
    _begin_turn(state, first)


@kernel
def _is_evident(state):
    """Say whether it is evident from what is open that there is no culprit. Rules: CLV-16.

    A single board with a culprit shows that it is not. So the hidden cards are moved on from cell to cell first, all
    around, which nearly always finds one; only then are all boards looked through.
    """
    count, cells = np.uint64(0), _U0
    for card in range(np.uint64(CARD_SCENE)):
        is_hidden = _U1 ^ ((np.uint64(state.open) >> np.uint64(state.places[card])) & _U1)
        state.hidden[count] = card
        cells |= (np.uint64(state.places[card]) * is_hidden) << (_U4 * count)
        count += is_hidden
    state.drawn = state.places
    for _ in range(_U1, count):
        cells = (cells >> _U4) | ((cells & _U15) << (_U4 * (count - _U1)))
        for place in range(count):
            state.drawn[state.hidden[place]] = (cells >> (_U4 * place)) & _U15
        if find_culprit(state.drawn, state.scene, state.rules) != 0:
            return False
    return not can_have_culprit(state.places, np.uint64(state.open), state.scene_cell, state.rules)


@merged
def lay(state):
    """Draw the crime-scene card, lay the cards and find the culprit (modifies the generator). Rules: CLV-12, CLV-10."""
    index = np.int64(state.game) * _ATTEMPTS + state.attempt
    seed(state, event_key(state.deal_key, _PURPOSE_LAYOUT, index))
    state.places = _ORDERED
    state.scene = below(state, 3)
    shuffle(state, state.places, CARDS)
    culprit = find_culprit(state.places, state.scene, state.rules)
    state.culprit = culprit
    state.culprit_cell = cell_of(culprit, state.places)
    state.scene_cell = state.places[CARD_SCENE]


@merged
def _open_case(state):
    """Draw a case card and how it is held, and open the cards that it says. Rules: CLV-13, CLV-14, CLV-15, CLV-41."""
    show_faces(state)
    if state.is_logged != 0:
        _log(state, EVENT_SET_UP, state.game, state.attempt, state.scene, state.scene_cell, _board_word(state))
    key = event_key(state.deal_key, _PURPOSE_CASE, np.int64(state.game) * _ATTEMPTS + state.attempt)
    opened = _draw_cells(state, key) if state.rules.cases == 0 else _draw_case(state, key)
    state.open = opened
    state.block[0] = state.board_words[0] & _BYTES_OF[opened & _BYTE]
    state.block[1] = state.board_words[1] & _BYTES_OF[opened >> _U8]
    if state.is_logged != 0:
        case = np.int64(state.case) if state.rules.cases != 0 else np.int64(-1)
        _log(state, EVENT_CASE_CARD, case, state.orientation, state.case_cells, state.rules.open_cards, 0)


@merged
def show_faces(state):
    """Write what each cell's card shows (modifies board)."""
    shown = SHOWN[np.uint64(state.rules.motive_split), np.uint64(state.rules.alibi_split)]
    for card in range(np.uint64(CARD_SCENE)):
        state.board[state.places[card]] = shown[card]
    state.board[state.places[CARD_SCENE]] = SHOWN_AT_SCENE[state.scene]


@merged
def _draw_case(state, key):
    """Draw a case card and an orientation that keeps the crime-scene card covered; gives the cells, a bit each."""
    case = np.uint64(pick(word_at(key, _U0), state.rules.cases))
    if state.rules.challenge != 0:
        case = np.uint64(state.game) // np.uint64(state.rules.challenge_games)
    fits = np.uint64(state.case_fits[case, state.scene_cell])
    count = _counts(fits) >> _U56
    orientation = np.uint64(NTH_BIT[fits, np.uint64(pick(word_at(key, _U1), count))])
    state.case = case
    state.orientation = orientation
    state.case_cells = state.case_orders[case, orientation]
    return np.uint64(state.case_opens[case, orientation])


@kernel
def _draw_cells(state, key):
    """Draw the cells to open among those of the investigation cards; gives them, a bit each. Rules: CLV-14."""
    seed(state, key)
    for card in range(CARD_SCENE):
        state.drawn[card] = state.places[card]
    opened, order = _U0, _U0
    for place in range(np.int64(state.rules.open_cards)):
        other = place + below(state, CARD_SCENE - place)
        cell = state.drawn[other]
        state.drawn[other] = state.drawn[place]
        opened |= BIT[cell]
        order |= np.uint64(cell) << (_U4 * np.uint64(place))
    state.case_cells = order
    return opened


# ── Turns ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@merged
def _begin_turn(state, seat):
    """Begin a seat's turn, and go on where it has no choice. Rules: CLV-25, CLV-28."""
    state.turn += 1
    state.seat = seat
    _log(state, EVENT_TURN, state.turn, seat, 0, 0, 0)
    _find_legal(state)
    if state.legal & (state.legal - _U1) == _U0:
        _go_on(state)


@kernel
def _go_on(state):
    """Carry out the only action that a seat has: a first placement with one card left for it. Rules: CLV-19."""
    while state.legal & (state.legal - _U1) == _U0:
        action = np.uint64(0)
        while (state.legal >> action) & _U1 == _U0:
            action += _U1
        _carry_out(state, np.uint64(state.seat), action)
        state.turn += 1
        state.seat = _next_seat(state, np.uint64(state.seat))
        _log(state, EVENT_TURN, state.turn, state.seat, 0, 0, 0)
        _find_legal(state)


@merged
def _next_seat(state, seat):
    """Give the nearest seat to the left that has not declared. Rules: G-1, CLV-25."""
    while True:
        seat = seat + _U1 if seat + _U1 < np.uint64(state.rules.seats) else _U0
        if state.declared_turn[seat] == 0:
            break
    return seat


@inlined
def observe(state):
    """Fill what changes in the deciding seat's VIEW and give it."""
    seat = np.uint64(state.seat)
    view = state.views[seat]
    view.turn = state.turn
    view.undeclared = state.undeclared
    view.unused = state.unused
    view.quiet = state.quiet
    view.is_forced = state.is_forced
    view.extra = state.extra
    view.legal = state.legal
    view.phase = state.phase
    view.word = word_at(state.bot_keys[seat], state.asked[seat])
    return view


@merged
def apply(state, action):
    """Carry out the deciding seat's action and run on to the next decision; false (and nothing done) if it is illegal.

    Rules: CLV-18 to CLV-41.
    """
    bit = np.uint64(action)
    if bit >= np.uint64(ACTIONS) or (state.legal >> bit) & _U1 == _U0:
        return False
    seat = np.uint64(state.seat)
    state.asked[seat] += _U1
    state.decisions += 1
    _carry_out(state, seat, bit)
    if state.undeclared == 0:
        _close_case(state)
    else:
        _begin_turn(state, _next_seat(state, seat))
    return True


@merged
def _carry_out(state, seat, action):
    """Carry out an action that is legal, before everybody's eyes."""
    place = np.uint64(state.turn - 1) & np.uint64(HISTORY - 1)
    for viewer in range(MAX_SEATS):  # A fixed number costs less than a loop, though some views may be nobody's.
        state.views[viewer].history[place] = action | (seat << _U6)
    if action >= _SHIFT_DECLARE:
        _declare(state, seat, action - _SHIFT_DECLARE)
    elif state.rules.mode != MODE_COMPETITIVE:
        _lay_pawn(state, seat, action)
    elif action >= _SHIFT_OTHER:
        # Who may act once more before declaring has done so. Rules: CLV-21, CLV-26.
        state.extra = np.uint64(state.extra) & np.uint64(state.undeclared != 1)
        state.quiet = 0
        _reveal(state, action - _SHIFT_OTHER, True)
    elif state.phase == PHASE_PLACE:
        _place_first(state, seat, action)
    else:
        state.extra = np.uint64(state.extra) & np.uint64(state.undeclared != 1)
        _move(state, seat, action)


@inlined
def _is_open(state, cell):
    return (np.uint64(state.open) >> cell) & _U1 != _U0


@merged
def _reveal(state, cell, is_closed):
    """Turn a card face up for all, if it `is_closed`. Rules: CLV-21, CLV-22, CLV-38.

    Without a branch, for whether it is cannot be guessed: a card that is open stays as it is.
    """
    face = state.board[cell]
    opened = state.turn if is_closed else state.opened[cell]
    cells = np.uint64(state.open) | BIT[cell]
    state.faces[cell] = face
    state.opened[cell] = opened
    state.open = cells
    state.reveals += is_closed
    for viewer in range(np.uint64(state.rules.seats)):
        view = state.views[viewer]
        view.faces[cell] = face
        view.opened[cell] = opened
        view.open = cells
        view.known[cell] = face
    if state.is_logged != 0 and is_closed:
        _log(state, EVENT_REVEAL, cell, face, 0, 0, 0)


@merged
def _look(state, seat, cell, is_closed):
    """Let a seat look at a card if it `is_closed`, face down; all see that it does. Rules: CLV-20, CLV-32.

    Without a branch, as above.
    """
    face = state.board[cell]
    state.views[seat].known[cell] = face
    before = state.looks[seat, cell]
    turn = state.turn if is_closed and before == 0 else before
    state.looks[seat, cell] = turn
    for viewer in range(np.uint64(state.rules.seats)):
        state.views[viewer].looks[seat, cell] = turn
    if state.is_logged != 0 and is_closed:
        _log(state, EVENT_LOOK, seat, cell, face, 0, 0)


@merged
def _put_pawn(state, seat, target):
    """Put a seat's pawn somewhere, before everybody's eyes."""
    state.pawns[seat] = target
    for viewer in range(MAX_SEATS):
        state.views[viewer].pawns[seat] = target


@merged
def _place_first(state, seat, cell):
    """Lay a seat's pawn on a card for the first time. Rules: CLV-18, CLV-20."""
    _put_pawn(state, seat, cell)
    state.quiet = 0
    _log(state, EVENT_PAWN, seat, seat, cell, 0, 0)
    _look(state, seat, cell, not _is_open(state, cell))


@merged
def _move(state, seat, cell):
    """Move a seat's pawn, lying; the card that it leaves is turned up. Rules: CLV-20, CLV-22, CLV-28."""
    left = np.uint64(state.pawns[seat])
    is_closed, is_left_closed = not _is_open(state, cell), not _is_open(state, left)
    _put_pawn(state, seat, cell)
    _log(state, EVENT_PAWN, seat, seat, cell, 0, 0)
    _look(state, seat, cell, is_closed)
    _reveal(state, left, is_left_closed)
    state.moves += 1
    state.quiet = 0 if is_closed or is_left_closed else state.quiet + 1
    state.is_forced |= state.quiet >= state.rules.stall_limit


@kernel
def _lay_pawn(state, seat, action):
    """Lay a pawn in the cooperative or the solo game: an unused one, or the seat's own. Rules: CLV-32, CLV-38."""
    cell = action & _U15
    if action >= _SHIFT_OTHER:
        for viewer in range(MAX_SEATS):
            state.views[viewer].spares[state.rules.spare_pawns - state.unused] = cell
        state.spares[state.rules.spare_pawns - state.unused] = cell
        state.unused -= 1
        _log(state, EVENT_PAWN, seat, -1, cell, 0, 0)
    else:
        _put_pawn(state, seat, cell)
        _log(state, EVENT_PAWN, seat, seat, cell, 0, 0)
    if state.rules.mode == MODE_SOLO:
        _reveal(state, cell, not _is_open(state, cell))
    else:
        _look(state, seat, cell, not _is_open(state, cell))


@merged
def _declare(state, seat, target):
    """Let a seat stand its pawn on a target. Rules: CLV-23, CLV-24."""
    left = np.uint64(state.pawns[seat])
    _put_pawn(state, seat, target)
    state.declared_turn[seat] = state.turn
    for viewer in range(MAX_SEATS):
        state.views[viewer].declared_turn[seat] = state.turn
    state.standing = np.uint64(state.standing) | (_U1 << target)
    state.undeclared -= 1
    state.quiet = 0
    _log(state, EVENT_PAWN, seat, seat, target, 1, 0)
    is_shown = state.rules.reveal_on_declare != 0 and state.rules.mode == MODE_COMPETITIVE
    if is_shown and left != target and not _is_open(state, left):
        _reveal(state, left, True)


# ── The end of a game ────────────────────────────────────────────────────────────────────────────────────────────────


@merged
def _close_case(state):
    """Verify the declarations, and end or go on to the next game. Rules: CLV-29, CLV-30, CLV-37, CLV-41."""
    if state.rules.mode == MODE_COMPETITIVE:
        _find_winner(state)
    else:
        _find_effective(state)
    if state.is_logged != 0:
        _log(state, EVENT_VERDICT, state.culprit, state.culprit_cell, state.effective, state.won, _board_word(state))
        _log(state, EVENT_VERDICT, _victories_word(state), 0, 0, 0, 0)
    if state.rules.first_to_two == 0 and state.rules.challenge == 0:
        _end(state, STATUS_FINISHED)
    else:
        _go_on_series(state)


@merged
def _find_winner(state):
    """Find who declared on the culprit, if anybody. Rules: CLV-29."""
    won = _U0
    for seat in range(np.uint64(state.rules.seats)):
        is_right = np.uint64(state.pawns[seat] == state.culprit_cell)
        won |= is_right << seat
        state.victories[seat] += is_right
    state.won = won


@kernel
def _find_effective(state):
    """Find the effective declaration, and whether all have won. Rules: CLV-35, CLV-36, CLV-37."""
    seats = np.int64(state.rules.seats)
    best, most, last = np.int64(FLED), np.int64(0), np.int64(0)
    for seat in range(seats):
        target = np.int64(state.pawns[seat])
        pawns, declared = np.int64(0), np.int64(0)
        for other in range(seats):
            if state.pawns[other] == target:
                pawns += 1
                declared = max(declared, np.int64(state.declared_turn[other]))
        if pawns > most or (pawns == most and declared > last):
            best, most, last = target, pawns, declared
    state.effective = best
    is_right = best == state.culprit_cell
    state.won = is_right * ((1 << seats) - 1)
    for seat in range(seats):
        state.victories[seat] += is_right


@kernel
def _victories_word(state):
    """Write what each seat has won as a word, 16 bits a seat."""
    word = _U0
    for seat in range(np.uint64(MAX_SEATS)):
        word |= np.uint64(state.victories[seat]) << (_U16 * seat)
    return word


@kernel
def _go_on_series(state):
    """Go on to the next game of a series or a challenge, or end it. Rules: CLV-30, CLV-41."""
    rules = state.rules
    games = np.int64(state.game) + 1
    if rules.challenge != 0:
        if games == np.int64(rules.cases) * rules.challenge_games:
            _end(state, STATUS_FINISHED)
            return
    else:
        for seat in range(rules.seats):
            if state.victories[seat] == SERIES_WINS:
                _end(state, STATUS_FINISHED)
                return
        if games == SERIES_GAMES:
            _end(state, STATUS_CAPPED)
            return
    victories = _victories_word(state)
    state.block = state.fresh.block
    state.looks = state.fresh.looks
    state.game = games
    for seat in range(np.uint64(rules.seats)):
        state.victories[seat] = victories >> (_U16 * seat)
        view = state.views[seat]
        view.kept = state.fresh.kept
    _set_up(state)


@merged
def _end(state, status):
    """End the row's last game."""
    state.is_over = 1
    state.phase = PHASE_OVER
    state.status = status
    _log(state, EVENT_GAME_END, status, 0, 0, 0, 0)


# ── Results ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@inlined
def _needed(state):
    """Give the games that must be won to win the whole: the game, the series, or all games of the challenge."""
    if state.rules.first_to_two != 0:
        return SERIES_WINS
    return state.game + 1 if state.rules.challenge != 0 else 1


@kernel
def score(state, game, deal_number, rotation, games, seats):
    """Write a finished game's rows: `games` (one row), `seats` (a row a seat), columns as declared by the game.

    Rules: CLV-29, CLV-30, CLV-37, CLV-41.
    """
    count = np.int64(state.rules.seats)
    needed = np.int64(_needed(state))
    winners = np.int64(0)
    for seat in range(count):
        winners += state.victories[seat] == needed
    for seat in range(count):
        place_of = np.int64(1)
        for other in range(count):
            place_of += state.victories[other] > state.victories[seat]
        row = seats[seat]
        row[0] = game
        row[1] = seat
        row[2] = state.who[seat]
        row[3] = state.victories[seat]
        row[4] = place_of
        row[5] = _SHARE // winners if state.victories[seat] == needed else 0
        # Together and alone all lose who do not win; a challenge only counts. Rules: CLV-37.
        may_lose = state.rules.mode != MODE_COMPETITIVE and state.rules.challenge == 0
        row[6] = may_lose and state.victories[seat] == 0
        row[7] = state.pawns[seat]
        row[8] = state.declared_turn[seat]
        row[9] = state.pawns[seat] == state.culprit_cell
    games[0] = game
    games[1] = deal_number
    games[2] = rotation
    games[3] = state.status
    games[4] = state.turn
    games[5] = state.decisions
    games[6] = state.rules.mode
    games[7] = state.culprit
    games[8] = state.scene
    games[9] = state.redeals
    games[10] = state.reveals
    games[11] = state.moves
    games[12] = state.first_seat
    games[13] = np.int64(state.game) + 1
    games[14] = state.culprit == 0


# ── Other worlds ─────────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def redeal(view, state, word):
    """Draw a full state that agrees with a deciding seat's VIEW, uniformly over the boards that it may come from.

    `state` is a fresh one of the same rules (modified). All further chance follows from `word`. See `worlds`.
    """
    seats = np.uint64(view.rules.seats)
    me = np.uint64(view.seat)
    state.deal_key = word
    state.seat = me
    state.phase = view.phase
    state.legal = view.legal
    state.block = view.block
    state.looks = view.looks
    seed(state, event_key(word, _PURPOSE_LAYOUT, 0))
    worlds.draw(view, state)
    show_faces(state)
    standing = _U0
    for seat in range(seats):
        if view.declared_turn[seat] != 0:
            standing |= _U1 << np.uint64(view.pawns[seat])
        state.bot_keys[seat] = event_key(word, PURPOSE_BOT, seat)
        other = state.views[seat]
        other.seat = seat
        other.phase = view.phase
        other.block = view.block
        other.looks = view.looks
        other.history = view.history
        for cell in range(CELLS):
            if view.faces[cell] != FACE_NONE or view.looks[seat, cell] != 0:
                other.known[cell] = state.board[cell]
    state.standing = standing
    own = state.views[me]
    own.parameters = view.parameters
    own.legal = view.legal


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
