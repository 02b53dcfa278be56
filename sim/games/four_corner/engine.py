"""The rules of Four Corner Detective as a state machine on a clock, compiled.

The path of a game: `begin` sets a STATE up for one deal and one table, `deal` starts it, `advance` runs on to the first
decision; then, until `is_over`, `observe` gives the deciding seat its VIEW, the bot answers, `apply` checks the answer
and carries it out, and `advance` runs on to the next decision.

Each seat has a clock, `due`: when it acts next. The seat whose clock is the earliest acts: it decides, or, if an answer
of it is on its way, has written it. A feel moves its clock on by the time that it takes; the reading stands in its view
from then on, since a view is given to nobody before that seat decides again. The engine reads nothing back from a view,
so a bot that writes into its view harms nobody but itself.

The touch is a model, not a rule. The standard deviation of a reading grows with the radius (Weber's law: E. H. Weber,
De pulsu, resorptione, auditu et tactu, 1834; G. T. Fechner, Elemente der Psychophysik, 1860), so 3 and 4, and 4 and 5,
are hard to tell apart, and 8 is not. Feeling again and again until enough is known is sequential sampling (A. Wald,
Sequential Analysis, 1947).
"""

from decimal import Decimal, localcontext
from math import sqrt

import numpy as np

from sim.chance import (
    PURPOSE_BOT,
    PURPOSE_GAME,
    PURPOSE_PERCEPTION,
    deal_key,
    event_key,
    pick,
    word_at,
)
from sim.compiled import entry, inlined, kernel
from sim.games.four_corner.spec import (
    ACT_WRITE,
    ACTIONS,
    ACUITY_UNIT,
    BLIND_MS,
    BLOCK_WORDS,
    CARD_NONE,
    CODE_WORDS,
    CORNERS,
    DECK_CARDS,
    DUE_END,
    DUE_NEVER,
    EVENT_CALL,
    EVENT_CARD,
    EVENT_CHECK,
    EVENT_DEAL,
    EVENT_FEEL,
    EVENT_FINISH,
    EVENT_GAME_END,
    EVENT_PEEK,
    EVENT_ROUND,
    EVENT_ROUND_END,
    EVENT_TAKE_UP,
    LOG_ROWS,
    LOOKING,
    LOOKING_ROUNDS,
    MAX_FEELS,
    MODE_SPEEDRUN,
    MODE_STANDARD,
    PHASE_ACT,
    PHASE_OVER,
    POOL_WORDS,
    RADII,
    READING_UNIT,
    STATUS_FINISHED,
    TOUCH_MS,
    TUPLES,
    VIEW,
    WEBER,
)

_PURPOSE_CARDS = PURPOSE_GAME
_PURPOSE_TIES = PURPOSE_GAME + 1
_PURPOSE_SLIPS = PURPOSE_GAME + 2
_PURPOSE_REPLACEMENTS = PURPOSE_GAME + 3

_SHARE = 2520  # 1/k of a shared win is a whole number of these for every k up to 10
_TIE_BITS = 32  # of `due`, below the clock
_U0, _U1, _U2, _U3, _U4, _U6, _U8, _U11, _U48 = (np.uint64(number) for number in (0, 1, 2, 3, 4, 6, 8, 11, 48))
_CORNERS, _FEELS = np.uint64(CORNERS), np.uint64(MAX_FEELS + 1)
_BLOCK_END, _PARAMETERS_END = np.uint64(BLOCK_WORDS), np.uint64(VIEW["parameters"].shape[0])
_LOW32 = np.uint64(0xFFFFFFFF)
_EVEN_BYTES, _LANES = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0001000100010001)

# ── The touch ────────────────────────────────────────────────────────────────────────────────────────────────────────
# A deviation is the sum of the eight bytes of a hashed word: nearly normal (Irwin-Hall), and exact.
_BYTES = 8
_SUMS = 255 * _BYTES + 1
SUM_MEAN = 255 * _BYTES / 2
SUM_SD = sqrt(_BYTES * (256**2 - 1) / 12)
TIME_SPREAD = "0.3"  # of the logarithm of the time of a feel


def _ways() -> list[int]:
    """Count for each sum of eight bytes the words that have it; 256**8 in all."""
    ways = [1]
    for _ in range(_BYTES):
        longer = [0] * (len(ways) + 255)
        for total, count in enumerate(ways):
            for byte in range(256):
                longer[total + byte] += count
        ways = longer
    return ways


