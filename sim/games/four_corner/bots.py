"""Bots of Four Corner Detective: functions from a VIEW to an action.

A bot decides when it has felt enough, and where it feels next. All but `random` and `steady` keep a posterior (Bayes)
over what each corner may be, from the likelihood of its readings, and feel the corner of which they are least sure:
sequential sampling (A. Wald, Sequential Analysis, 1947). They differ in what "enough" is. What a seat feels, and how
likely that is for each radius, is the model of `engine.py`.
"""

import numpy as np

from sim.compiled import inlined, kernel, merged
from sim.contract import Parameter, bot
from sim.games.four_corner.engine import index_at, is_elsewhere, is_repeated, weight_of, write
from sim.games.four_corner.spec import (
    CARD_NONE,
    CORNERS,
    DECK_CARDS,
    MAX_FEELS,
    MODE_SPEEDRUN,
    RADII,
    READING_UNIT,
    STANDARD_CODE,
    TUPLES,
)

# The place of each parameter in `view.parameters`.
_CONFIDENCE, _DECK_KNOWN, _HASTE = 0, 1, 2
_PACE, _GAIN, _SPILL, _MARK = 0, 1, 2, 3

_U2, _U3, _U4 = np.uint64(2), np.uint64(3), np.uint64(4)
_AHEAD, _AHEAD_SPEEDRUN = 4, 16  # feels that `weigher` thinks ahead: a card has no worth before all corners are felt

# ── What a bot makes of its view ─────────────────────────────────────────────────────────────────────────────────────


@inlined
def surest(view, corner):
    """Give the posterior chance of the likeliest radius of a corner."""
    return view.chances[corner, np.uint64(view.likeliest[corner])]


@inlined
def chance_of(view, answer):
    """Give the posterior chance of an answer if the corners had nothing to do with each other."""
    chances = view.chances
    return (
        chances[0, index_at(answer, 0)]
        * chances[1, index_at(answer, 1)]
        * chances[2, index_at(answer, 2)]
        * chances[3, index_at(answer, 3)]
    )


@merged
def chance_elsewhere(view):
    """Give the share of all that the present card cannot be: the standard card, and cards seen before."""
    share = chance_of(view, STANDARD_CODE)
    # No card is seen twice but one that came out of the box for one that was exposed.
    if view.may_repeat == 0:
        for nth in range(np.uint64(view.checked[view.seat])):
            if view.exposures == 0 or not is_repeated(view, nth):
                share += chance_of(view, view.cards[nth])
    for nth in range(np.uint64(view.exposures)):
        share += chance_of(view, view.exposed[nth])
    return share


