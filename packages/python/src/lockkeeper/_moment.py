from __future__ import annotations

import time


class Moment:
    """A point in time on both clocks.

    The monotonic clock stops while a machine is suspended, and the wall clock may be set back.
    """

    __slots__ = ("monotonic_s", "wall_s")

    def __init__(self) -> None:
        self.monotonic_s = time.monotonic()
        self.wall_s = time.time()

    def elapsed_s(self) -> float:
        """Returns the seconds since this moment, by the clock that advanced more."""
        return max(time.monotonic() - self.monotonic_s, time.time() - self.wall_s)
