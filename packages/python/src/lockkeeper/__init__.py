"""Distributed locks over the HTTP API of a Lockkeeper server."""

from ._version import __version__
from .aio import AsyncClient, AsyncHold, AsyncHoldGroup, AsyncLatch
from .client import Client
from .errors import (
    Deadlock,
    LockHeld,
    LockkeeperError,
    LockLost,
    Refused,
    Unavailable,
    UnknownOutcome,
    WaitTimeout,
)
from .groups import HoldGroup
from .holds import Hold
from .latches import Latch, SemaphorePermits
from .options import AcquireOptions
from .release_requests import ReleaseRequest
from .signals import exit_on_signals

__all__ = [
    "AcquireOptions",
    "AsyncClient",
    "AsyncHold",
    "AsyncHoldGroup",
    "AsyncLatch",
    "Client",
    "Deadlock",
    "Hold",
    "HoldGroup",
    "Latch",
    "LockHeld",
    "LockLost",
    "LockkeeperError",
    "Refused",
    "ReleaseRequest",
    "SemaphorePermits",
    "Unavailable",
    "UnknownOutcome",
    "WaitTimeout",
    "__version__",
    "exit_on_signals",
]
