"""The client for asyncio. It runs requests in threads, because ``http.client`` blocks."""

from __future__ import annotations

import asyncio
import contextvars
import math
import sys
import threading
from contextlib import asynccontextmanager
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Callable,
    Generic,
    Iterator,
    Mapping,
    Optional,
    Sequence,
    Type,
    TypeVar,
)

from ._attempt import Cancellation
from ._holding import Holding
from .client import Client
from .errors import LockLost
from .groups import HoldGroup
from .holds import Hold
from .latches import Latch, SemaphorePermits
from .options import AcquireOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

Result = TypeVar("Result")
Kind = TypeVar("Kind", bound=Holding)
Self = TypeVar("Self", bound="AsyncHolding[Any]")


def _do_nothing(*_: object) -> None:
    pass


async def run_in_thread(
    work: Callable[[], Result],
    on_cancel: Callable[[], None] = _do_nothing,
    discard: Callable[[Result], object] = _do_nothing,
) -> Result:
    """Runs the work in a separate thread, because a pool could be full of waiting acquires.

    If the task is cancelled, calls ``on_cancel`` and waits until the work has ended. If the work
    returns a result nevertheless, ``discard`` receives it, in a thread.
    """
    done = _start(work)
    if not await _join(done, on_cancel):
        return done.result()
    if done.exception() is None:
        await _join(_start(lambda: discard(done.result())), _do_nothing)
    raise asyncio.CancelledError


def _start(work: Callable[[], Result]) -> "asyncio.Future[Result]":
    loop = asyncio.get_running_loop()
    done: "asyncio.Future[Result]" = loop.create_future()

    def settle(result: Optional[Result], error: Optional[BaseException]) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        try:
            outcome = (work(), None)
        except BaseException as error:
            outcome = (None, error)  # type: ignore[assignment]
        try:
            loop.call_soon_threadsafe(settle, *outcome)
        except RuntimeError:
            pass  # The loop was closed.

    # The context has the holds of the blocks around the call.
    context = contextvars.copy_context()
    threading.Thread(target=lambda: context.run(run), name="lockkeeper-call", daemon=True).start()
    return done


async def _join(done: "asyncio.Future[Any]", on_cancel: Callable[[], None]) -> bool:
    """Waits for the future. Returns whether the task was cancelled in the meantime."""
    cancelled = False
    while True:
        try:
            await asyncio.wait([done])
        except asyncio.CancelledError:
            cancelled = True
            on_cancel()
        if done.done():
            return cancelled


class AsyncHolding(Generic[Kind]):
    """One hold or a group of holds. Use it as an async context manager.

    If it is lost, the task that entered the block is cancelled, and the block raises ``LockLost``.
    """

    def __init__(self, held: Kind) -> None:
        self._held = held
        self._task: "Optional[asyncio.Task[Any]]" = None
        self._interrupted = False

    def __repr__(self) -> str:
        return f"<async {self._held!r}>"

    @property
    def loss(self) -> Optional[LockLost]:
        """The loss of the hold; ``None`` if it is not lost."""
        return self._held.loss

    def check(self) -> None:
        """Raises ``LockLost`` unless the lock is held. Call it before each step with visible effects."""
        self._held.check()

    def remaining_s(self) -> float:
        """Returns the seconds until the deadline; 0 if the hold is lost or released."""
        return self._held.remaining_s()

    def on_lost(self, callback: Callable[[LockLost], object]) -> None:
        """Calls the function in the event loop when the hold is lost."""
        loop = asyncio.get_running_loop()
        self._held.on_lost(lambda loss: _call_in_loop(loop, callback, loss))

    async def run(
        self, command: Sequence[str], *, env: Optional[Mapping[str, str]] = None, cwd: Optional[str] = None
    ) -> int:
        """Like ``Hold.run``. If the task is cancelled, the command is killed."""
        cancellation = Cancellation()
        return await run_in_thread(
            lambda: self._held._run_command(command, env, cwd, cancellation), cancellation.cancel
        )

    async def release(self) -> str:
        """Like ``Hold.release``. If the task is cancelled, the release is completed first."""
        return await run_in_thread(self._held.release)

    async def __aenter__(self: Self) -> Self:
        if self._held.loss is not None:
            await run_in_thread(self._held.raise_early_loss)
        loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        self._held.on_lost(lambda _: _call_in_loop(loop, self._interrupt))
        self._held.enter_block()
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self._held.leave_block()
        self._task, task = None, self._task
        interrupted = self._interrupted and kind is not None and issubclass(kind, asyncio.CancelledError)
        if self._interrupted and task is not None and sys.version_info >= (3, 11):
            # The task was also cancelled by other code. That cancellation must not be swallowed.
            interrupted = task.uncancel() == 0 and interrupted
        await run_in_thread(lambda: self._held.__exit__(None if interrupted else kind, error, None))

    def _interrupt(self) -> None:
        if self._task is not None and not self._interrupted:
            self._interrupted = True
            self._task.cancel()


