"""Acquires locks through the HTTP API of Lockkeeper, and handles retries, renewal and loss."""

from __future__ import annotations

import os
import ssl
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Optional, Sequence, Union

from ._attempt import Cancellation
from ._holding import LOGGER, Holding, call_application, list_enclosing_holds
from ._renewal import Renewer
from ._transport import Transport
from ._verbs import Verbs
from .errors import LockkeeperError
from .groups import HoldGroup
from .holds import Hold
from .latches import Latch, SemaphorePermits, check_count, read_permits
from .options import AcquireOptions, check_options, check_plain_kind

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The maximum number of holds that the server accepts in ``holding``.
_DECLARED_HOLDS_MAX = 16

_CLIENTS: "weakref.WeakSet[Client]" = weakref.WeakSet()


class Client:
    """Acquires locks through a server. It sends nothing before the first acquire. Threads can share it.

    ``url`` is the URL of the server, or a list of servers of the same Redis; ``LOCKKEEPER_URL`` by default.
    ``api_key`` needs the verb ``lock``; ``LOCKKEEPER_API_KEY`` by default. ``on_error`` is called for errors
    that no call reports: failed renewals, and failed releases at the end of a ``with`` block. They are
    logged as warnings of the logger ``lockkeeper`` as well.
    """

    def __init__(
        self,
        url: Union[str, Sequence[str], None] = None,
        api_key: Optional[str] = None,
        *,
        target: Optional[str] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
        on_error: Optional[Callable[[LockkeeperError], object]] = None,
    ) -> None:
        url = os.environ.get("LOCKKEEPER_URL") if url is None else url
        if url is None:
            raise ValueError("url is missing: pass it, or set LOCKKEEPER_URL")
        api_key = os.environ.get("LOCKKEEPER_API_KEY") if api_key is None else api_key
        if api_key is None:
            raise ValueError("api_key is missing: pass it, or set LOCKKEEPER_API_KEY")
        self._transport = Transport([url] if isinstance(url, str) else list(url), api_key, ssl_context)
        self._verbs = Verbs(self._transport, target)
        self._on_error = on_error
        self._renewer = Renewer(self._verbs, self._report)
        _CLIENTS.add(self)

    def __repr__(self) -> str:
        return f"<lockkeeper.Client {self._transport!r}>"

    def __reduce__(self) -> Any:
        raise TypeError("a Client cannot be pickled, because it has an API key; create one in each process")

    @contextmanager
    def lock(self, key: str, **options: Unpack[AcquireOptions]) -> Iterator[Hold]:
        """Acquires the lock for a ``with`` block, and releases it when the block ends.

        Raises the errors of ``acquire``, and ``LockLost`` if the block ended without an exception after the loss.
        """
        with self.acquire(key, **options) as hold:
            yield hold

    def acquire(self, key: str, **options: Unpack[AcquireOptions]) -> Hold:
        """Acquires the lock. If it is held, even by this client, the call waits for up to ``wait_s``.

        Raises ``LockHeld``; ``WaitTimeout`` after ``wait_s``; ``Deadlock``; ``Refused``; ``Unavailable``; or
        ``UnknownOutcome``: the lock may be held for one lease.
        """
        return self._acquire(key, options, None)

    def acquire_all(self, keys: Sequence[str], **options: Unpack[AcquireOptions]) -> HoldGroup:
        """Acquires up to 32 locks, or none of them. While it waits, it holds none of them.

        Use the group as a context manager. Raises the errors of ``acquire``.
        """
        return self._acquire_all(keys, options, None)

    def set_limit(self, key: str, limit: int) -> SemaphorePermits:
        """Sets the total number of permits of a semaphore, and creates a missing one. No acquired permit ends.

        Raises ``Refused``, ``Unavailable`` or ``UnknownOutcome``. The call can be repeated.
        """
        check_key(key)
        check_count("limit", limit)
        return read_permits(self._verbs.set_limit(key, limit).value)

    def latch(self, key: str) -> Latch:
        """Returns the latch with this name. Sends nothing."""
        check_key(key)
        return Latch(key, self._verbs)

    def run(
        self,
        key: str,
        command: Sequence[str],
        *,
        env: Optional[Mapping[str, str]] = None,
        cwd: Optional[str] = None,
        **options: Unpack[AcquireOptions],
    ) -> int:
        """Runs a command while it holds the lock, and returns its exit status. See ``Hold.run``."""
        with self.acquire(key, **options) as hold:
            return hold.run(command, env=env, cwd=cwd)

    def _acquire(self, key: str, options: AcquireOptions, cancellation: Optional[Cancellation]) -> Hold:
        check_key(key)
        check_options(options)
        grant = self._verbs.acquire(key, self._declare(options), cancellation)
        hold = Hold(self._renewer, grant, options)
        self._keep(hold)
        return hold

    def _declare(self, options: AcquireOptions) -> AcquireOptions:
        """Adds the holds of the ``with`` blocks around the call. A call that does not wait is in no deadlock."""
        if options.get("wait_s", 0) == 0:
            return options
        holding = [*options.get("holding", ()), *list_enclosing_holds(self._renewer)]
        hold_ids = dict.fromkeys(each if isinstance(each, str) else each.hold_id for each in holding)
        return {**options, "holding": list(hold_ids)[:_DECLARED_HOLDS_MAX]}

    def _acquire_all(
        self, keys: Sequence[str], options: AcquireOptions, cancellation: Optional[Cancellation]
    ) -> HoldGroup:
        if isinstance(keys, str) or not all(isinstance(key, str) and key for key in keys):
            raise TypeError("keys must be a list of str")
        check_options(options)
        check_plain_kind(options)
        each: AcquireOptions = {**options}
        each.pop("on_lost", None)
        grants = self._verbs.acquire_all(keys, options, cancellation)
        group = HoldGroup(self._renewer, [Hold(self._renewer, grant, each) for grant in grants], options)
        self._keep(group)
        return group

    def _keep(self, held: Holding) -> None:
        """Starts to renew a hold or the holds of a group. Releases them if no thread can be started."""
        try:
            for hold in held.list_holds():
                self._renewer.add(hold)
        except BaseException:
            held._release_after_work()
            raise

    def _report(self, error: LockkeeperError) -> None:
        LOGGER.warning("%s", error.detail)
        if self._on_error is not None:
            call_application(self._on_error, error, "on_error failed")


def check_key(key: object) -> None:
    if not isinstance(key, str) or not key:
        raise TypeError("key must be a str that is not empty")


def _reset_clients() -> None:
    for client in list(_CLIENTS):
        client._renewer.reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_clients)