def _times() -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Tabulate 2**32 * exp(0.3 z) for each sum, z being its standardised deviation, by decimal arithmetic."""
    with localcontext() as context:
        context.prec = 40
        sd = (Decimal(_BYTES * (256**2 - 1)) / 12).sqrt()
        step = (Decimal(TIME_SPREAD) / sd).exp()
        lowest = (Decimal(TIME_SPREAD) * -Decimal(SUM_MEAN) / sd).exp()
        return np.array([int(2**32 * lowest * step**total) for total in range(_SUMS)], np.int64)


WAYS = _ways()
TIMES = _times()
# The density of z, but for a factor that keeps the product of 200 of them within a float64's range.
DENSITY = np.array([2 * SUM_SD * (count / 256**_BYTES) for count in WAYS])
RADIUS = np.array(RADII, np.int64)
_MIDDLE = np.array([float(READING_UNIT * radius) for radius in RADII])  # a reading without a deviation
_PER_RADIUS = np.array([1.0 / radius for radius in RADII])
# What one step of a sum adds to a reading, for each mm of radius, at an acuity of 1; first without looking, then with.
_STEPS = np.array([READING_UNIT * WEBER * ACUITY_UNIT / SUM_SD, LOOKING * READING_UNIT * WEBER * ACUITY_UNIT / SUM_SD])
_STEPS_INVERSE = 1.0 / _STEPS


@kernel
def _byte_sum(word):
    """Sum the eight bytes of a word, 0 .. 2040."""
    pairs = (word & _EVEN_BYTES) + ((word >> _U8) & _EVEN_BYTES)
    return np.int64((pairs * _LANES) >> _U48)


@kernel
def _reading(radius, total, step):
    """Give what a corner of so many mm feels like, in 1/64 mm: the radius and a deviation in proportion to it.

    `total` is a sum of eight bytes, `step` what one step of it adds for each mm.
    """
    # Shifted to be positive, so that cutting off rounds; no deviation comes near 2**16.
    noise = np.int64(radius * (total - SUM_MEAN) * step + (65536.0 + 0.5)) - 65536
    return READING_UNIT * radius + noise


@kernel
def _likelihood(reading, index, steps_per_unit):
    """Give the likelihood of a reading if the corner has the radius of that index, up to a common factor.

    That of the whole reading is taken at its middle: rounding a reading to 1/64 mm is next to nothing.
    """
    total = (reading - _MIDDLE[index]) * _PER_RADIUS[index] * steps_per_unit + (SUM_MEAN + 0.5)
    return DENSITY[np.uint64(np.int64(min(max(total, 0.0), _SUMS - 1.0)))] * _PER_RADIUS[index]


# ── Cards, legality from a view ──────────────────────────────────────────────────────────────────────────────────────


# How many corners agree, by the bits in which two tuples differ.
_CORRECT = np.array([sum((bits >> shift) & 3 == 0 for shift in (0, 2, 4, 6)) for bits in range(TUPLES)], np.uint8)


@inlined
def count_correct(card, answer):
    """Count the corners at which an answer gives the card's radius. Rules: FCD-17."""
    return np.int64(_CORRECT[np.uint8(card) ^ np.uint8(answer)])


@inlined
def index_at(card, corner):
    """Give the radius of one corner of a card or an answer, as an index into RADII. Rules: FCD-4."""
    return (np.uint64(card) >> (_U6 - _U2 * np.uint64(corner))) & _U3


@kernel
def write(answer):
    """Code the action that writes an answer."""
    return ACT_WRITE + np.int64(answer)


@kernel
def count_legal(view):
    """Count the legal actions of the deciding seat, from its VIEW alone. Rules: FCD-9, FCD-12."""
    return np.int64(ACTIONS if view.feels < MAX_FEELS else TUPLES)


@kernel
def nth_legal(view, nth):
    """Give the `nth` legal action, 0 <= nth < count_legal(view): the corners first, then the answers."""
    return nth + (ACTIONS - count_legal(view))


@kernel
def legal(view, actions):
    """List the legal actions of the deciding seat into `actions` (modified); returns how many there are."""
    count = count_legal(view)
    for nth in range(count):
        actions[nth] = nth_legal(view, nth)
    return count


# ── The log ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@inlined
def _log(state, event, a, b, c, d, e, f, g):
    """Log what happened if the game is watched."""
    if state.is_logged != 0:
        _write_row(
            state,
            np.int64(event),
            np.int64(a),
            np.int64(b),
            np.int64(c),
            np.int64(d),
            np.int64(e),
            np.int64(f),
            np.int64(g),
        )


@kernel
def _write_row(state, event, a, b, c, d, e, f, g):
    """Write one row into the log (modifies log, logged); what does not fit is only counted."""
    if state.logged < LOG_ROWS:
        row = state.log[state.logged]
        row[0] = event
        row[1] = a
        row[2] = b
        row[3] = c
        row[4] = d
        row[5] = e
        row[6] = f
        row[7] = g
    state.logged += 1


# ── A game and its rounds ────────────────────────────────────────────────────────────────────────────────────────────


# A seat is unsigned here and below: an index that could be negative would be looked at twice.


