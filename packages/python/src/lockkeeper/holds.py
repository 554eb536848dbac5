"""A hold: one period in which this process holds a lock."""

from __future__ import annotations

import threading
import uuid
from contextlib import suppress
from typing import Any, Callable, Mapping, Optional, Protocol, Sequence

from ._grant import Grant
from ._holding import Holding, call_application
from ._moment import Moment
from ._verbs import RETRY_S, Verbs
from .errors import LockkeeperError, LockLost, UnknownOutcome
from .options import RENEW_SHARE, AcquireOptions, check_reserved, check_seconds
from .release_requests import ReleaseRequest

#: The maximum delay before a failed renewal is retried; a tenth of the lease if that is shorter.
_RETRY_S_MAX = 0.25


class Keeper(Protocol):
    """The part of the client that a hold uses."""

    verbs: Verbs

    def remove(self, hold: Hold) -> None: ...

    def wake(self) -> None: ...

    def report(self, error: LockkeeperError) -> None: ...


class Hold(Holding):
    """A lock that this process holds. The client renews it until it is released or lost.

    ``fence`` is the fencing token: a decimal string that increases with every new hold of the key. Send it
    with each write, and have the resource reject a token lower than the highest that it has accepted.
    """

    def __init__(self, keeper: Keeper, grant: Grant, options: AcquireOptions) -> None:
        super().__init__()
        self.key = grant.key
        self.hold_id = grant.hold_id
        self.fence = grant.fence
        self.owner = grant.owner
        self.format = grant.format
        #: ``read`` after a downgrade.
        self.kind = options.get("kind", "lock")
        self.lease_s = grant.lease_s
        self.is_renewed = options.get("renewal", "automatic") == "automatic"
        #: Whether the result of a downgrade is pending or unknown. It is then not known which kind to renew.
        self.is_uncertain = False
        #: The outcome of the release; ``None`` until a release succeeds. Only the client uses it.
        self.outcome: Optional[str] = None
        self._keeper = keeper
        self._closed = False
        #: Sends the release, retries it for up to the given number of seconds, and applies and returns its outcome. A
        #: group replaces this function, so that the hold and the group send the same request.
        self._send_release: Callable[[float], str] = self._release_alone
        self._release_key = str(uuid.uuid4())
        self._reserved_s: Optional[float] = None
        self._request_id: Optional[str] = None
        self._on_release_requested = options.get("on_release_requested")
        self._set_deadline(grant)
        if "on_lost" in options:
            self.on_lost(options["on_lost"])

    def __repr__(self) -> str:
        state = "lost" if self._loss else "released" if self._closed else "held"
        return f"<lockkeeper.Hold {self.key} fence={self.fence} {state}>"

    def remaining_s(self) -> float:
        if self._is_inherited():
            return 0.0
        with self._state:
            if self._closed or self._loss is not None:
                return 0.0
            left_s = self._left_s - self._sent_at.elapsed_s()
        if left_s <= 0:
            self._end(self._create_loss("its lease ended before it was renewed"))
        return max(0.0, left_s)

    def check(self) -> None:
        self._assert_own()
        if self.remaining_s() > 0:
            return
        raise self._loss or self._create_loss("it was released")

    def renew(self, lease_s: Optional[float] = None) -> None:
        """Renews now, for at least ``lease_s``, and retries until the deadline. Raises ``LockLost``."""
        self.check()
        wanted_s = self.lease_s if lease_s is None else check_seconds("lease_s", lease_s)
        try:
            self.apply(self._keeper.verbs.renew(self.hold_id, wanted_s, self.remaining_s()))
        except LockLost as error:
            self.apply_loss(error.detail)
        self.check()

    def verify(self) -> None:
        """Asks the server whether the hold exists. Raises ``LockLost`` if it does not."""
        self.check()
        if not self._keeper.verbs.read_status(self.hold_id, self.remaining_s()):
            self.apply_loss(self._create_loss("it was released elsewhere, or its lease ended in Redis").detail)
        self.check()

    def downgrade(self) -> None:
        """Turns this hold of a writer into that of a reader. No other writer can acquire the lock in between.

        The hold keeps its fencing token and its lease; ``kind`` and ``hold_id`` change. Waiting readers are
        woken. Raises ``Refused`` for other kinds, ``LockLost``, or ``UnknownOutcome``: call it again, because
        the hold is not renewed until then.
        """
        self.check()
        self._downgrade()
        self.check()

    def release(self, reserved_s: Optional[float] = None) -> str:
        """Releases the lock. With ``reserved_s``, no client can acquire it for that time.

        Waits until no command of ``run`` is running. Returns ``released``, ``still_held`` or ``not_held``, which
        means that the hold had already ended. Raises ``LockkeeperError`` if the release failed. The hold then
        ends with its lease, unless you call the method again, which retries with the first ``reserved_s``.
        Raises ``ValueError`` if ``reserved_s`` is not from 0.01 to 86400; the lock is then still held.
        """
        self._assert_own()
        # A value that the server refuses would also fail the release of a group.
        if reserved_s is not None:
            check_reserved(reserved_s)
        with self._running:
            if self.outcome is not None:
                return self.outcome
            # A lost hold may still be in Redis until its lease ends there.
            retry_for_s = 0 if self.loss is not None else RETRY_S
            self.close(reserved_s)
            if self.is_uncertain:
                # Only the result shows which of the two holds to release.
                with suppress(LockkeeperError):
                    self._downgrade()
            return self._send_release(retry_for_s)

    def on_release_requested(self, handler: Callable[[ReleaseRequest], object]) -> None:
        """Calls the function in a separate thread when an operator asks to release the lock.

        Sends a renewal to inform the server. The option of ``acquire`` with the same name needs no renewal.
        """
        self.check()
        self._on_release_requested = handler
        self.apply(self._keeper.verbs.renew(self.hold_id, self.lease_s, self.remaining_s(), True))

    # For the client.

    def close(self, reserved_s: Optional[float] = None) -> None:
        """Ends the hold in this process, before its release is sent.

        Only the first call sets ``reserved_s``, so that a repeated release is the same request.
        """
        with self._state:
            if not self._closed:
                self._closed, self._reserved_s = True, reserved_s
        self._keeper.remove(self)

    def finish(self, outcome: str) -> None:
        """Applies the outcome of the release."""
        self.outcome = outcome
        if outcome == "not_held":
            self.lose("its lease ended or it was released elsewhere")

    def list_holds(self) -> Sequence[Hold]:
        return (self,)

    def is_kept_by(self, keeper: object) -> bool:
        return self._keeper is keeper

    def lose(self, why: str) -> None:
        self._end(self._create_loss(why))

    def apply_loss(self, detail: str) -> None:
        """Applies a loss that the server reported. After a release, the response describes the released hold."""
        if not self._closed:
            self._end(LockLost(detail, self._describe()))

    def apply(self, grant: Grant) -> None:
        """Applies a renewal. A response that arrives after the deadline does not revive the hold."""
        if self.remaining_s() == 0:
            return
        with self._state:
            # No renewal shortens a lease, and responses may arrive in either order.
            if grant.left_s - grant.sent_at.elapsed_s() > self._left_s - self._sent_at.elapsed_s():
                self.lease_s = grant.lease_s
                self._set_deadline(grant)
            else:
                self._schedule(self.lease_s * RENEW_SHARE)
        self._keeper.wake()
        if grant.release_requested is not None:
            self._handle_request(grant.release_requested)

    def retry_soon(self) -> None:
        self._schedule(min(_RETRY_S_MAX, self.lease_s / 10))

    def retry_later(self) -> None:
        """Schedules the next renewal after a refusal. The server may accept it."""
        self._schedule(self.lease_s * RENEW_SHARE)

    def find_renewal_delay_s(self) -> float:
        return self._delay_s - self._delayed_from.elapsed_s()

    def _release_alone(self, retry_for_s: float) -> str:
        outcome = self._keeper.verbs.release(self.hold_id, self._reserved_s, self._release_key, retry_for_s)
        self.finish(outcome)
        return outcome

    def _downgrade(self) -> None:
        was_uncertain, self.is_uncertain = self.is_uncertain, True
        try:
            grant = self._keeper.verbs.downgrade(self.hold_id, self.lease_s, self.remaining_s())
        except LockLost as error:
            self.apply_loss(error.detail)
            return
        except LockkeeperError as error:
            if not isinstance(error, UnknownOutcome) and error.code != "not_replicated":
                self.is_uncertain = was_uncertain
                self._keeper.wake()
            raise
        self.hold_id, self.kind = grant.hold_id, "read"
        self.is_uncertain = False
        self.apply(grant)

    def _set_deadline(self, grant: Grant) -> None:
        self._sent_at, self._left_s = grant.sent_at, grant.left_s
        # A grant can have less time left than the full lease. It is then renewed after a third of that time.
        left_s = grant.left_s - grant.sent_at.elapsed_s()
        self._schedule(max(left_s - grant.lease_s * (1 - RENEW_SHARE), left_s * RENEW_SHARE))

    def _schedule(self, delay_s: float) -> None:
        self._delay_s, self._delayed_from = delay_s, Moment()

    def _handle_request(self, value: Mapping[str, Any]) -> None:
        handler, request_id = self._on_release_requested, value["requestId"]
        if handler is None or request_id == self._request_id or value.get("state") != "requested":
            return
        previous_id, self._request_id = self._request_id, request_id
        request = ReleaseRequest(value, self._answer)
        arguments = (handler, request, f"The function for {request!r} failed")
        thread = threading.Thread(
            target=call_application, args=arguments, name="lockkeeper-request", daemon=True
        )
        try:
            thread.start()
        except RuntimeError as error:
            # The request arrives again with the next renewal.
            self._request_id = previous_id
            self._report(LockkeeperError(f"No thread could be started for {request!r}: {error}", "internal"))

    def _answer(self, request_id: str, answer: str, text: Optional[str]) -> None:
        self._keeper.verbs.answer_release_request(self.hold_id, request_id, answer, text)

    def _end(self, loss: LockLost) -> None:
        self._keeper.remove(self)
        self._lose(loss)

    def _create_loss(self, why: str) -> LockLost:
        detail = f"This hold of {self.key} has ended: {why}. Stop the work that it protects."
        return LockLost(detail, self._describe())

    def _describe(self) -> Mapping[str, Any]:
        return {"key": self.key, "fence": self.fence, "owner": self.owner}

    def _command_env(self) -> Mapping[str, str]:
        return {"LOCK_FENCE": self.fence}

    def _shortest_lease_s(self) -> float:
        return self.lease_s

    def _report(self, error: LockkeeperError) -> None:
        self._keeper.report(error)
