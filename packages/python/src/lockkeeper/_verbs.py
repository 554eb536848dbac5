"""The verbs of the API: builds their requests and reads their responses."""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import replace
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple
from urllib.parse import urlencode

from ._attempt import Answer, Cancellation
from ._grant import Grant, read_count, read_grant, read_text
from ._key import encode_key, is_for_key
from ._transport import Request, Transport
from .errors import LockkeeperError, UnknownOutcome
from .options import AcquireOptions, build_acquire_body, to_milliseconds

#: The server responds within 2 s, so a longer wait means that the response was lost.
TIMEOUT_S = 2.5
#: How long to retry an acquire or a release after failures.
RETRY_S = 5.0
#: How long to retry releasing a lock that was granted after its acquire was cancelled.
_ABANDON_S = 2.0
HOLDS_PER_REQUEST_MAX = 1000


class Verbs:
    def __init__(self, transport: Transport, target: Optional[str]) -> None:
        self._transport = transport
        self._query = "" if target is None else f"?{urlencode({'target': target})}"

    def acquire(
        self, key: str, options: AcquireOptions, cancellation: Optional[Cancellation] = None
    ) -> Grant:
        path = f"/locks/{encode_key(key)}/acquire{self._query}"
        answer = self._acquire(path, build_acquire_body(options), options, cancellation)
        if not is_for_key(answer.value, key):
            raise UnknownOutcome("The response of the server has another key.", "unknown_outcome")
        return read_grant(answer.value, answer.sent_at)

    def acquire_all(
        self, keys: Sequence[str], options: AcquireOptions, cancellation: Optional[Cancellation] = None
    ) -> List[Grant]:
        body = {"keys": list(keys), **build_acquire_body(options)}
        answer = self._acquire(f"/locks/acquire{self._query}", body, options, cancellation)
        holds = _read_list(answer.value, "holds")
        if len(holds) != len(keys) or not all(map(is_for_key, holds, keys)):
            raise UnknownOutcome("The response of the server has other holds.", "unknown_outcome")
        return [_read_granted(each, answer) for each in holds]

    def renew(self, hold_id: str, lease_s: float, remaining_s: float, receives: bool = False) -> Grant:
        """Renews until it succeeds, is refused, or the hold ends."""
        body: Dict[str, Any] = {"leaseMs": to_milliseconds(lease_s)}
        if receives:
            body["receivesReleaseRequests"] = True
        limit_s = find_attempt_limit_s(lease_s, remaining_s)
        answer = self._post(f"/holds/{hold_id}/renew", body, remaining_s, limit_s)
        return read_grant(answer.value, answer.sent_at)

    def downgrade(self, hold_id: str, lease_s: float, remaining_s: float) -> Grant:
        """Turns the hold of a writer into that of a reader. A repeated request returns the same grant."""
        limit_s = find_attempt_limit_s(lease_s, remaining_s)
        answer = self._post(f"/holds/{hold_id}/downgrade", {}, remaining_s, limit_s)
        return read_grant(answer.value, answer.sent_at)

    def renew_once(self, hold_id: str, lease_s: float, limit_s: float) -> Grant:
        body = {"leaseMs": to_milliseconds(lease_s)}
        answer = self._post(f"/holds/{hold_id}/renew", body, 0, limit_s)
        return read_grant(answer.value, answer.sent_at)

    def renew_all(self, leases: Sequence[Tuple[str, float]], limit_s: float) -> Answer:
        """Renews up to 1,000 holds with one attempt, and returns one result for each."""
        holds = [{"holdId": hold_id, "leaseMs": to_milliseconds(lease_s)} for hold_id, lease_s in leases]
        return self._post("/holds/renew", {"holds": holds}, 0, limit_s)

    def read_status(self, hold_id: str, remaining_s: float) -> bool:
        """Returns whether the hold exists."""
        request = Request(f"/holds/{hold_id}", remaining_s, TIMEOUT_S, method="GET")
        return self._transport.request(request).value.get("held") is True

    def release(
        self, hold_id: str, reserved_s: Optional[float], idempotency_key: str, retry_for_s: float = RETRY_S
    ) -> str:
        """Returns the outcome: ``released``, ``still_held`` or ``not_held``.

        A repeated call with the same key returns ``released`` if an earlier one released the hold.
        """
        body = _build_release_body(reserved_s)
        answer = self._post(f"/holds/{hold_id}/release", body, retry_for_s, TIMEOUT_S, idempotency_key)
        return read_text(answer.value, "outcome")

    def release_all(
        self, releases: Sequence[Tuple[str, Optional[float]]], idempotency_key: str, retry_for_s: float
    ) -> List[Mapping[str, Any]]:
        """Releases up to 1,000 holds, given as ``(hold_id, reserved_s)``, and returns one result for each.

        The key is valid for each hold separately.
        """
        holds = [{"holdId": hold_id, **_build_release_body(reserved_s)} for hold_id, reserved_s in releases]
        answer = self._post("/holds/release", {"holds": holds}, retry_for_s, TIMEOUT_S, idempotency_key)
        return _read_list(answer.value, "results")

    def answer_release_request(
        self, hold_id: str, request_id: str, answer: str, text: Optional[str]
    ) -> None:
        body = {"requestId": request_id, "answer": answer, **({} if text is None else {"text": text})}
        self._post(f"/holds/{hold_id}/answer-release-request", body, RETRY_S, TIMEOUT_S)

    def set_limit(self, key: str, limit: int) -> Answer:
        path = f"/semaphores/{encode_key(key)}{self._query}"
        return self._transport.request(Request(path, RETRY_S, TIMEOUT_S, "PUT", {"limit": limit}))

    def set_latch(self, key: str, count: int) -> Answer:
        """Raises ``Refused`` with the code ``already_exists`` if the latch is closed."""
        request = Request(self._latch(key), RETRY_S, TIMEOUT_S, "PUT", {"count": count}, str(uuid.uuid4()))
        return self._transport.request(request)

    def count_down(self, key: str) -> Answer:
        return self._post(self._latch(key, "/count-down"), None, RETRY_S, TIMEOUT_S)

    def read_latch(self, key: str, wait_s: float, cancellation: Optional[Cancellation]) -> Answer:
        """Returns the latch as soon as it opens, and at the latest after the wait."""
        path = self._latch(key)

        def continue_wait(answer: Answer) -> Optional[Request]:
            if read_count(answer.value, "count") == 0:
                return None
            # The latch may be opened and closed again before the next part begins.
            since = f"{'&' if '?' in path else '?'}openedAfter={read_count(answer.value, 'asOf')}"
            return replace(request, path=path + since)

        request = Request(
            path, RETRY_S, TIMEOUT_S, "GET", wait_s=wait_s, continue_wait=continue_wait
        )
        return self._transport.request(request, cancellation)

    def _latch(self, key: str, verb: str = "") -> str:
        return f"/latches/{encode_key(key)}{verb}{self._query}"

    def _post(
        self,
        path: str,
        body: Optional[Mapping[str, Any]],
        retry_for_s: float,
        timeout_s: float,
        idempotency_key: Optional[str] = None,
    ) -> Answer:
        key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
        return self._transport.request(
            Request(path, retry_for_s, timeout_s, body=body, idempotency_key=key)
        )

    def _acquire(
        self,
        path: str,
        body: Mapping[str, Any],
        options: AcquireOptions,
        cancellation: Optional[Cancellation],
    ) -> Answer:
        key, wait_s = str(uuid.uuid4()), options.get("wait_s", 0.0)
        try:
            request = Request(path, RETRY_S, TIMEOUT_S, body=body, idempotency_key=key, wait_s=wait_s)
            return self._transport.request(request, cancellation)
        except LockkeeperError:
            raise
        except BaseException:
            # Cancelled, or interrupted by a signal. A minimum hold time would block the lock for longer
            # than the lease of an abandoned grant.
            if "min_hold_s" not in options:
                self._abandon(Request(path, _ABANDON_S, TIMEOUT_S, body=body, idempotency_key=key))
            raise

    def _abandon(self, acquire: Request) -> None:
        """Releases what an acquire was granted. Repeating the acquire reveals whether it was granted."""
        with suppress(LockkeeperError):
            answer = self._transport.request(acquire)
            holds = answer.value["holds"] if "holds" in answer.value else [answer.value]
            for each in holds:
                self._post(f"/holds/{read_text(each, 'holdId')}/release", {}, _ABANDON_S, TIMEOUT_S)


def _build_release_body(reserved_s: Optional[float]) -> Dict[str, int]:
    return {} if reserved_s is None else {"reservedMs": to_milliseconds(reserved_s)}


def find_attempt_limit_s(lease_s: float, remaining_s: float) -> float:
    """Returns the limit of one attempt to renew, so that several fit before the deadline."""
    return min(TIMEOUT_S, max(0.05, lease_s / 6, remaining_s / 3))


def _read_granted(value: Any, answer: Answer) -> Grant:
    waited = {"waitedMs": answer.value["waitedMs"]} if "waitedMs" in answer.value else {}
    return read_grant({**value, **waited}, answer.sent_at)


def _read_list(value: Any, name: str) -> List[Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