@inlined
def _copy_by_fours(to, source, count):
    """Copy `count` words, four at a time: read before they are written, so that the compiler may move two at once."""
    for at in range(_U0, count, _U4):
        a, b, c, d = source[at], source[at + _U1], source[at + _U2], source[at + _U3]
        to[at] = a
        to[at + _U1] = b
        to[at + _U2] = c
        to[at + _U3] = d


@inlined
def begin(state, master, deal_number, rotation, seating, parameters, skills):
    """Set a STATE up for one game of one table; its rules are written already.

    `seating` holds the entrants of rotation 0 seat by seat, `parameters[entrant]` what a bot reads,
    `skills[entrant]` what the engine applies: touch_ms, acuity in thousandths, inexperienced. Rules: FCD-10.
    """
    seats = np.uint64(state.rules.seats)
    key = deal_key(master, deal_number)
    state.deal_key = key
    state.is_over = 0
    state.phase = PHASE_ACT
    state.decisions = 0
    state.turns = 0
    state.first_place_ms = 0
    state.block = state.fresh.block
    taken = np.uint64(rotation)
    for seat in range(seats):
        entrant = np.uint64(seating[taken])
        taken = taken + _U1 if taken + _U1 < seats else _U0
        state.who[seat] = entrant
        state.bot_keys[seat] = event_key(key, PURPOSE_BOT, np.uint64(rotation) * seats + seat)
        state.asked[seat] = 0
        state.exposures[seat] = 0
        # Whatever a bot may have left in its view ends with its game.
        view = state.views[seat]
        view.words = state.fresh.words
        view.seat = seat
        view.touch_ms = skills[entrant, 0]
        view.acuity = skills[entrant, 1]
        view.is_inexperienced = skills[entrant, 2]
        is_allowed = (state.rules.inexperienced | view.is_inexperienced) != 0
        view.is_looking = is_allowed and state.rules.mode == MODE_STANDARD
        _copy_by_fours(view.parameters, parameters[entrant], _PARAMETERS_END)
        state.touch_ms[seat] = view.touch_ms
        state.acuity[seat] = view.acuity
        state.is_looking[seat] = view.is_looking


@inlined
def deal(state):
    """Start the game that `begin` set up: deal the cards and begin the first round. Rules: FCD-6, FCD-31."""
    for word in range(CODE_WORDS):
        state.card_words[word] = state.pool_words[word]
    if state.pool_cards > DECK_CARDS:
        for word in range(CODE_WORDS, POOL_WORDS):
            state.card_words[word] = state.pool_words[word]
    _draw_cards(state, np.uint64(DECK_CARDS if state.is_logged != 0 else state.drawn))
    dealt = np.int64(state.rules.hand_cards) * np.int64(state.rules.seats)
    state.box = DECK_CARDS - dealt
    if state.peek_below != _U0:
        for index in range(DECK_CARDS - dealt):
            state.box_cards[index] = state.cards[dealt + index]
    if state.is_logged != 0:
        _log_deal(state)
    _begin_round(state)


@kernel
def _draw_cards(state, count):
    """Shuffle the first `count` cards to the front (Fisher and Yates); what stays behind them is not in order."""
    key = event_key(state.deal_key, _PURPOSE_CARDS, 0)
    cards = np.uint64(state.pool_cards)
    for index in range(count):
        other = index + np.uint64(pick(word_at(key, index), cards - index))
        card = state.cards[index]
        state.cards[index] = state.cards[other]
        state.cards[other] = card


@kernel
def _log_deal(state):
    """Log the shuffled cards: those of each seat in order of play, then the box."""
    seats, size = np.int64(state.rules.seats), np.int64(state.rules.hand_cards)
    _log(state, EVENT_DEAL, size, 0, 0, 0, 0, 0, 0)
    for seat in range(seats):
        for nth in range(size):
            _log(state, EVENT_CARD, state.cards[nth * seats + seat], 0, 0, 0, 0, 0, 0)
    for index in range(size * seats, DECK_CARDS):
        _log(state, EVENT_CARD, state.cards[index], 0, 0, 0, 0, 0, 0)


@inlined
def _begin_round(state):
    """Lay out the tokens; every seat takes up its next card at the same moment. Rules: FCD-8, FCD-9, FCD-23, FCD-32."""
    seats = np.uint64(state.rules.seats)
    at = np.uint64(state.round_number) * seats
    if state.rules.mode == MODE_STANDARD:
        state.round_number += 1
        state.finished = 0
        state.group = state.rules.groups[0]
        _log(state, EVENT_ROUND, state.round_number, 0, 0, 0, 0, 0, 0)
        if state.round_number == LOOKING_ROUNDS + 1:
            _end_looking(state)
    round_number = np.uint64(state.round_number)
    for seat in range(seats):
        tie = event_key(state.deal_key, _PURPOSE_TIES, (round_number << _U8) + seat)
        state.ties[seat] = np.int64(tie & _LOW32)
        state.finish_place[seat] = 0
        _take_up(state, seat, at + seat, np.int64(0))