@kernel
def best_of_all(view):
    """Find the likeliest of all tuples that the present card can be, of equal ones the first."""
    best = np.int64(0)
    most = -1.0
    likelihood = view.likelihood
    highest = max(likelihood[3, 0], likelihood[3, 1], likelihood[3, 2], likelihood[3, 3])
    for three in range(np.uint64(TUPLES // len(RADII))):
        # The same product as `weight_of`, factor by factor: the first three corners need a last one only now and then.
        weight_of_three = likelihood[0, three >> _U4] * likelihood[1, (three >> _U2) & _U3] * likelihood[2, three & _U3]
        if weight_of_three * highest > most:
            for last in range(np.uint64(len(RADII))):
                weight = weight_of_three * likelihood[3, last]
                answer = np.int64((three << _U2) | last)
                if weight > most and answer != STANDARD_CODE and not is_elsewhere(view, answer):
                    most = weight
                    best = answer
    return best


@kernel
def lowest_of(p0, p1, p2, p3):
    """Find the corner with the lowest of four chances."""
    corner = np.int64(0)
    lowest = p0
    if p1 < lowest:
        corner, lowest = np.int64(1), p1
    if p2 < lowest:
        corner, lowest = np.int64(2), p2
    if p3 < lowest:
        corner = np.int64(3)
    return corner


@merged
def best_guess(view):
    """Give the likeliest answer, its posterior chance, and the corner to feel next: the one that is least certain.

    The deck is taken for unknown: every tuple is as likely before the first feel, but for the standard card and those
    of this seat's cards that it has seen.
    """
    p0, p1, p2, p3 = surest(view, 0), surest(view, 1), surest(view, 2), surest(view, 3)
    chance = p0 * p1 * p2 * p3
    worst = lowest_of(p0, p1, p2, p3)
    answer = np.int64(0)
    for corner in range(CORNERS):
        answer = (answer << 2) + view.likeliest[corner]
    if answer == STANDARD_CODE or is_elsewhere(view, answer):
        answer = best_of_all(view)
        chance = chance_of(view, answer)
    return answer, chance / (1.0 - chance_elsewhere(view)), worst


@kernel
def best_card(view):
    """Give the same as `best_guess` for a known deck: one of its cards, and a corner where the next best differs."""
    best = np.int64(0)
    second = np.int64(0)
    most = -1.0
    next_most = -1.0
    total = 0.0
    deck = view.rules.deck
    for nth in range(np.uint64(DECK_CARDS)):
        card = np.int64(deck[nth])
        weight = weight_of(view, card)
        if weight > next_most and not is_elsewhere(view, card):
            if weight > most:
                next_most = most
                second = best
                most = weight
                best = card
            else:
                next_most = weight
                second = card
        total += weight
    if view.may_repeat == 0:
        for nth in range(np.uint64(view.checked[view.seat])):
            if view.exposures == 0 or not is_repeated(view, nth):
                total -= weight_of(view, view.cards[nth])
    for nth in range(np.uint64(view.exposures)):
        total -= weight_of(view, view.exposed[nth])
    worst = np.int64(0)
    lowest = 2.0
    for corner in range(CORNERS):
        if index_at(best, corner) != index_at(second, corner):
            share = surest(view, corner)
            if share < lowest:
                lowest = share
                worst = np.int64(corner)
    return best, most / max(total, most), worst


@merged
def _write_when(view, confidence, is_deck_known):
    """Write the likeliest answer if it is at least so likely, else feel on."""
    if view.known_card != CARD_NONE:
        return write(view.known_card)
    if is_deck_known and view.rules.is_deck_known != 0:
        answer, chance, worst = best_card(view)
    else:
        answer, chance, worst = best_guess(view)
    if chance >= confidence or view.feels >= MAX_FEELS:
        return write(answer)
    return worst


# ── What finishing is worth ──────────────────────────────────────────────────────────────────────────────────────────


@kernel
def tokens_at(view, place, spill):
    """Give the tokens to be expected in front of the finisher of a place, from 0: a group, and what is passed on.

    Every finisher before is taken to pass the share `spill` of its tokens on. Rules: FCD-13, FCD-16, FCD-18.
    """
    tokens = 0.0
    for earlier in range(place + 1):
        group = float(view.rules.groups[min(earlier, len(view.rules.groups) - 1)])
        is_barred = earlier >= view.rules.takers and view.rules.is_passed_down == 0
        tokens = 0.0 if is_barred else group + spill * tokens
    return tokens


@kernel
def points_expected(tokens, mark, p0, p1, p2, p3):
    """Give the points to be expected of so many tokens and a mark's worth, each corner being right with its chance.

    Rules: FCD-18, FCD-19, FCD-20.
    """
    q0, q1, q2, q3 = 1.0 - p0, 1.0 - p1, 1.0 - p2, 1.0 - p3
    # The number right: two corners together, then both pairs.
    a0, a1, a2 = q0 * q1, p0 * q1 + q0 * p1, p0 * p1
    b0, b1, b2 = q2 * q3, p2 * q3 + q2 * p3, p2 * p3
    one, two, three, four = a0 * b1 + a1 * b0, a0 * b2 + a1 * b1 + a2 * b0, a1 * b2 + a2 * b1, a2 * b2
    return one * min(1.0, tokens) + two * min(2.0, tokens) + three * min(3.0, tokens) + four * (tokens + mark)


@kernel
def rivals_within(view, took_ms, pace_ms):
    """Estimate how many of the others will finish within the next `took_ms`.

    Each is expected at the time at which it finished the round before, in the first round after `pace_ms`.
    """
    count = 0.0
    for seat in range(np.int64(view.rules.seats)):
        if seat != view.seat and view.finish_place[seat] == 0:
            expected = float(view.finished_ms[seat]) if view.finished_ms[seat] > 0 else pace_ms
            # A rival may come early or late: the chance of each moment is spread over what is left, and half of it.
            left = max(expected - view.now_ms, 0.0) + 0.5 * expected
            count += min(1.0, took_ms / left)
    return count


@kernel
def _weighed(view):
    """Say whether another feel is worth more than finishing now (see `weigher`)."""
    pace_ms, gain = 1000.0 * view.parameters[_PACE], view.parameters[_GAIN]
    spill, mark = view.parameters[_SPILL], view.parameters[_MARK]
    p0, p1, p2, p3 = surest(view, 0), surest(view, 1), surest(view, 2), surest(view, 3)
    is_speedrun = view.rules.mode == MODE_SPEEDRUN
    spent_ms = float(view.now_ms - view.taken_ms)
    place = np.int64(view.finished)
    last = np.int64(view.rules.seats) - 1
    now = 0.0
    for ahead in range((_AHEAD_SPEEDRUN if is_speedrun else _AHEAD) + 1):
        took_ms = ahead * float(view.touch_ms)
        if is_speedrun:
            worth = p0 * p1 * p2 * p3 / max(spent_ms + took_ms, 1.0)
        else:
            passed = min(rivals_within(view, took_ms, pace_ms), float(last - place))
            lower = place + np.int64(passed)
            share = passed - np.int64(passed)
            worth = (1.0 - share) * points_expected(tokens_at(view, lower, spill), mark, p0, p1, p2, p3)
            if share > 0.0:
                worth += share * points_expected(tokens_at(view, lower + 1, spill), mark, p0, p1, p2, p3)
        if ahead == 0:
            now = worth
        elif worth > 1.002 * now:
            return True
        corner = lowest_of(p0, p1, p2, p3)
        if corner == 0:
            p0 += gain * (1.0 - p0)
        elif corner == 1:
            p1 += gain * (1.0 - p1)
        elif corner == 2:
            p2 += gain * (1.0 - p2)
        else:
            p3 += gain * (1.0 - p3)
    return False


# ── The bots ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@bot(name="random")
def random(view):
    """Feels nothing and writes one of the 256 answers, each as likely: it takes 15 s."""
    return write(view.word >> np.uint64(56))


@bot(Parameter("feels", 2.0, 1.0, 50.0, "feels of each corner before it writes", "feels", is_whole=True))
def steady(view):
    """Feels every corner equally often, one after the other, and writes the radii nearest to the mean readings."""
    if view.known_card != CARD_NONE:
        return write(view.known_card)
    corner = np.int64(0)
    for other in range(1, CORNERS):
        if view.counts[other] < view.counts[corner]:
            corner = np.int64(other)
    if view.counts[corner] < view.parameters[0] and view.feels < MAX_FEELS:
        return corner
    answer = np.int64(0)
    for corner in range(CORNERS):
        # A corner that was never felt, 200 feels having gone to others, is taken for the smallest.
        mean = view.sums[corner] / (max(np.int64(view.counts[corner]), 1) * READING_UNIT)
        answer = (answer << 2) + np.int64(mean > 3.5) + np.int64(mean > 4.5) + np.int64(mean > 6.5)
    return write(answer)


_CONFIDENT = Parameter("confidence", 0.5, 0.0, 0.9999, "writes when its answer is right with this chance", "chance")
_KNOWS_DECK = Parameter(
    "deck_known", 0.0, 0.0, 1.0, "1: it knows the cards of the deck by heart", "yes or no", is_whole=True
)


@bot(_CONFIDENT, _KNOWS_DECK)
def bayes(view):
    """Feels the least certain corner until its likeliest answer is certain enough."""
    return _write_when(view, view.parameters[_CONFIDENCE], view.parameters[_DECK_KNOWN] >= 0.5)


@bot(
    _CONFIDENT,
    _KNOWS_DECK,
    Parameter("haste", 0.4, 0.0, 1.0, "confidence that it does without once all others have finished", "chance"),
)
def racer(view):
    """Like bayes, but asks for less certainty the more others have finished and the fewer tokens are left."""
    others = max(np.int64(view.rules.seats) - 1, 1)
    confidence = view.parameters[_CONFIDENCE] - view.parameters[_HASTE] * np.int64(view.finished) / others
    return _write_when(view, confidence, view.parameters[_DECK_KNOWN] >= 0.5)


@bot(
    Parameter("pace", 12.0, 1.0, 600.0, "when it expects others to finish in the first round", "s"),
    Parameter("gain", 0.2, 0.01, 0.99, "share of a doubt about a corner that a feel is taken to remove", "share"),
    Parameter("spill", 0.2, 0.0, 1.0, "share of their tokens that others are taken to pass on", "share"),
    Parameter("mark", 1.0, 0.0, 20.0, "what a mark is worth to it", "points"),
)
def weigher(view):
    """Weighs the points to be expected of finishing now against those after up to four more feels.

    More feels make it surer and let others go before. In the speedrun it weighs the cards kept for each second, up to
    sixteen feels ahead (the marginal value theorem: E. L. Charnov, Theoretical Population Biology 9, 1976).
    """
    if view.known_card != CARD_NONE:
        return write(view.known_card)
    answer, _, worst = best_guess(view)
    # Without a single feel an answer would take longer than a few of them.
    if view.feels == 0 or (view.feels < MAX_FEELS and _weighed(view)):
        return worst
    return write(answer)


BOTS = {each.name: each for each in (weigher, racer, bayes, steady, random)}