class AsyncHold(AsyncHolding[Hold]):
    """A lock that this process holds. See ``Hold``."""

    def __init__(self, held: Hold) -> None:
        super().__init__(held)
        self.key, self.fence = held.key, held.fence
        self.owner, self.format = held.owner, held.format

    @property
    def hold_id(self) -> str:
        return self._held.hold_id

    @property
    def kind(self) -> str:
        """``read`` after a downgrade."""
        return self._held.kind

    async def renew(self, lease_s: Optional[float] = None) -> None:
        await run_in_thread(lambda: self._held.renew(lease_s))

    async def verify(self) -> None:
        await run_in_thread(self._held.verify)

    async def downgrade(self) -> None:
        await run_in_thread(self._held.downgrade)


class AsyncHoldGroup(AsyncHolding[HoldGroup]):
    """Holds that were acquired together. See ``HoldGroup``."""

    def __iter__(self) -> Iterator[Hold]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def __getitem__(self, key: str) -> Hold:
        return self._held[key]


class AsyncLatch:
    """A latch for asyncio. If the task is cancelled while it waits, the wait ends. See ``Latch``."""

    def __init__(self, latch: Latch) -> None:
        self.key = latch.key
        self._latch = latch

    def __repr__(self) -> str:
        return f"<async {self._latch!r}>"

    async def try_set_count(self, count: int) -> bool:
        return await run_in_thread(lambda: self._latch.try_set_count(count))

    async def count_down(self) -> int:
        return await run_in_thread(self._latch.count_down)

    async def get_count(self) -> int:
        return await run_in_thread(self._latch.get_count)

    async def wait(self, wait_s: float = math.inf) -> None:
        wait = Cancellation()
        await run_in_thread(lambda: self._latch._wait(wait_s, wait), wait.cancel)


class AsyncClient:
    """The client for asyncio. Takes the arguments of ``Client``.

    If a task is cancelled while it acquires a lock, the wait ends, and a lock that is granted nevertheless
    is released before ``CancelledError`` is raised.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._client = Client(*arguments, **options)

    def __repr__(self) -> str:
        return f"<async {self._client!r}>"

    @asynccontextmanager
    async def lock(self, key: str, **options: Unpack[AcquireOptions]) -> AsyncIterator[AsyncHold]:
        """Acquires the lock for an ``async with`` block, and releases it when the block ends."""
        async with await self.acquire(key, **options) as hold:
            yield hold

    async def acquire(self, key: str, **options: Unpack[AcquireOptions]) -> AsyncHold:
        """Like ``Client.acquire``."""
        wait = Cancellation()
        held = await _acquire(lambda: self._client._acquire(key, options, wait), wait)
        return AsyncHold(held)

    async def acquire_all(self, keys: Sequence[str], **options: Unpack[AcquireOptions]) -> AsyncHoldGroup:
        """Like ``Client.acquire_all``."""
        wait = Cancellation()
        held = await _acquire(lambda: self._client._acquire_all(keys, options, wait), wait)
        return AsyncHoldGroup(held)

    async def set_limit(self, key: str, limit: int) -> SemaphorePermits:
        """As ``Client.set_limit``."""
        return await run_in_thread(lambda: self._client.set_limit(key, limit))

    def latch(self, key: str) -> AsyncLatch:
        """Returns the latch with this name. Sends nothing."""
        return AsyncLatch(self._client.latch(key))

    async def run(
        self,
        key: str,
        command: Sequence[str],
        *,
        env: Optional[Mapping[str, str]] = None,
        cwd: Optional[str] = None,
        **options: Unpack[AcquireOptions],
    ) -> int:
        """Like ``Client.run``."""
        async with await self.acquire(key, **options) as hold:
            return await hold.run(command, env=env, cwd=cwd)


async def _acquire(acquire: "Callable[[], Kind]", wait: Cancellation) -> "Kind":
    return await run_in_thread(acquire, wait.cancel, lambda held: held._release_after_work())


def _call_in_loop(loop: asyncio.AbstractEventLoop, callback: Callable[..., object], *arguments: object) -> None:
    try:
        loop.call_soon_threadsafe(callback, *arguments)
    except RuntimeError:
        pass  # The loop was closed.