@inlined
def _end_looking(state):
    """Let nobody look at the backs any more. Rules: FCD-10."""
    for seat in range(np.uint64(state.rules.seats)):
        state.is_looking[seat] = 0
        state.views[seat].is_looking = 0


@inlined
def _take_up(state, seat, at, at_ms):
    """Let a seat take up its next card, which is `cards[at]`. Rules: FCD-8, FCD-9, FCD-11, FCD-32."""
    state.turns += 1
    state.answer[seat] = CARD_NONE
    state.due[seat] = (at_ms << _TIE_BITS) | state.ties[seat]
    state.card[seat] = state.cards[at]
    view = state.views[seat]
    if state.feels[seat] != 0:
        state.feels[seat] = 0
        state.counts[seat] = 0
        state.likelihood[seat] = 1.0
        view.felt = state.fresh.felt
    view.taken_ms = at_ms
    _log(state, EVENT_TAKE_UP, seat, state.card[seat], at_ms, 0, 0, 0, 0)
    if state.peek_below != _U0:
        _slip(state, seat)


@kernel
def _slip(state, seat):
    """See whether the card's front is seen, and replace it if there is a card in the box. Rules: FCD-11."""
    view = state.views[seat]
    view.known_card = CARD_NONE
    view.may_repeat = 0
    nth = (np.uint64(seat) << _U8) + np.uint64(state.checked[seat])
    if event_key(state.deal_key, _PURPOSE_SLIPS, nth) >> _U11 >= state.peek_below:
        return
    exposed = np.int64(state.card[seat])
    if state.box == 0:
        view.known_card = exposed
    else:
        chosen = pick(event_key(state.deal_key, _PURPOSE_REPLACEMENTS, nth), np.int64(state.box))
        state.box -= 1
        state.card[seat] = state.box_cards[chosen]
        state.box_cards[chosen] = state.box_cards[state.box]
        view.exposed[state.exposures[seat]] = exposed
        state.exposures[seat] += 1
        view.exposures = state.exposures[seat]
        view.may_repeat = state.rules.mode == MODE_STANDARD
    _log(state, EVENT_PEEK, seat, exposed, state.card[seat], 0, 0, 0, 0)


# ── Between decisions ────────────────────────────────────────────────────────────────────────────────────────────────


@inlined
def advance(state):
    """Run on to the next decision, or to the end of the game. Rules: FCD-9, FCD-13, FCD-14, FCD-34."""
    while True:
        seat = _U0
        due = state.due[0]
        other = _U1
        while state.due[other] != DUE_END:
            if state.due[other] < due:
                due = state.due[other]
                seat = other
            other += _U1
        if due == DUE_NEVER:
            _end_game(state)
            break
        if state.answer[seat] == CARD_NONE:
            state.seat = seat
            break
        if state.rules.mode != MODE_STANDARD:
            _call(state, seat, due >> _TIE_BITS)
        else:
            _finish(state, seat, due >> _TIE_BITS)
            if state.finished == state.rules.seats:
                _check_all(state)
                if state.round_number != state.rules.rounds:
                    _begin_round(state)


@inlined
def _finish(state, seat, at_ms):
    """Let a seat have written its answer: it takes the largest group left. Rules: FCD-13, FCD-14, FCD-41, FCD-42."""
    groups = state.rules.groups
    place = np.uint64(state.finished)
    state.due[seat] = DUE_NEVER
    state.order[place] = seat
    state.finished_ms[seat] = at_ms
    state.finished = place + _U1
    state.finish_place[seat] = place + _U1
    state.group = groups[place + _U1] if place + _U1 < state.rules.takers else np.uint8(0)
    if place == _U0:
        state.first_place_ms += at_ms
    _log(state, EVENT_FINISH, seat, state.answer[seat], at_ms, place + _U1, groups[place], 0, 0)


@inlined
def _check_all(state):
    """Check all answers in order of finishing, pass tokens on, count points and marks.

    Rules: FCD-14 to FCD-24.
    """
    rules = state.rules
    seats = np.uint64(rules.seats)
    nth = np.uint64(state.round_number) - _U1
    rows = state.round_rows[nth]
    served = seats if rules.is_passed_down != 0 else np.uint64(rules.takers)
    passed = np.int64(0)
    for place in range(seats):
        seat = np.uint64(state.order[place])
        card, answer = state.card[seat], state.answer[seat]
        correct = count_correct(card, answer)
        tokens = passed + np.int64(rules.groups[place]) if place < served else np.int64(0)
        points = tokens if correct == CORNERS else min(correct, tokens)
        passed = tokens - points
        is_marked = correct == CORNERS and (tokens > 0 or rules.mark_without_tokens != 0)
        state.totals[seat] += points
        state.marks[seat] += is_marked
        row = rows[seat]
        row[0] = place + _U1
        row[1] = state.finished_ms[seat]
        row[2] = correct
        row[3] = tokens
        row[4] = points
        _keep_checked(state, seat, nth, card, answer)
        if state.peek_below != _U0:
            state.box_cards[np.uint64(state.box) + place] = card
        _log(state, EVENT_CHECK, seat, card, answer, correct, tokens, points, is_marked)
    state.box += seats
    if state.is_logged != 0:
        _log_round_end(state)


