"""One request to one server."""

from __future__ import annotations

import email.utils
import http.client
import json
import socket
import ssl
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union
from urllib.parse import urlsplit

from ._moment import Moment
from .errors import NOT_DONE_CODES, UNKNOWN_CODES

#: Longer responses are not read. A batch of 1,000 holds needs less than 4 MB.
RESPONSE_BYTES_MAX = 8 * 1024 * 1024
_READ_BYTES = 64 * 1024


class Cancelled(Exception):
    """Raised when the caller has cancelled the request."""


class Cancellation:
    """Cancels a request from another thread, even while it waits for its response."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self._socket: Optional[socket.socket] = None

    @property
    def is_cancelled(self) -> bool:
        return self._cancelled.is_set()

    def cancel(self) -> None:
        with self._lock:
            self._cancelled.set()
            if self._socket is not None:
                with suppress(OSError):
                    # Not the method of SSLSocket, because another thread may be reading from the socket.
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def wait(self, delay_s: float) -> None:
        """Waits, and raises ``Cancelled`` as soon as it is cancelled."""
        if self._cancelled.wait(delay_s):
            raise Cancelled

    @contextmanager
    def watch(self, connected: socket.socket) -> Iterator[None]:
        with self._lock:
            if self._cancelled.is_set():
                raise Cancelled
            self._socket = connected
        try:
            yield
        finally:
            with self._lock:
                self._socket = None


@dataclass(frozen=True)
class Server:
    scheme: str
    host: str
    port: Optional[int]
    path: str

    @staticmethod
    def parse(url: str) -> "Server":
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("url must be the http or https URL of a server, such as https://locks.example.com")
        if parts.username is not None or parts.password is not None:
            raise ValueError("url must not contain a user name or password; pass api_key")
        return Server(parts.scheme, parts.hostname, parts.port, parts.path.rstrip("/"))

    @property
    def name(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"

    def connect(self, limit_s: float, context: Optional[ssl.SSLContext]) -> http.client.HTTPConnection:
        if self.scheme == "https":
            return http.client.HTTPSConnection(self.host, self.port, timeout=limit_s, context=context)
        return http.client.HTTPConnection(self.host, self.port, timeout=limit_s)


@dataclass(frozen=True)
class Answer:
    """A JSON response from Lockkeeper."""

    status: int
    value: Any
    #: Just before the attempt was sent.
    sent_at: Moment


@dataclass(frozen=True)
class Failure:
    """A failed attempt. ``rule`` is whether to retry it: with ``unknown``, it may have been carried out."""

    rule: str  # "never", "not_done" or "unknown"
    code: str
    detail: str
    status: Optional[int] = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    retry_after_s: float = 0.0


def send(
    connection: http.client.HTTPConnection,
    server: Server,
    request: Tuple[str, str, Optional[bytes], Dict[str, str]],
    limit_s: float,
    cancellation: Cancellation,
) -> Union[Answer, Failure]:
    """Sends a request on a connection that is open. Returns each failure instead of raising it."""
    until = time.monotonic() + limit_s
    method, path, body, headers = request
    sent_at = Moment()
    try:
        with cancellation.watch(connection.sock):
            connection.request(method, f"{server.path}/api/v1{path}", body, headers)
            response = connection.getresponse()
            text = _read_body(connection, response, until)
    except (OSError, http.client.HTTPException, ValueError) as error:
        if cancellation.is_cancelled:
            raise Cancelled from None
        reason = "timed out" if isinstance(error, socket.timeout) else str(error) or type(error).__name__
        detail = f"{server.name} did not respond ({printable(reason)})."
        return Failure("unknown", "unknown_outcome", detail)
    return _read_response(server, response, text, sent_at)


def _read_body(
    connection: http.client.HTTPConnection, response: http.client.HTTPResponse, until: float
) -> bytes:
    chunks: List[bytes] = []
    size = 0
    while size <= RESPONSE_BYTES_MAX:
        # The limit also applies to a server that keeps sending single bytes.
        left_s = until - time.monotonic()
        if left_s <= 0:
            raise socket.timeout("timed out")
        if connection.sock is not None:
            connection.sock.settimeout(left_s)
        chunk = response.read1(_READ_BYTES)
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)
        size += len(chunk)
    raise ValueError("its response is too large")


def _read_response(
    server: Server, response: http.client.HTTPResponse, text: bytes, sent_at: Moment
) -> Union[Answer, Failure]:
    status = response.status
    try:
        value = json.loads(text) if text else None
    except ValueError:
        value = None
    if 200 <= status < 300 and isinstance(value, dict):
        return Answer(status, value, sent_at)
    retry_after_s = _read_retry_after_s(response.getheader("Retry-After"))
    code = value.get("code") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(code, str) or status < 400:
        return _describe_foreign_response(server, status, retry_after_s)
    detail = printable(str(value.get("detail") or value.get("title") or code))
    return Failure(_find_rule(code, status), code, detail, status, value, retry_after_s)


def _find_rule(code: str, status: int) -> str:
    if code in NOT_DONE_CODES or status in (408, 429):
        return "not_done"
    if code in UNKNOWN_CODES:
        return "unknown"
    # Of the other codes, only "not_replicated" has a 5xx status: the grant was reverted.
    return "never" if status < 500 or code == "not_replicated" else "unknown"


def _describe_foreign_response(server: Server, status: int, retry_after_s: float) -> Failure:
    """Describes a response that is not from Lockkeeper: a proxy sent it, or the URL is wrong."""
    detail = f"The response of {server.name} is not from Lockkeeper (HTTP status {status})."
    if status >= 500:
        return Failure("unknown", "unknown_outcome", detail, status, {}, retry_after_s)
    rule = "unknown" if status < 300 else "not_done" if status in (408, 429) else "never"
    return Failure(rule, "unexpected_response", f"{detail} Check the URL.", status, {}, retry_after_s)


def _read_retry_after_s(text: Optional[str]) -> float:
    """Reads both forms of ``Retry-After``: seconds, and a date."""
    if text is None:
        return 0.0
    if text.strip().isdigit():
        return min(float(text), 86_400.0)
    with suppress(TypeError, ValueError, OverflowError):
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    return 0.0


def printable(text: str) -> str:
    """Returns at most 500 characters without control characters, for messages and logs."""
    return "".join(each if each.isprintable() else " " for each in text[:500])
