"""The exceptions of this package. Each has a stable ``code`` and the ``facts`` of the problem document."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional

#: Codes of requests that were not carried out and may succeed later.
NOT_DONE_CODES = frozenset(
    {
        "request_timeout",
        "rate_limited",
        "quota_exceeded",
        "queue_full",
        "too_many_waiting",
        "unavailable",
    }
)
#: Codes of requests that may have been carried out.
UNKNOWN_CODES = frozenset({"internal", "unknown_outcome"})


class LockkeeperError(Exception):
    """The base of all exceptions of this package.

    ``code`` is from the table of problem codes in the documentation. ``status`` is the HTTP status, or
    ``None`` if no server responded. ``facts`` are the members of the problem document.
    """

    def __init__(
        self,
        detail: str,
        code: str,
        status: Optional[int] = None,
        facts: Optional[Mapping[str, Any]] = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code
        self.status = status
        self.facts: Mapping[str, Any] = dict(facts or {})


class LockHeld(LockkeeperError):
    """Another client holds the lock. ``facts["holders"]`` names it. Nothing was changed."""

    @property
    def permits(self) -> Optional[Mapping[str, Any]]:
        """The permits of a semaphore: ``available`` and ``total``. ``None`` for other kinds of lock."""
        permits = self.facts.get("permits")
        return permits if isinstance(permits, dict) else None


class WaitTimeout(LockHeld):
    """The lock was still held, or the latch still closed, after ``wait_s``."""


class LockLost(LockkeeperError):
    """The hold expired or was force-released. Another client may hold the lock: stop the work.

    ``facts`` has the ``key``, ``fence`` and ``owner`` of the hold.
    """

    def __init__(self, detail: str, facts: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(detail, "lost", None, facts)


class Refused(LockkeeperError):
    """The server refused the request for the reason in ``code``. Nothing was changed."""


class Deadlock(Refused):
    """The wait was part of a deadlock, and its ``on_deadlock`` was ``refuse``. Release your locks and start again."""

    @property
    def cycle(self) -> List[Mapping[str, Any]]:
        """Each step has an ``owner`` and the ``key`` that it waits for, which the next one holds."""
        cycle = self.facts.get("cycle")
        return [each for each in cycle if isinstance(each, dict)] if isinstance(cycle, list) else []


class Unavailable(LockkeeperError):
    """No server could be reached, or none grants locks at present. Nothing was changed."""


class UnknownOutcome(LockkeeperError):
    """The request was sent, but no server responded in time. It may have been carried out."""


def create_error(code: str, detail: str, status: Optional[int], facts: Mapping[str, Any]) -> LockkeeperError:
    """Returns the exception of a problem code."""
    if code == "lost":
        return LockLost(detail, facts)
    classes = {"held": LockHeld, "timeout": WaitTimeout, "deadlock": Deadlock, "unavailable": Unavailable}
    kind = UnknownOutcome if code in UNKNOWN_CODES else classes.get(code, Refused)
    return kind(detail, code, status, facts)