@inlined
def _keep_checked(state, seat, nth, card, answer):
    """Let a seat see its `nth` card. Rules: FCD-15, FCD-32."""
    state.checked[seat] = nth + _U1
    view = state.views[seat]
    view.cards[nth] = card
    view.answers[nth] = answer


@kernel
def _log_round_end(state):
    """Log the points of a round, and totals and marks so far."""
    round_number = np.int64(state.round_number)
    _log(state, EVENT_ROUND_END, round_number, 0, 0, 0, 0, 0, 0)
    for seat in range(np.int64(state.rules.seats)):
        points = state.round_rows[round_number - 1, seat, 4]
        _log(state, EVENT_CARD, points, state.totals[seat], state.marks[seat], 0, 0, 0, 0)


@kernel
def _call(state, seat, at_ms):
    """Let a seat call its answer in the speedrun, and take up its next card. Rules: FCD-32, FCD-33, FCD-34, FCD-36."""
    card = state.card[seat]
    correct = count_correct(card, state.answer[seat])
    is_counted = at_ms <= np.int64(state.rules.limit_ms)
    is_kept = is_counted and correct == CORNERS
    state.totals[seat] += is_kept
    state.finished_ms[seat] = at_ms
    nth = np.uint64(state.checked[seat])
    _keep_checked(state, seat, nth, card, state.answer[seat])
    _log(state, EVENT_CALL, seat, card, state.answer[seat], at_ms, correct, is_counted, is_kept)
    if is_counted and state.checked[seat] < state.rules.hand_cards:
        _take_up(state, seat, (nth + _U1) * np.uint64(state.rules.seats) + seat, at_ms)
    else:
        state.due[seat] = DUE_NEVER


@inlined
def _end_game(state):
    """Give the bonus and end the game. Rules: FCD-25, FCD-26, FCD-35."""
    seats = np.int64(state.rules.seats)
    most = np.int64(0)
    for seat in range(seats):
        most = max(most, np.int64(state.marks[seat]))
    is_given = state.rules.mode == MODE_STANDARD and (most > 0 or state.rules.bonus_needs_mark == 0)
    bonus = np.int64(state.rules.bonus) if is_given else np.int64(0)
    for seat in range(seats):
        state.scores[seat] = np.int64(state.totals[seat]) + (bonus if state.marks[seat] == most else np.int64(0))
    state.is_over = 1
    state.phase = PHASE_OVER
    _log(state, EVENT_GAME_END, 0, 0, 0, 0, 0, 0, 0)


# ── Decisions ────────────────────────────────────────────────────────────────────────────────────────────────────────


@inlined
def observe(state):
    """Give the deciding seat its VIEW, with all public facts as they are now."""
    seat = np.uint64(state.seat)
    view = state.views[seat]
    view.word = word_at(state.bot_keys[seat], state.asked[seat])
    _copy_by_fours(view.block, state.block, _BLOCK_END)
    view.now_ms = state.due[seat] >> _TIE_BITS
    return view


@inlined
def apply(state, action):
    """Carry out the deciding seat's action; false (and nothing done) if it is illegal.

    Rules: FCD-9, FCD-12, FCD-13, FCD-34.
    """
    seat = np.uint64(state.seat)
    if action < 0 or action >= ACTIONS or (action < ACT_WRITE and state.feels[seat] >= MAX_FEELS):
        return False
    state.asked[seat] += _U1
    state.decisions += 1
    if action < ACT_WRITE:
        _feel(state, seat, np.uint64(action))
    else:
        state.answer[seat] = action - ACT_WRITE
        if state.feels[seat] == 0:
            state.due[seat] += np.int64(BLIND_MS) << _TIE_BITS
    return True


