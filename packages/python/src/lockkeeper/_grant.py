"""Reads the leases that the server grants. Responses are checked, because a proxy may have sent them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional

from ._moment import Moment
from .errors import UnknownOutcome


@dataclass(frozen=True)
class Grant:
    """A lease. It ends ``left_s`` after ``sent_at``, the moment before its request was sent."""

    hold_id: str
    key: str
    fence: str
    owner: str
    format: str
    lease_s: float
    left_s: float
    sent_at: Moment
    release_requested: Optional[Mapping[str, Any]]


def read_grant(value: Any, sent_at: Moment) -> Grant:
    """Raises ``UnknownOutcome`` if a field is missing or has another type."""
    return Grant(
        hold_id=read_text(value, "holdId"),
        key=read_text(value, "key"),
        fence=read_text(value, "fence"),
        owner=read_text(value, "owner"),
        format=read_text(value, "format"),
        lease_s=read_seconds(value, "leaseMs"),
        left_s=read_seconds(value, "remainingMs") + read_seconds(value, "waitedMs", 0),
        sent_at=sent_at,
        release_requested=read_release_request(value),
    )


def read_release_request(value: Any) -> Optional[Mapping[str, Any]]:
    request = value.get("releaseRequested")
    return request if isinstance(request, dict) and isinstance(request.get("requestId"), str) else None


def read_text(value: Any, name: str) -> str:
    text = value.get(name) if isinstance(value, dict) else None
    if not isinstance(text, str):
        raise UnknownOutcome(f"The response of the server has no valid {name}.", "unknown_outcome")
    return text


def read_seconds(value: Any, name: str, default_ms: Optional[int] = None) -> float:
    number = value.get(name, default_ms) if isinstance(value, dict) else None
    if isinstance(number, bool) or not isinstance(number, (int, float)) or number < 0:
        raise UnknownOutcome(f"The response of the server has no valid {name}.", "unknown_outcome")
    return float(number) / 1000


def read_count(value: Any, name: str) -> int:
    """Reads a whole number, which may be negative."""
    number = value.get(name) if isinstance(value, dict) else None
    if isinstance(number, bool) or not isinstance(number, int):
        raise UnknownOutcome(f"The response of the server has no valid {name}.", "unknown_outcome")
    return number
