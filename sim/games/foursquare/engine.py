"""The rules of Foursquare as a state machine, compiled.

The path of a game: `begin` sets a STATE up for one deal and one table, `deal` shuffles, lays the first card and draws
the second; then, until `is_over`, `observe` gives the seat its VIEW, the bot answers, and `apply` checks the answer,
places the card and draws the next. What a card does to the piles stands in `board`, for bots to use as well.

The engine reads nothing back from a view, so a bot that writes into its view harms nobody but itself.
"""

import numpy as np

from sim.chance import PURPOSE_BOT, PURPOSE_GAME, deal_key, event_key, seed, shuffle, word_at
from sim.compiled import entry, inlined, kernel
from sim.games.foursquare.board import (
    Board,
    board_of,
    column_of,
    compared,
    count,
    count_open,
    entered,
    flips,
    is_lost,
    is_won,
    laid,
    nth_open,
    number_in,
    row_of,
)
from sim.games.foursquare.spec import (
    CARDS,
    COPIES,
    EVENT_CARD,
    EVENT_DRAW,
    EVENT_FLIP,
    EVENT_GAME_END,
    EVENT_PLACE,
    EVENT_SHUFFLE,
    LOG_ROWS,
    LOSS_FACEDOWN,
    LOSS_NONE,
    LOSS_STOCK,
    PHASE_OVER,
    PHASE_PLACE,
    RANKS,
    STATUS_FINISHED,
)

_PURPOSE_SHUFFLE = PURPOSE_GAME

_U0, _U1 = np.uint64(0), np.uint64(1)
_WHOLE_DECK = np.uint64(sum(COPIES << 4 * rank for rank in range(1, RANKS + 1)))

_SHARE = 2520  # 1/k of a shared win is a whole number of these for every k up to 10


# ── Legality, from a view alone ──────────────────────────────────────────────────────────────────────────────────────


@inlined
def count_legal(view):
    """Count the legal actions, from the VIEW alone. Rules: FSQ-4, FSQ-5."""
    return count_open(board_of(view), view.rules)


@inlined
def nth_legal(view, nth):
    """Give the `nth` legal action, 0 <= nth < count_legal(view). Rules: FSQ-4, FSQ-5."""
    return nth_open(board_of(view), view.rules, nth)


@kernel
def legal(view, actions):
    """List the legal actions into `actions` (modified); returns how many there are."""
    there = count_legal(view)
    for nth in range(there):
        actions[nth] = nth_legal(view, nth)
    return there


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
def _log_shuffle(state):
    """Log the ranks as shuffled, the first is drawn first."""
    _log(state, EVENT_SHUFFLE, CARDS, 0, 0, 0, 0)
    for index in range(CARDS):
        _log(state, EVENT_CARD, state.cards[index], 0, 0, 0, 0)


@kernel
def _log_flip(state, line, cells):
    """Log a step that turned cards over: their cells, one bit a cell, and where the first card lies."""
    if cells != _U0:
        bits = np.int64(0)
        for cell in range(16):
            bits |= number_in(cells, cell) << cell
        _log(state, EVENT_FLIP, line, bits, state.first_row, state.first_column, 0)


# ── A game ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def begin(state, master, deal_number, rotation, seating, parameters):
    """Set a STATE up for one game; its rules are written already.

    `seating` holds the entrant of the seat, `parameters[entrant]` what its bot reads.
    """
    key = deal_key(master, deal_number)
    state.deal_key = key
    state.bot_key = event_key(key, PURPOSE_BOT, rotation)
    state.asked = 0
    state.decisions = 0
    entrant = seating[0]
    state.who[0] = entrant
    state.seat = 0
    state.is_over = 0
    state.is_won = 0
    state.loss_reason = LOSS_NONE
    view = state.views[0]
    # Whatever a bot may have left in its view ends with its game.
    view.words = state.fresh.words
    for index in range(len(view.parameters)):
        view.parameters[index] = parameters[entrant, index]


@kernel
def deal(state):
    """Start the game that `begin` set up: shuffle, lay the first card, draw the second. Rules: FSQ-1, FSQ-3, FSQ-13."""
    for index in range(CARDS):
        state.cards[index] = 1 + index // COPIES
    seed(state, event_key(state.deal_key, _PURPOSE_SHUFFLE, 0))
    shuffle(state, state.cards, CARDS)
    state.occupied = _U0
    state.down = _U0
    state.tops = _U0
    state.heights = _U0
    state.remaining = _WHOLE_DECK
    state.turn = 0
    state.stock = CARDS
    state.first_row = 0
    state.first_column = 0
    state.phase = PHASE_PLACE
    if state.is_logged != 0:
        _log_shuffle(state)
    _draw(state)
    _place(state, board_of(state), np.int64(0))  # the one action of the first card


@inlined
def _draw(state):
    """Draw the top card of the stock, seen by the seat. Rules: FSQ-2."""
    rank = np.int64(state.cards[state.turn])
    state.rank = rank
    state.remaining -= _U1 << np.uint64(4 * rank)
    state.turn += 1
    state.stock -= 1
    _log(state, EVENT_DRAW, state.turn, rank, 0, 0, 0)