@inlined
def _feel(state, seat, corner):
    """Let a seat feel a corner of its card: it takes time and gives a reading. Rules: FCD-9, FCD-10, FCD-34."""
    if state.feels[seat] == 0:
        _lay_hands_on(state, seat)
    nth = np.uint64(state.counts[seat, corner])
    key = state.touch_keys[seat]
    index = ((np.uint64(state.checked[seat]) * _CORNERS + corner) * _FEELS + nth) * _U2
    took_ms = (np.int64(state.touch_ms[seat]) * TIMES[_byte_sum(word_at(key, index + _U1))] + (1 << 31)) >> 32
    due = state.due[seat] + (max(took_ms, np.int64(1)) << _TIE_BITS)
    state.due[seat] = due
    state.feels[seat] += 1
    if state.rules.mode == MODE_SPEEDRUN and due >> _TIE_BITS > np.int64(state.rules.limit_ms):
        state.due[seat] = DUE_NEVER
        return
    radius = RADIUS[index_at(state.card[seat], corner)]
    reading = _reading(radius, _byte_sum(word_at(key, index)), state.steps[seat])
    state.counts[seat, corner] = nth + _U1
    view = state.views[seat]
    view.feels = state.feels[seat]
    view.counts[corner] = nth + _U1
    view.sums[corner] += reading
    _weigh_radii(state, view, seat, corner, float(reading))
    _log(state, EVENT_FEEL, seat, corner, reading, due >> _TIE_BITS, 0, 0, 0)


@inlined
def _lay_hands_on(state, seat):
    """Work out what is the same for every feel of a card (modifies touch_keys, steps, steps_inverse)."""
    state.touch_keys[seat] = event_key(state.deal_key, PURPOSE_PERCEPTION, seat)
    is_looking = np.uint64(state.is_looking[seat])
    acuity = float(state.acuity[seat])
    state.steps[seat] = _STEPS[is_looking] / acuity
    state.steps_inverse[seat] = _STEPS_INVERSE[is_looking] * acuity


@inlined
def _weigh_radii(state, view, seat, corner, reading):
    """Bring the likelihood of each radius of a corner up to date, and what follows from it, by a new reading."""
    inverse = state.steps_inverse[seat]
    row = state.likelihood[seat, corner]
    a, b = row[0] * _likelihood(reading, 0, inverse), row[1] * _likelihood(reading, 1, inverse)
    c, d = row[2] * _likelihood(reading, 2, inverse), row[3] * _likelihood(reading, 3, inverse)
    row[0], row[1], row[2], row[3] = a, b, c, d
    shown, chances = view.likelihood[corner], view.chances[corner]
    shown[0], shown[1], shown[2], shown[3] = a, b, c, d
    total = a + b + c + d
    chances[0], chances[1], chances[2], chances[3] = a / total, b / total, c / total, d / total
    likeliest, most = _U0, a
    if b > most:
        likeliest, most = _U1, b
    if c > most:
        likeliest, most = _U2, c
    if d > most:
        likeliest = _U3
    view.likeliest[corner] = likeliest


# ── Results ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@inlined
def score(state, game, deal_number, rotation, games, seats, rounds):
    """Write a finished game's rows: `games` (one row), `seats` (a row a seat), `rounds` (a row a round and seat).

    Rules: FCD-25, FCD-27, FCD-28, FCD-35, FCD-42.
    """
    rules = state.rules
    count = np.int64(rules.seats)
    is_standard = rules.mode == MODE_STANDARD
    best = np.int64(0)
    for seat in range(count):
        best = max(best, state.scores[seat])
    winners = np.int64(0)
    for seat in range(count):
        winners += state.scores[seat] == best
    for seat in range(count):
        place_of = np.int64(1)
        for other in range(count):
            place_of += state.scores[other] > state.scores[seat]
        total = np.int64(state.totals[seat])
        seats[seat, 0] = game
        seats[seat, 1] = seat
        seats[seat, 2] = state.who[seat]
        seats[seat, 3] = state.scores[seat]
        seats[seat, 4] = place_of
        seats[seat, 5] = _SHARE // winners if place_of == 1 else 0
        seats[seat, 6] = 0
        seats[seat, 7] = total if is_standard else 0
        seats[seat, 8] = state.scores[seat] - total
        seats[seat, 9] = state.marks[seat]
        seats[seat, 10] = 0 if is_standard else total
    games[0] = game
    games[1] = deal_number
    games[2] = rotation
    games[3] = STATUS_FINISHED
    games[4] = state.turns
    games[5] = state.decisions
    games[6] = state.round_number
    games[7] = state.first_place_ms
    if is_standard:
        for number in range(np.int64(rules.rounds)):
            for seat in range(count):
                row = number * count + seat
                rounds[row, 0] = game
                rounds[row, 1] = number + 1
                rounds[row, 2] = seat
                # All are read before one is written, so that the compiler may move two at once.
                kept = state.round_rows[number, seat]
                place, ms, correct, tokens, points = kept[0], kept[1], kept[2], kept[3], kept[4]
                rounds[row, 3] = place
                rounds[row, 4] = ms
                rounds[row, 5] = correct
                rounds[row, 6] = tokens
                rounds[row, 7] = points


