"""The options of ``lock``, ``acquire``, ``acquire_all`` and ``run``."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Protocol, Sequence, TypedDict, Union

if TYPE_CHECKING:
    from .errors import LockLost
    from .release_requests import ReleaseRequest

LEASE_S_DEFAULT = 30.0
#: Limits of the time for which a released lock can be reserved, in seconds.
RESERVED_S_MIN = 0.01
RESERVED_S_MAX = 24 * 60 * 60
#: The fraction of the lease after which it is renewed.
RENEW_SHARE = 1 / 3

_MILLISECONDS = {"grace_s": "graceMs", "min_hold_s": "minHoldMs"}
_RENAMED = {"yields_to_writers": "yieldsToWriters", "holding": "holding", "on_deadlock": "onDeadlock"}
_TEXTS = ("owner", "format", "kind", "unit")
_COUNTS = ("permits", "limit")
#: The options that ``acquire_all`` does not have, in addition to kinds other than ``lock``.
_SINGLE_OPTIONS = (*_COUNTS, "yields_to_writers", "holding", "on_deadlock")
_ON_DEADLOCK = ("report", "refuse")


class HasHoldId(Protocol):
    """A ``Hold`` or an ``AsyncHold``."""

    @property
    def hold_id(self) -> str: ...


class AcquireOptions(TypedDict, total=False):
    """Times are in seconds, as is usual in Python, and may be fractional."""

    #: The lock expires after this time unless it is renewed; 30 by default.
    lease_s: float
    #: How long to wait for a held lock; 0 by default, ``math.inf`` for no limit.
    wait_s: float
    #: A human-readable label; the name of the API key by default.
    owner: str
    #: ``service``, ``purpose`` and more, shown in the console. ``host`` and ``pid`` are filled in.
    record: Mapping[str, Any]
    #: ``redisson`` (the default), ``token`` (as redis-py and redlock) or ``timestamp``.
    format: str
    #: ``lock`` (the default); ``fair``: waiters acquire the lock in the order in which they began to wait; ``read`` or
    #: ``write``: several readers or one writer; ``semaphore``, with ``permits`` and ``limit``; ``plain_semaphore``: permits
    #: that JVMs also acquire as Redisson's ``RSemaphore``. All clients of a key must use the same kind. Not for
    #: ``acquire_all``.
    kind: str
    #: The number of permits, all or none; 1 by default. Only for the kinds of semaphore.
    permits: int
    #: The total number of permits; a missing semaphore is created with it. Only for the kinds of semaphore.
    limit: int
    #: Whether a reader gives way to writers that began to wait earlier; true by default. Only for the kind ``read``.
    yields_to_writers: bool
    #: Up to 16 holds, or their ids, that are not released before the wait ends, so that the server finds deadlocks. The
    #: holds of the client's ``with`` blocks around the call are added automatically. Not for ``acquire_all``.
    holding: Sequence[Union[str, HasHoldId]]
    #: ``report`` (the default); ``refuse``: the most recent wait with this option in a deadlock raises ``Deadlock``.
    #: Not on quorum targets, and not for ``acquire_all``.
    on_deadlock: str
    #: ``s`` or ``ms``; only for the format ``timestamp``.
    unit: str
    #: Grace period: time after an unreleased lease expires in which no client can acquire the lock.
    grace_s: float
    #: Minimum hold time, which applies even if the lock is released earlier.
    min_hold_s: float
    #: ``automatic`` (the default): renewed each time a third of the lease has passed. ``manual``: only by ``renew()``.
    renewal: str
    #: Called once when the hold is lost, in any thread. It must return quickly.
    on_lost: Callable[[LockLost], object]
    #: Called in a separate thread when an operator asks to release the lock.
    on_release_requested: Callable[[ReleaseRequest], object]


def check_options(options: AcquireOptions) -> None:
    """Raises ``TypeError`` or ``ValueError`` for an option that is unknown or has an invalid value."""
    for name, value in options.items():
        if name not in AcquireOptions.__annotations__:
            known = ", ".join(AcquireOptions.__annotations__)
            raise TypeError(f"{name} is not an option; the options are {known}")
        if name.endswith("_s"):
            check_seconds(name, value)
        elif name in _TEXTS and not isinstance(value, str):
            raise TypeError(f"{name} must be a str")
        elif name in _COUNTS and (isinstance(value, bool) or not isinstance(value, int)):
            raise TypeError(f"{name} must be an int")
        elif name == "yields_to_writers" and not isinstance(value, bool):
            raise TypeError(f"{name} must be a bool")
        elif name == "holding" and not _are_holds(value):
            raise TypeError("holding must be a list of holds or their ids")
        elif name == "on_deadlock":
            if value not in _ON_DEADLOCK:
                raise ValueError('on_deadlock must be "report" or "refuse"')
        elif name.startswith("on_") and not callable(value):
            raise TypeError(f"{name} must be callable")
    if options.get("renewal", "automatic") not in ("automatic", "manual"):
        raise ValueError('renewal must be "automatic" or "manual"')


def _are_holds(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(
        isinstance(getattr(each, "hold_id", each), str) for each in value
    )


def check_plain_kind(options: AcquireOptions) -> None:
    """Raises ``ValueError`` for a kind that cannot be acquired together with other locks."""
    if options.get("kind", "lock") != "lock":
        raise ValueError(f"acquire_all acquires plain locks only, not locks of the kind {options['kind']}")
    for name in _SINGLE_OPTIONS:
        if name in options:
            raise ValueError(f"{name} is not an option of acquire_all")


def check_seconds(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number of seconds")
    if not value >= 0:
        raise ValueError(f"{name} must be at least 0")
    return float(value)


def check_reserved(reserved_s: object) -> None:
    seconds = check_seconds("reserved_s", reserved_s)
    if not RESERVED_S_MIN <= seconds <= RESERVED_S_MAX:
        raise ValueError(f"reserved_s must be between {RESERVED_S_MIN} and {RESERVED_S_MAX}")


def to_milliseconds(seconds: float) -> int:
    return round(seconds * 1000)


def build_acquire_body(options: AcquireOptions) -> Dict[str, Any]:
    """Returns the body of an acquire, without the time to wait."""
    lease_s = options.get("lease_s", LEASE_S_DEFAULT)
    body: Dict[str, Any] = {"leaseMs": to_milliseconds(lease_s)}
    body["record"] = {**_describe_process(), **options.get("record", {})}
    if options.get("renewal", "automatic") == "automatic":
        body["renewEveryMs"] = max(1, to_milliseconds(lease_s * RENEW_SHARE))
    if "on_release_requested" in options:
        body["receivesReleaseRequests"] = True
    for name, value in options.items():
        if name in _MILLISECONDS:
            body[_MILLISECONDS[name]] = to_milliseconds(check_seconds(name, value))
        elif name in _TEXTS or name in _COUNTS:
            body[name] = value
        elif name in _RENAMED:
            body[_RENAMED[name]] = value
    return body


def _describe_process() -> Dict[str, Any]:
    return {"host": socket.gethostname(), "pid": os.getpid()}