@inlined
def _write_board(state, board):
    """Put the board into the STATE (modifies the block)."""
    state.occupied = board.occupied
    state.down = board.down
    state.tops = board.tops
    state.heights = board.heights


@inlined
def _place(state, board, cell):
    """Place the card drawn on a cell of the frame, by its number; end the game or draw the next card.

    `board` lies so that the cell is in the frame. Rules: FSQ-2, FSQ-7 to FSQ-16.
    """
    rules = state.rules
    rank = np.int64(state.rank)
    row, column = cell >> 2, cell & 3
    at_least, at_most = compared(board.tops, rank)
    row_flips, column_flips = flips(board, rules, row, column, at_least, at_most)
    board = laid(board, rank, row, column)
    board = Board(board.occupied, board.down ^ row_flips ^ column_flips, board.tops, board.heights)
    _write_board(state, board)
    if state.is_logged != 0:
        height = number_in(board.heights, cell)
        _log(state, EVENT_PLACE, rank, row - state.first_row, column - state.first_column, height, 0)
        _log_flip(state, 0, row_flips)
        _log_flip(state, 1, column_flips)
    # Checked once, after both steps. FSQ-6: there is always a place. There are always two, so that every card but the
    # first is asked for: 39 cards fill at most 13 piles of three, and no single place parts the piles from all others.
    if is_lost(board, rules):
        _end(state, LOSS_FACEDOWN)
    elif is_won(board) and (state.stock > 0 or rules.last_card_wins != 0):
        state.is_won = 1
        _end(state, LOSS_NONE)
    elif state.stock == 0:
        _end(state, LOSS_STOCK)
    else:
        _draw(state)


@inlined
def _end(state, reason):
    """End the game."""
    state.loss_reason = reason
    state.is_over = 1
    state.phase = PHASE_OVER
    state.rank = 0
    _log(state, EVENT_GAME_END, state.is_won, reason, 0, 0, 0)


# ── Decisions ────────────────────────────────────────────────────────────────────────────────────────────────────────


@inlined
def observe(state):
    """Give the seat its VIEW, with all that is known as it is now."""
    view = state.views[0]
    view.word = word_at(state.bot_key, state.asked)
    view.block = state.block
    return view


@inlined
def apply(state, action):
    """Carry out the seat's action and run on to the next decision; false (and nothing done) if it is illegal.

    Rules: FSQ-4, FSQ-5.
    """
    board, cell = entered(board_of(state), state.rules, action)
    if cell < 0:
        return False
    # A card above or to the left of the piles is laid into row or column 0, and all the others have moved by one.
    state.first_row += row_of(action) < 0
    state.first_column += column_of(action) < 0
    state.asked += 1
    state.decisions += 1
    _place(state, board, cell)
    return True


# ── Results ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def score(state, game, deal_number, rotation, games, seats):
    """Write a finished game's rows: `games` (one row), `seats` (one row), columns as declared by the game.

    Rules: FSQ-17.
    """
    row = seats[0]
    row[0] = game
    row[1] = 0
    row[2] = state.who[0]
    row[3] = state.stock if state.is_won != 0 else 0
    row[4] = 1
    row[5] = _SHARE if state.is_won != 0 else 0
    row[6] = state.is_won == 0
    games[0] = game
    games[1] = deal_number
    games[2] = rotation
    games[3] = STATUS_FINISHED
    games[4] = state.turn
    games[5] = state.decisions
    games[6] = state.turn
    games[7] = state.is_won
    games[8] = state.loss_reason
    games[9] = count(state.down)


# ── Other worlds ─────────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def redeal(view, state, word):
    """Draw a full state that agrees with a VIEW, uniformly over the order of the stock (modifies `state`).

    `state` is a fresh one of the same rules; all further chance follows from `word`. Cards that were drawn are ranks
    on the board or beneath it, and come into play no more: their places in `cards` are 0.
    """
    state.deal_key = word
    state.bot_key = event_key(word, PURPOSE_BOT, 0)
    state.block = view.block
    own = state.views[0]
    own.words = state.fresh.words
    own.parameters = view.parameters
    first = np.int64(view.turn)
    index = first
    for rank in range(1, RANKS + 1):
        for _ in range(number_in(view.remaining, rank)):
            state.cards[index] = rank
            index += 1
    seed(state, event_key(word, _PURPOSE_SHUFFLE, 0))
    shuffle(state, state.cards[first:], index - first)


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
    """Fill the seat's VIEW and list its legal actions into `actions`; returns how many there are."""
    return legal(observe(record[0]), actions)


@entry
def act(record, action):
    """Carry out the seat's action; false (and nothing done) if it is illegal."""
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
    for row in range(len(deals)):
        progress[0] = numbers[row]
        begin(state, master, deals[row], rotations[row], seatings[row], parameters)
        deal(state)
        while state.is_over == 0:
            action = bots[deciders[state.who[0]]](observe(state))
            if not apply(state, action):
                progress[1] = 1
                progress[2] = 0
                progress[3] = action
                return row
        score(state, numbers[row], deals[row], rotations[row], games[row], seats[row : row + 1])
    return len(deals)