# ── Other worlds ─────────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def redeal(view, state, word):
    """Draw a full state that agrees with a deciding seat's VIEW (modifies `state`, a fresh one of the same rules).

    The seat's own card is drawn in proportion to the likelihood of its readings among the cards that it does not know
    to be elsewhere, all others uniformly. How far others are is hidden: who has not finished starts afresh, with
    nothing felt, at the present time, and remembers no earlier card; who has finished is taken to have written the
    right answer; all others are taken to have the default skills. All further chance follows from `word`.
    Rules: FCD-3, FCD-11, FCD-23.
    """
    rules = view.rules
    me = np.int64(view.seat)
    state.deal_key = word
    state.block = view.block
    state.seat = me
    state.phase = PHASE_ACT
    _redeal_cards(view, state, word)
    for seat in range(np.int64(rules.seats)):
        state.bot_keys[seat] = event_key(word, PURPOSE_BOT, seat)
        state.ties[seat] = np.int64(event_key(word, _PURPOSE_TIES, seat) & _LOW32)
        state.touch_ms[seat] = TOUCH_MS
        state.acuity[seat] = ACUITY_UNIT
        is_early = rules.mode == MODE_STANDARD and state.round_number <= LOOKING_ROUNDS
        state.is_looking[seat] = rules.inexperienced != 0 and is_early
        state.due[seat] = (np.int64(view.now_ms) << _TIE_BITS) | state.ties[seat]
        place = np.int64(view.finish_place[seat])
        if place > 0:
            state.order[place - 1] = seat
            state.answer[seat] = state.card[seat]
        if place > 0 or not _is_holding(view, seat):
            state.due[seat] = DUE_NEVER
        if seat != me:
            other = state.views[seat]
            other.seat = seat
            other.touch_ms = TOUCH_MS
            other.acuity = ACUITY_UNIT
            other.taken_ms = view.now_ms
            other.is_looking = state.is_looking[seat]
    state.views[me].words = view.words
    state.touch_ms[me] = view.touch_ms
    state.acuity[me] = view.acuity
    state.is_looking[me] = view.is_looking
    _lay_hands_on(state, me)
    state.feels[me] = view.feels
    state.exposures[me] = view.exposures
    state.counts[me] = view.counts
    state.likelihood[me] = view.likelihood


@kernel
def _is_holding(view, seat):
    """Say whether a seat has taken up a card that is not checked yet."""
    return view.rules.mode == MODE_STANDARD or view.checked[seat] < view.rules.hand_cards


@kernel
def _is_among(cards, count, card):
    """Say whether a card is one of the first `count` cards."""
    is_found = False
    for index in range(np.int64(count)):
        is_found |= cards[index] == card
    return is_found


@kernel
def is_repeated(view, nth):
    """Say whether the `nth` checked card is one that the seat had before, out of the box again. Rules: FCD-11."""
    return _is_among(view.cards[:], nth, view.cards[nth])


@kernel
def is_elsewhere(view, card):
    """Say whether a seat knows that a card is not the one that it has taken up. Rules: FCD-3, FCD-11, FCD-23."""
    is_checked = view.may_repeat == 0 and _is_among(view.cards[:], view.checked[view.seat], card)
    return is_checked or _is_among(view.exposed[:], view.exposures, card)


@kernel
def _is_past(view, card):
    """Say whether a card is one that the seat has seen checked or left play."""
    is_checked = _is_among(view.cards[:], view.checked[view.seat], card)
    return is_checked or _is_among(view.exposed[:], view.exposures, card)


@inlined
def weight_of(view, card):
    """Give the likelihood of all readings of the present card, if it were that one."""
    likelihood = view.likelihood
    return (
        likelihood[0, index_at(card, 0)]
        * likelihood[1, index_at(card, 1)]
        * likelihood[2, index_at(card, 2)]
        * likelihood[3, index_at(card, 3)]
    )


@kernel
def _redeal_cards(view, state, word):
    """Lay the cards of all seats and the box: the seat's own as it knows them, all others drawn."""
    seats, size = np.int64(view.rules.seats), np.int64(view.rules.hand_cards)
    me = np.int64(view.seat)
    own = _drawn_own(view, state, word_at(word, 1))
    spare = np.int64(0)
    for index in range(state.pool_cards):
        card = state.pool[index]
        if card != own and not _is_past(view, card):
            state.spare[spare] = card
            spare += 1
    for index in range(spare - 1):
        other = index + pick(word_at(word, 2 + index), spare - index)
        card = state.spare[index]
        state.spare[index] = state.spare[other]
        state.spare[other] = card
    # Cards still in a stack were never seen, nor were cards that nobody could have replaced.
    taken = np.int64(0)
    for seat in range(seats):
        for nth in range(np.int64(view.checked[seat]) + 1, size):
            state.cards[nth * seats + seat] = state.spare[taken]
            taken += 1
        if seat != me and state.peek_below == _U0:
            state.card[seat] = state.spare[taken]
            taken += _is_holding(view, seat)
    state.card[me] = own
    _redeal_box(view, state, word, taken)


