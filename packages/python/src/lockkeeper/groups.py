"""Several locks that are held together."""

from __future__ import annotations

import uuid
from typing import Iterator, List, Mapping, Optional, Sequence

from ._holding import Holding
from .errors import LockkeeperError
from .holds import Hold, Keeper
from .options import AcquireOptions

_SETTLED = ("released", "still_held", "not_held")


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

    def _release_holds(self, holds: Sequence[Hold]) -> None:
        for hold in holds:
            hold.close()
        results = self._keeper.verbs.release_all([hold.hold_id for hold in holds], self._release_key)
        outcomes = {each.get("holdId"): each.get("outcome") for each in results}
        failed: List[Hold] = []
        for hold in holds:
            outcome = outcomes.get(hold.hold_id)
            if outcome in _SETTLED:
                hold.finish(outcome)
            else:
                failed.append(hold)
        self._release_one_by_one(failed)

    def _release_one_by_one(self, holds: Sequence[Hold]) -> None:
        """Retries failed releases. A separate request for each reports why it fails. Raises the last error."""
        failure: Optional[LockkeeperError] = None
        for hold in holds:
            try:
                hold.send_release(None)
            except LockkeeperError as error:
                failure = error
        if failure is not None:
            raise failure

    def _command_env(self) -> Mapping[str, str]:
        return {"LOCK_FENCES": " ".join(hold.fence for hold in self.holds)}

    def _shortest_lease_s(self) -> float:
        return min(hold.lease_s for hold in self.holds)

    def _report(self, error: LockkeeperError) -> None:
        self._keeper.report(error)

