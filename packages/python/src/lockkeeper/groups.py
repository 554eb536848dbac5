"""Several locks that are held together."""

from __future__ import annotations

import time
import uuid
from functools import partial
from typing import Any, Dict, Iterator, Mapping, Sequence

from ._attempt import printable
from ._holding import Holding
from ._verbs import RETRY_S
from .errors import NOT_DONE_CODES, UNKNOWN_CODES, LockkeeperError, create_error
from .holds import Hold, Keeper
from .options import AcquireOptions

_SETTLED = ("released", "still_held", "not_held")
_PAUSE_S = 0.25


class HoldGroup(Holding):
    """Holds that were acquired together. The loss of one is the loss of the group."""

    def __init__(self, keeper: Keeper, holds: Sequence[Hold], options: AcquireOptions) -> None:
        super().__init__()
        #: In the order of the keys.
        self.holds: Sequence[Hold] = tuple(holds)
        self._keeper = keeper
        self._release_key = str(uuid.uuid4())
        if "on_lost" in options:
            self.on_lost(options["on_lost"])
        for hold in holds:
            hold.on_lost(self._lose)
            hold._send_release = partial(self._release_one, hold)

    def __iter__(self) -> Iterator[Hold]:
        return iter(self.holds)

    def __len__(self) -> int:
        return len(self.holds)

    def __getitem__(self, key: str) -> Hold:
        """Returns the hold of a key."""
        for hold in self.holds:
            if hold.key == key:
                return hold
        raise KeyError(key)

    def __repr__(self) -> str:
        return f"<lockkeeper.HoldGroup {', '.join(hold.key for hold in self.holds)}>"

    def remaining_s(self) -> float:
        """Returns the seconds until the earliest deadline; 0 if a hold is lost or released."""
        return min(hold.remaining_s() for hold in self.holds)

    def check(self) -> None:
        """Raises ``LockLost`` unless all locks are held."""
        for hold in self.holds:
            hold.check()

    def release(self) -> str:
        """Releases all locks. Returns ``not_held`` if one of the holds had already ended.

        Raises ``LockkeeperError`` if a release failed. The next call retries only the releases that failed.
        """
        self._assert_own()
        with self._running:
            unreleased = [hold for hold in self.holds if hold.outcome is None]
            if unreleased:
                self._release_holds(unreleased)
            is_lost = any(hold.outcome == "not_held" for hold in self.holds)
            return "not_held" if is_lost else "released"

    def list_holds(self) -> Sequence[Hold]:
        return self.holds

    def lose(self, why: str) -> None:
        for hold in self.holds:
            hold.lose(why)

    def _release_one(self, hold: Hold, retry_for_s: float) -> str:
        self._release_holds([hold], retry_for_s)
        return str(hold.outcome)

    def _release_holds(self, holds: Sequence[Hold], retry_for_s: float = RETRY_S) -> None:
        """Releases the holds, and repeats the releases that fail. Raises the first error that is left."""
        for hold in holds:
            hold.close()
        retry_until = time.monotonic() + retry_for_s
        failures = self._send_releases(holds, retry_for_s)
        if failures:
            failures = self._send_releases(list(failures), retry_for_s)
        while any(map(_is_repeatable, failures.values())) and time.monotonic() < retry_until:
            time.sleep(_PAUSE_S)
            failures = self._send_releases(list(failures), retry_for_s)
        for failure in failures.values():
            raise failure

    def _send_releases(self, holds: Sequence[Hold], retry_for_s: float) -> Dict[Hold, LockkeeperError]:
        """Applies the outcomes, and returns why the other releases failed.

        The key is the same for each request, so that a release that was carried out is not reported as a loss.
        """
        releases = [(hold.hold_id, hold._reserved_s) for hold in holds]
        results = self._keeper.verbs.release_all(releases, self._release_key, retry_for_s)
        by_id = {each.get("holdId"): each for each in results}
        failures: Dict[Hold, LockkeeperError] = {}
        for hold in holds:
            result = by_id.get(hold.hold_id, {})
            outcome = result.get("outcome")
            if outcome in _SETTLED:
                hold.finish(outcome)
            else:
                failures[hold] = _read_failure(hold, result)
        return failures

    def _command_env(self) -> Mapping[str, str]:
        return {"LOCK_FENCES": " ".join(hold.fence for hold in self.holds)}

    def _shortest_lease_s(self) -> float:
        return min(hold.lease_s for hold in self.holds)

    def _report(self, error: LockkeeperError) -> None:
        self._keeper.report(error)


def _read_failure(hold: Hold, result: Mapping[str, Any]) -> LockkeeperError:
    problem = result.get("problem")
    facts = problem if isinstance(problem, dict) else {}
    code, detail = str(facts.get("code", "unknown_outcome")), str(facts.get("detail", "no valid result"))
    return create_error(code, printable(f"{hold.key} was not released: {detail}"), None, facts)


def _is_repeatable(failure: LockkeeperError) -> bool:
    return failure.code in NOT_DONE_CODES or failure.code in UNKNOWN_CODES
