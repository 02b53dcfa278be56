"""Who sits where: a seating drawn per deal, played in each of its distinct rotations."""

from sim.chance import PURPOSE_SEATING, below, deal_key, event_key, seed
from sim.compiled import entry, kernel


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


@entry
def count_games(record, line_up, master, first, deals, seating, enough):
    """Count the games of deals from `first` on until `deals` deals or `enough` games; returns (deals, games)."""
    games = 0
    for done in range(deals):
        if games >= enough:
            return done, games
        games += arrange(record[0], master, first + done, line_up, 1, seating)
    return deals, games


@entry
def list_games(
    record, line_up, is_rotated, master, first, most_rotations, seating, deals, rotations, seatings, numbers
):
    """List the games of consecutive deals from `first` on until the lists are full: see an engine's `play_list`."""
    deal_number = first
    row = 0
    while row < len(deals):
        count = arrange(record[0], master, deal_number, line_up, is_rotated, seating)
        for rotation in range(count):
            deals[row] = deal_number
            rotations[row] = rotation
            seatings[row] = seating
            numbers[row] = deal_number * most_rotations + rotation
            row += 1
        deal_number += 1


@entry
def draw_seatings(record, master, deals, line_ups, seatings):
    """Draw the seating of each of some deals, rotation 0, each of a line-up of its own: entrants that all differ."""
    for row in range(len(deals)):
        arrange(record[0], master, deals[row], line_ups[row], 1, seatings[row])