@kernel
def _redeal_box(view, state, word, taken):
    """Lay the box, and before it, where cards may come out of it, those of the others; what is left is out of play."""
    checked = np.int64(view.checked[view.seat])
    pile = np.int64(0)
    if view.rules.mode == MODE_STANDARD:
        for nth in range(checked):
            if view.cards[nth] != state.card[view.seat] and not is_repeated(view, nth):
                state.pile[pile] = view.cards[nth]
                pile += 1
    # Of a deck that is drawn for each deal not all tuples are cards: as many as lie nowhere else.
    unseen = DECK_CARDS - 1 - np.int64(view.exposures) - taken - (checked if view.rules.mode == MODE_SPEEDRUN else pile)
    for index in range(unseen):
        state.pile[pile] = state.spare[taken + index]
        pile += 1
    for index in range(pile - 1):
        other = index + pick(word_at(word, 512 + index), pile - index)
        card = state.pile[index]
        state.pile[index] = state.pile[other]
        state.pile[other] = card
    used = np.int64(0)
    if state.peek_below != _U0:
        for seat in range(np.int64(view.rules.seats)):
            if seat != view.seat and _is_holding(view, seat):
                state.card[seat] = state.pile[used]
                used += 1
    for index in range(np.int64(view.box)):
        state.box_cards[index] = state.pile[used + index]


@kernel
def _drawn_own(view, state, word):
    """Draw which card the seat has taken up."""
    if view.known_card != CARD_NONE:
        return np.int64(view.known_card)
    total = 0.0
    for index in range(state.pool_cards):
        if not is_elsewhere(view, state.pool[index]):
            total += weight_of(view, state.pool[index])
    at = np.int64(word >> _U11) * (1.0 / (1 << 53)) * total
    reached = 0.0
    own = np.int64(CARD_NONE)
    for index in range(state.pool_cards):
        card = np.int64(state.pool[index])
        if not is_elsewhere(view, card):
            reached += weight_of(view, card)
            own = card
            if at < reached:
                break
    return own


# ── What Python calls ────────────────────────────────────────────────────────────────────────────────────────────────


@entry
def start(record, table, deal_number, rotation, seating):
    """Set one game up and run on to its first decision; `seating` holds the entrants of rotation 0 seat by seat."""
    state = record[0]
    master, parameters, skills, _ = table
    begin(state, master, deal_number, rotation, seating, parameters, skills)
    deal(state)
    advance(state)


@entry
def look(record, actions):
    """Fill the deciding seat's VIEW and list its legal actions into `actions`; returns how many there are."""
    return legal(observe(record[0]), actions)


@entry
def act(record, action):
    """Carry out the deciding seat's action and run on to the next; false (and nothing done) if it is illegal."""
    state = record[0]
    is_legal = apply(state, action)
    if is_legal:
        advance(state)
    return is_legal


@entry
def finish(record, game, deal_number, rotation, games, seats, rounds):
    """Write a finished game's rows into `games[0]`, `seats` and `rounds`."""
    score(record[0], game, deal_number, rotation, games[0], seats, rounds)


@entry
def redealt(views, seat, record, word):
    """Draw a state that agrees with `views[seat]` into a fresh `record`."""
    redeal(views[seat], record[0], word)


@entry
def play_list(record, bots, table, deals, rotations, seatings, numbers, games, seats, rounds, progress):
    """Play a list of games; returns how many were played.

    Game i is deal `deals[i]`, turned by `rotations[i]`, with the entrants `seatings[i]` in the seats of rotation 0; its
    number is `numbers[i]`. `record` is the STATE (one element, rules written), `bots` a tuple of deciders, `table` what
    the entrants bring (sim.table), `games`, `seats` and `rounds` the rows to fill. `progress` (int64)
    holds the number of the game in play, and after an illegal action 1, the seat and the action: play ends there.
    """
    state = record[0]
    master, parameters, skills, deciders = table
    count = np.int64(state.rules.seats)
    per_game = count * np.int64(state.rules.rounds) if state.rules.mode == MODE_STANDARD else np.int64(0)
    for row in range(len(deals)):
        progress[0] = numbers[row]
        begin(state, master, deals[row], rotations[row], seatings[row], parameters, skills)
        deal(state)
        while True:
            advance(state)
            if state.is_over != 0:
                break
            action = bots[deciders[state.who[state.seat]]](observe(state))
            if not apply(state, action):
                progress[1] = 1
                progress[2] = state.seat
                progress[3] = action
                return row
        score(
            state,
            numbers[row],
            deals[row],
            rotations[row],
            games[row],
            seats[row * count : (row + 1) * count],
            rounds[row * per_game : (row + 1) * per_game],
        )
    return len(deals)
