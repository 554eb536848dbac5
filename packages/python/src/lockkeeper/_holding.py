"""The base class of a hold and of a group of holds."""

from __future__ import annotations

import logging
import os
import threading
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Callable, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar

from ._command import run_command
from ._attempt import Cancellation
from .errors import LockkeeperError, LockLost

if TYPE_CHECKING:
    from .holds import Hold

LOGGER = logging.getLogger("lockkeeper")
Self = TypeVar("Self", bound="Holding")
Argument = TypeVar("Argument")
LossCallback = Callable[[LockLost], object]
#: The holds of the ``with`` blocks around the running code, innermost first. Each thread and each task has its own.
_ENCLOSING: "ContextVar[Tuple[Holding, ...]]" = ContextVar("lockkeeper_enclosing", default=())


class Holding:
    """One hold or a group of holds. Use it as a context manager."""

    def __init__(self) -> None:
        #: Set when the hold is lost. Wait for it, or pass it to the work.
        self.lost = threading.Event()
        self._loss: Optional[LockLost] = None
        self._loss_callbacks: List[LossCallback] = []
        self._state = threading.RLock()
        #: Held while a command is running, because the lock must not be released in the meantime.
        self._running = threading.Lock()
        self._process = os.getpid()

    @property
    def loss(self) -> Optional[LockLost]:
        """The loss of the hold; ``None`` if it is not lost."""
        self.remaining_s()
        return self._loss

    def remaining_s(self) -> float:
        """Returns the seconds until the deadline; 0 if the hold is lost or released."""
        raise NotImplementedError

    def check(self) -> None:
        """Raises ``LockLost`` unless the lock is held. Call it before each step with visible effects."""
        raise NotImplementedError

    def release(self) -> str:
        raise NotImplementedError

    def on_lost(self, callback: LossCallback) -> None:
        """Calls the function once when the hold is lost, in any thread; immediately if it is already lost."""
        with self._state:
            loss = self._loss
            if loss is None:
                self._loss_callbacks.append(callback)
        if loss is not None:
            call_application(callback, loss, f"The function for the loss of {self!r} failed")

    def run(
        self,
        command: Sequence[str],
        *,
        env: Optional[Mapping[str, str]] = None,
        cwd: Optional[str] = None,
    ) -> int:
        """Runs a command in its own process group, and returns its exit status (``-9`` for SIGKILL).

        The command gets the fencing token as ``LOCK_FENCE``. Its whole group is killed when the lock is
        lost, and when this process is killed or stopped for longer than the lease. Commands of a hold run
        one at a time. POSIX only. Raises ``LockLost`` if the command ended after the loss.
        """
        return self._run_command(command, env, cwd, Cancellation())

    def _run_command(
        self,
        command: Sequence[str],
        env: Optional[Mapping[str, str]],
        cwd: Optional[str],
        cancellation: Cancellation,
    ) -> int:
        with self._running:
            self.check()
            full_env = {**(os.environ if env is None else env), **self._command_env()}
            status = run_command(command, full_env, cwd, self._command_left_s, cancellation)
            if status is None:
                self.lose("its command was killed before the lease ended")
            self.check()
            return status or 0

    def lose(self, why: str) -> None:
        """Marks the hold as lost. Only the client calls it."""
        raise NotImplementedError

    def _command_env(self) -> Mapping[str, str]:
        raise NotImplementedError

    def _command_left_s(self) -> float:
        """Returns the time until the command must be killed, which is a margin before the deadline."""
        return self.remaining_s() - min(self._shortest_lease_s() / 20, 1.0)

    def _shortest_lease_s(self) -> float:
        raise NotImplementedError

    def _lose(self, loss: LockLost) -> None:
        with self._state:
            if self._loss is not None:
                return
            self._loss = loss
            callbacks, self._loss_callbacks = self._loss_callbacks, []
        self.lost.set()
        for callback in callbacks:
            call_application(callback, loss, f"The function for the loss of {self!r} failed")

    def list_holds(self) -> "Sequence[Hold]":
        """Returns the hold, or the holds of a group."""
        raise NotImplementedError

    def enter_block(self) -> None:
        """Records that the code that runs now is in a ``with`` block of this hold. Only the client calls it."""
        _ENCLOSING.set((self, *_ENCLOSING.get()))

    def raise_early_loss(self) -> None:
        """Releases the hold and raises its loss if it was lost before its block began. Only the client calls it.

        The response to the acquire may have been delayed for longer than the lease.
        """
        loss = self.loss
        if loss is None or self._is_inherited():
            return
        self._release_after_work()
        raise loss

    def leave_block(self) -> None:
        """Reverts ``enter_block``. Only the client calls it."""
        _ENCLOSING.set(tuple(each for each in _ENCLOSING.get() if each is not self))

    def _is_inherited(self) -> bool:
        """Whether this process is a fork of the one that acquired the lock."""
        return os.getpid() != self._process

    def _assert_own(self) -> None:
        if not self._is_inherited():
            return
        detail = f"Process {self._process} acquired this hold. Acquire the lock in this process instead."
        raise LockLost(detail, self.list_holds()[0]._describe())

    def __enter__(self: Self) -> Self:
        self.raise_early_loss()
        self.enter_block()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.leave_block()
        if self._is_inherited():
            return
        self.remaining_s()
        try:
            self._release_after_work()
        except (KeyboardInterrupt, SystemExit):
            # A signal interrupted the release.
            self._release_after_work()
            raise
        if kind is None and self._loss is not None:
            raise self._loss

    def _release_after_work(self) -> None:
        try:
            self.release()
        except LockkeeperError as error:
            # The work is done, and the hold ends with its lease.
            self._report(error)

    def _report(self, error: LockkeeperError) -> None:
        raise NotImplementedError


def call_application(callback: Callable[[Argument], object], argument: Argument, failure: str) -> None:
    """Calls a function of the application, and logs what it raises. The threads of the client must not end.

    In the main thread, ``SystemExit`` and ``KeyboardInterrupt`` are raised, because they may come from a signal.
    """
    try:
        callback(argument)
    except BaseException as error:
        if not isinstance(error, Exception) and threading.current_thread() is threading.main_thread():
            raise
        LOGGER.exception("%s", failure)


def list_enclosing_holds(keeper: object) -> "List[Hold]":
    """Returns the holds of a client's ``with`` blocks around the running code that have not ended, innermost first."""
    holds = [hold for each in _ENCLOSING.get() for hold in each.list_holds()]
    return [hold for hold in holds if hold.is_kept_by(keeper) and hold.remaining_s() > 0]
