"""Sends requests to one or more servers, and retries on the next one after a failure."""

from __future__ import annotations

import http.client
import json
import math
import ssl
import time
from dataclasses import dataclass, replace
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from ._attempt import Answer, Cancellation, Failure, Server, printable, send
from ._version import __version__
from .errors import LockkeeperError, create_error

#: The maximum wait of one request. A retry with the same idempotency key keeps its place in the queue.
WAIT_PART_S_MAX = 55.0
_PAUSE_S_MIN = 0.02
_PAUSE_S_MAX = 0.3


class Secret:
    """An API key that does not appear in representations, and thus not in logs and tracebacks."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return "Secret(…)"


@dataclass(frozen=True)
class Request:
    """A request. Without an idempotency key, a POST whose outcome is unknown is not retried."""

    path: str
    #: How long to retry after failures, not including ``wait_s``; 0 for one attempt.
    retry_for_s: float
    #: The limit of one attempt, not including ``wait_s``.
    timeout_s: float
    method: str = "POST"
    body: Optional[Mapping[str, Any]] = None
    idempotency_key: Optional[str] = None
    #: How long the server may wait. It is sent in the body, or in the query of a GET, in parts.
    wait_s: float = 0.0
    #: Returns the next part of a wait after an answer; ``None`` if the wait is over.
    continue_wait: "Optional[Callable[[Answer], Optional[Request]]]" = None


class Transport:
    def __init__(self, urls: Sequence[str], api_key: str, context: Optional[ssl.SSLContext]) -> None:
        if not urls:
            raise ValueError("url is empty")
        if not api_key or not all("!" <= each <= "~" for each in api_key):
            raise ValueError("api_key is empty or contains characters that no API key has")
        self._servers = [Server.parse(url) for url in urls]
        self._api_key = Secret(api_key)
        self._context = context
        #: Counts failures; the server in use is this number modulo the number of servers.
        self._server_index = 0

    def __repr__(self) -> str:
        return ", ".join(server.name for server in self._servers)

    def request(self, request: Request, cancellation: Optional[Cancellation] = None) -> Answer:
        """Retries the request until it succeeds, is refused, or its time has passed."""
        cancellation = cancellation or Cancellation()
        started_at = time.monotonic()
        wait_until = started_at + request.wait_s
        pause_s = _PAUSE_S_MIN
        failures = unanswered = 0
        while True:
            wait_left_s = wait_until - time.monotonic()
            index = self._server_index
            result = self._attempt(index, request, wait_left_s, cancellation)
            if isinstance(result, Answer):
                continue_wait = request.continue_wait if wait_left_s > WAIT_PART_S_MAX else None
                following = continue_wait(result) if continue_wait is not None else None
                if following is None:
                    return result
                request = following
                continue
            if result.code == "timeout" and wait_left_s > WAIT_PART_S_MAX:
                continue
            unanswered += result.rule == "unknown"
            if self._server_index == index and result.rule != "never":
                self._server_index = index + 1
            failures += 1
            delay_s = self._find_delay_s(result, pause_s, failures)
            # A wrong URL is reported without waiting.
            until = started_at if result.code == "unexpected_response" else wait_until + request.retry_for_s
            if time.monotonic() + delay_s > until or not _is_repeatable(request, result):
                raise _to_error(result, unanswered)
            cancellation.wait(delay_s)
            pause_s = min(2 * pause_s, _PAUSE_S_MAX)

    def _attempt(
        self,
        index: int,
        request: Request,
        wait_left_s: float,
        cancellation: Cancellation,
    ) -> Union[Answer, Failure]:
        cancellation.wait(0)
        server = self._servers[index % len(self._servers)]
        wait_s = 0.0
        path, body = request.path, request.body
        if request.wait_s > 0:
            wait_s = min(WAIT_PART_S_MAX, max(0.001, wait_left_s))
            wait_ms = math.ceil(wait_s * 1000)
            if request.method == "GET":
                path += f"{'&' if '?' in path else '?'}waitMs={wait_ms}"
            else:
                body = {**(body or {}), "waitMs": wait_ms}
        limit_s = wait_s + max(0.001, request.timeout_s)
        connection = server.connect(max(0.001, request.timeout_s), self._context)
        try:
            try:
                connection.connect()
            except (OSError, http.client.HTTPException) as error:
                reason = printable(str(error) or type(error).__name__)
                return Failure("not_done", "unavailable", f"Could not reach {server.name} ({reason}).")
            connection.sock.settimeout(limit_s)
            payload = None if body is None else json.dumps(body).encode()
            sent = (request.method, path, payload, self._build_headers(request))
            return send(connection, server, sent, limit_s, cancellation)
        finally:
            connection.close()

    def _build_headers(self, request: Request) -> "dict[str, str]":
        headers = {
            "Accept": "application/json",
            "Connection": "close",
            "Authorization": f"Bearer {self._api_key.reveal()}",
            "User-Agent": f"lockkeeper-python/{__version__}",
        }
        if request.method != "GET":
            headers["Content-Type"] = "application/json"
        if request.idempotency_key is not None:
            headers["Idempotency-Key"] = request.idempotency_key
        return headers

    def _find_delay_s(self, failure: Failure, pause_s: float, failures: int) -> float:
        """Ignores ``Retry-After`` while there is another server to try, unless the status is 429."""
        has_other = failures % len(self._servers) != 0
        return pause_s if has_other and failure.status != 429 else max(pause_s, failure.retry_after_s)


def _is_repeatable(request: Request, failure: Failure) -> bool:
    if failure.rule == "unknown":
        return request.method != "POST" or request.idempotency_key is not None
    return failure.rule == "not_done"


def _to_error(failure: Failure, unanswered: int) -> LockkeeperError:
    # The last attempt was not carried out, but an earlier one may have been.
    if failure.code == "unavailable" and unanswered > 0:
        failure = replace(failure, code="unknown_outcome")
    return create_error(failure.code, failure.detail, failure.status, failure.facts)
