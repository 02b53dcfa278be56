"""Where the animals may be that a seat has not seen: all ways to fill the tubes, counted exactly.

An animal that nobody but its owner has seen has not moved since the deal: every move is seen by all. So it lies with a
seat that has never asked for it and has never been asked for it in vain (`lacks` of a VIEW), and each seat has
`unknown` such animals. All ways to spread them are as likely. They are counted animal by animal; what is left to fill
is a number whose digits are the tubes left of each seat (mixed radix), so at most 4**7 numbers of ways are kept.
"""

import numpy as np

from sim.chance import next_word
from sim.compiled import kernel
from sim.games.vier_zu_mir.spec import ANIMALS, HOLDER_NONE, MAX_SEATS

_TO_SHARE = 2.0**-53
_U1, _U11 = np.uint64(1), np.uint64(11)


@kernel
def is_hidden(view, animal):
    """Say whether this seat has never seen where an animal is."""
    return view.holder[animal] == HOLDER_NONE and (view.tubes >> np.uint32(animal)) & 1 == 0


@kernel
def list_hidden(view, hidden):
    """List the animals that this seat has never seen into `hidden` (modified); returns how many they are."""
    count = 0
    for animal in range(ANIMALS):
        if is_hidden(view, animal):
            hidden[count] = animal
            count += 1
    return count


@kernel
def room_of(view, seat):
    """Count the tubes of a seat whose animals this seat has never seen."""
    return np.int64(0) if seat == view.seat else np.int64(view.unknown[seat])


@kernel
def fill_strides(view, strides):
    """Give each seat's digit its weight in a number of what is left to fill; returns how many numbers there are.

    Modifies `strides`.
    """
    size = 1
    for seat in range(view.rules.seats):
        strides[seat] = size
        size *= room_of(view, seat) + 1
    return size


@kernel
def count_ways(view, hidden, count, strides, ways):
    """Count the ways to lay the last so many of `hidden` into each number of tubes that is left (modifies `ways`).

    `hidden` holds `count` animals, `strides` the weights of digits; `ways` is a float64 for each number, and exact: no
    count reaches 2**53.
    """
    left = np.zeros(MAX_SEATS, np.int64)
    total = 0
    ways[0] = 1.0
    for number in range(1, len(ways)):
        total += _add_one(view, left)
        ways[number] = _ways_of(view, hidden[count - total], left, number, strides, ways)


@kernel
def _add_one(view, left):
    """Count the digits up by one (modifies `left`); returns by how much their sum has grown."""
    grown = 0
    for seat in range(view.rules.seats):
        if left[seat] < room_of(view, seat):
            left[seat] += 1
            return grown + 1
        grown -= left[seat]
        left[seat] = 0
    return grown


@kernel
def _ways_of(view, animal, left, number, strides, ways):
    """Sum over the seats that may have an animal the ways to fill what is left then."""
    found = 0.0
    for seat in range(view.rules.seats):
        if left[seat] > 0 and (view.lacks[animal] >> seat) & 1 == 0:
            found += ways[number - strides[seat]]
    return found


@kernel
def draw_tubes(view, state, hidden, count, strides, ways):
    """Fill the tubes with what this seat knows and, drawn from all ways, with what it does not.

    Modifies the tubes and the generator of `state`.
    """
    for seat in range(view.rules.seats):
        state.tubes[seat] = 0
    state.tubes[view.seat] = view.tubes
    for animal in range(ANIMALS):
        if view.holder[animal] != HOLDER_NONE:
            state.tubes[view.holder[animal]] |= np.uint32(1) << np.uint32(animal)
    number = len(ways) - 1
    for index in range(count):
        share = np.float64(next_word(state) >> _U11) * _TO_SHARE * ways[number]
        seat = _seat_at(view, hidden[index], share, number, strides, ways)
        state.tubes[seat] |= np.uint32(1) << np.uint32(hidden[index])
        number -= strides[seat]


@kernel
def _seat_at(view, animal, share, number, strides, ways):
    """Find the seat that gets an animal: the one in whose part of all ways `share` falls."""
    found = np.int64(-1)
    for seat in range(view.rules.seats):
        digit = (number // strides[seat]) % (room_of(view, seat) + 1)
        if digit > 0 and (view.lacks[animal] >> seat) & 1 == 0:
            more = ways[number - strides[seat]]
            if more > 0.0:
                found = np.int64(seat)
                if share < more:
                    break
                share -= more
    return found
