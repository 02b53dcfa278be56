"""Who sits where: a seating drawn per deal, played in each of its distinct rotations."""

from sim.chance import PURPOSE_SEATING, below, deal_key, event_key, seed
from sim.compiled import kernel


@kernel
def arrange(state, master, deal, line_up, is_rotated, seating):
    """Draw the seating of a deal and count the rotations that it is played in.

    `line_up` holds the entrant of each place of the table as listed, `seating` (modified) the entrant of each seat in
    rotation 0. In rotation r seat s is taken by `seating[(s + r) % seats]`. Rotations that put the same entrants into
    the same seats are one. Without rotation the entrants sit as listed, in one game a deal. Modifies the generator.
    """
    seats = len(line_up)
    for seat in range(seats):
        seating[seat] = line_up[seat]
    if is_rotated == 0:
        return 1
    seed(state, event_key(deal_key(master, deal), PURPOSE_SEATING, 0))
    for last in range(seats - 1, 0, -1):
        other = below(state, last + 1)
        seating[last], seating[other] = seating[other], seating[last]
    return period(seating, seats)


@kernel
def period(seating, seats):
    """Give the smallest number of steps after which a seating looks the same; it divides the number of seats."""
    for step in range(1, seats):
        if seats % step == 0:
            is_same = True
            for seat in range(seats):
                if seating[seat] != seating[(seat + step) % seats]:
                    is_same = False
                    break
            if is_same:
                return step
    return seats
