"""Renews the holds of a client in batches, and marks those whose deadline has passed as lost."""

from __future__ import annotations

import threading
from typing import Any, Callable, Dict, List, Mapping, Sequence

from ._attempt import printable
from ._grant import Grant, read_release_request, read_seconds
from ._moment import Moment
from ._verbs import HOLDS_PER_REQUEST_MAX, Verbs, find_attempt_limit_s
from .errors import LockkeeperError, LockLost, Refused, create_error
from .holds import Hold

#: The wall clock is read at least this often, because a suspended machine stops the other clock.
_WAKE_S_MAX = 1.0
#: How long a thread keeps running without holds.
_LINGER_S = 2.0
#: How early a hold may be renewed together with others, as a fraction of its lease.
_EARLY_SHARE = 1 / 6


class Renewer:
    """Two threads: one sends renewals; the other checks deadlines, even while a server hangs.

    They start with the first hold, and end when there are no more holds.
    """

    def __init__(self, verbs: Verbs, report: Callable[[LockkeeperError], None]) -> None:
        self.verbs = verbs
        self.report = report
        self.reset()

    def reset(self) -> None:
        """Forgets all holds. A forked process must not renew those of its parent."""
        self._changed = threading.Condition()
        self._holds: Dict[Hold, None] = {}
        self._threads: Dict[str, threading.Thread] = {}
        self._changes = 0

    def add(self, hold: Hold) -> None:
        with self._changed:
            self._holds[hold] = None
            self._start("lockkeeper-deadlines", self._check_deadlines)
            self._start("lockkeeper-renewals", self._renew_due)
        self.wake()

    def remove(self, hold: Hold) -> None:
        with self._changed:
            self._holds.pop(hold, None)

    def wake(self) -> None:
        with self._changed:
            self._changes += 1
            self._changed.notify_all()

    def _start(self, name: str, step: Callable[[Sequence[Hold]], float]) -> None:
        if name in self._threads:
            return
        thread = threading.Thread(target=self._repeat, args=(name, step), name=name, daemon=True)
        thread.start()
        self._threads[name] = thread

    def _repeat(self, name: str, step: Callable[[Sequence[Hold]], float]) -> None:
        try:
            while True:
                with self._changed:
                    if not self._changed.wait_for(lambda: bool(self._holds), _LINGER_S):
                        # Under the same lock as the check, so that a hold that is added now starts a new thread.
                        del self._threads[name]
                        return
                    holds, changes = list(self._holds), self._changes
                delay_s = step(holds)
                with self._changed:
                    if self._changes == changes:
                        self._changed.wait(min(max(delay_s, 0.001), _WAKE_S_MAX))
        finally:
            # After a defect, the next hold starts a new thread.
            with self._changed:
                if self._threads.get(name) is threading.current_thread():
                    del self._threads[name]

    def _check_deadlines(self, holds: Sequence[Hold]) -> float:
        # A hold without time left marks itself as lost.
        return min(hold.remaining_s() for hold in holds)

    def _renew_due(self, holds: Sequence[Hold]) -> float:
        renewed = [hold for hold in holds if hold.is_renewed and not hold.is_uncertain]
        if any(hold.find_renewal_delay_s() <= 0 for hold in renewed):
            due = [each for each in renewed if each.find_renewal_delay_s() <= each.lease_s * _EARLY_SHARE]
            for start in range(0, len(due), HOLDS_PER_REQUEST_MAX):
                self._renew([each for each in due[start : start + HOLDS_PER_REQUEST_MAX]])
        return min((hold.find_renewal_delay_s() for hold in renewed), default=_WAKE_S_MAX)

    def _renew(self, holds: List[Hold]) -> None:
        limit_s = min(find_attempt_limit_s(each.lease_s, each.remaining_s()) for each in holds)
        leases = [(each.hold_id, each.lease_s) for each in holds]
        try:
            answer = self.verbs.renew_all(leases, limit_s)
        except LockkeeperError as error:
            if error.status in (404, 405):
                self._renew_one_by_one(holds, limit_s)
                return
            for hold in holds:
                hold.retry_later() if isinstance(error, Refused) else hold.retry_soon()
            self.report(error)
            return
        except Exception as error:  # A defect must not end the thread: other holds depend on it.
            for hold in holds:
                hold.retry_soon()
            self.report(LockkeeperError(f"A renewal failed: {type(error).__name__}", "internal"))
            return
        results = answer.value.get("results")
        by_id = {each.get("holdId"): each for each in results} if isinstance(results, list) else {}
        for hold, (hold_id, _) in zip(holds, leases):
            # A downgrade that was sent in the meantime decides whether the hold is lost, and renews it if it succeeds.
            if hold.hold_id == hold_id and not hold.is_uncertain:
                self._apply(hold, by_id.get(hold_id, {}), answer.sent_at)

    def _renew_one_by_one(self, holds: Sequence[Hold], limit_s: float) -> None:
        """Sends one request per hold, to servers older than 0.3."""
        for hold in holds:
            try:
                hold.apply(self.verbs.renew_once(hold.hold_id, hold.lease_s, limit_s))
            except LockLost as error:
                hold.apply_loss(error.detail)
            except LockkeeperError as error:
                hold.retry_later() if isinstance(error, Refused) else hold.retry_soon()
                self.report(error)

    def _apply(self, hold: Hold, result: Mapping[str, Any], sent_at: Moment) -> None:
        problem = result.get("problem")
        detail, code = "no valid result", "unknown_outcome"
        if isinstance(problem, dict):
            detail, code = printable(str(problem.get("detail", ""))), str(problem.get("code", code))
        try:
            if result.get("outcome") == "renewed":
                hold.apply(_read_renewal(hold, result, sent_at))
                return
            if result.get("outcome") == "lost" and code == "lost":
                hold.apply_loss(detail)
                return
        except LockkeeperError as error:
            detail = error.detail
        # A renewal that was refused, for example because the API key has expired, may be accepted later.
        hold.retry_later() if result.get("outcome") == "lost" else hold.retry_soon()
        self.report(create_error(code, f"{hold.key} was not renewed: {detail}", None, {}))


def _read_renewal(hold: Hold, result: Mapping[str, Any], sent_at: Moment) -> Grant:
    return Grant(
        hold_id=hold.hold_id,
        key=hold.key,
        fence=hold.fence,
        owner=hold.owner,
        format=hold.format,
        lease_s=read_seconds(result, "leaseMs"),
        left_s=read_seconds(result, "remainingMs"),
        sent_at=sent_at,
        release_requested=read_release_request(result),
    )

