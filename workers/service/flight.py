"""The parts of a run that are on their way: queued or being played, as far as the steward knows."""

SHORTEST_S, LONGEST_S = 20.0, 120.0


class Flight:
    """Which parts were queued and when, how long they take, and which are overdue. Times are of `time.monotonic`."""

    def __init__(self) -> None:
        self._queued_at: dict[int, float] = {}
        self._longest_s = 0.0
        self.overdue = 0  # how often a part was given up and became free to be queued again

    def __len__(self) -> int:
        return len(self._queued_at)

    def __contains__(self, part: int) -> bool:
        return part in self._queued_at

    @property
    def parts(self) -> list[int]:
        """The parts on their way, in the order in which they were queued."""
        return list(self._queued_at)

    @property
    def lease_s(self) -> float:
        """Three times the longest way of a part through queue and pool so far, but 20 to 120 s.

        The first is time for a pool to start and compile. The last is when the broker itself brings a message back. A
        lease that is too short costs a message that is dropped when it comes; one that is too long, idle workers at
        the end.
        """
        return min(max(SHORTEST_S, 3 * self._longest_s), LONGEST_S)

    def queue(self, part: int, now: float) -> None:
        """Note that a part was queued."""
        self._queued_at[part] = now

    def land(self, part: int, now: float) -> None:
        """Note that a part is done."""
        if part in self._queued_at:
            self._longest_s = max(self._longest_s, now - self._queued_at.pop(part))

    def drop(self, part: int) -> None:
        """Forget a part: nobody has it any more."""
        self._queued_at.pop(part, None)

    def expire(self, now: float) -> list[int]:
        """Forget the parts whose lease is over, to be queued again, and return them."""
        lease_s = self.lease_s
        over = [part for part, queued_at in self._queued_at.items() if now - queued_at > lease_s]
        for part in over:
            del self._queued_at[part]
        self.overdue += len(over)
        return over

    def ages(self, now: float) -> dict[int, float]:
        """Give for each part how many seconds ago it was queued."""
        return {part: now - queued_at for part, queued_at in self._queued_at.items()}
