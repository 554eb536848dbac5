"""Latches, and the permits of a semaphore."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Optional

from ._attempt import Cancellation
from ._grant import read_count
from ._verbs import Verbs
from .errors import Refused, WaitTimeout
from .options import check_seconds


@dataclass(frozen=True)
class SemaphorePermits:
    """The permits of a semaphore. ``available`` is negative if more are acquired than the limit, which was decreased."""

    limit: int
    available: int
    acquired: int


def read_permits(value: Any) -> SemaphorePermits:
    limit, available, acquired = (read_count(value, name) for name in ("limit", "available", "acquired"))
    return SemaphorePermits(limit, available, acquired)


class Latch:
    """A count-down latch: clients wait until its count is 0. It is open while it has no count.

    Its methods raise ``Refused``, ``Unavailable`` or ``UnknownOutcome``.
    """

    def __init__(self, key: str, verbs: Verbs) -> None:
        self.key = key
        self._verbs = verbs

    def __repr__(self) -> str:
        return f"<lockkeeper.Latch {self.key}>"

    def try_set_count(self, count: int) -> bool:
        """Closes the latch. Returns ``False`` if it is closed already; it is then not changed."""
        check_count("count", count)
        try:
            self._verbs.set_latch(self.key, count)
        except Refused as error:
            if error.code != "already_exists":
                raise
            return False
        return True

    def count_down(self) -> int:
        """Decreases the count by one, and returns it. At 0 the latch opens for all clients that wait."""
        return read_count(self._verbs.count_down(self.key).value, "count")

    def get_count(self) -> int:
        """Returns 0 if the latch is open."""
        return read_count(self._verbs.read_latch(self.key, 0, None).value, "count")

    def wait(self, wait_s: float = math.inf) -> None:
        """Waits until the latch is open. Raises ``WaitTimeout`` after ``wait_s``."""
        self._wait(wait_s, None)

    def _wait(self, wait_s: float, cancellation: Optional[Cancellation]) -> None:
        check_seconds("wait_s", wait_s)
        latch = self._verbs.read_latch(self.key, wait_s, cancellation).value
        count = read_count(latch, "count")
        if count > 0:
            detail = f"The latch {self.key} is still closed with a count of {count}."
            raise WaitTimeout(detail, "timeout", None, latch)


def check_count(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int")
