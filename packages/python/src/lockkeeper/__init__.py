"""Distributed locks over the HTTP API of a Lockkeeper server."""

from ._version import __version__
from .aio import AsyncClient, AsyncHold, AsyncHoldGroup
from .client import Client
from .errors import (
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
from .options import AcquireOptions
from .release_requests import ReleaseRequest
from .signals import exit_on_signals

__all__ = [
    "AcquireOptions",
    "AsyncClient",
    "AsyncHold",
    "AsyncHoldGroup",
    "Client",
    "Hold",
    "HoldGroup",
    "LockHeld",
    "LockLost",
    "LockkeeperError",
    "Refused",
    "ReleaseRequest",
    "Unavailable",
    "UnknownOutcome",
    "WaitTimeout",
    "__version__",
    "exit_on_signals",
]
