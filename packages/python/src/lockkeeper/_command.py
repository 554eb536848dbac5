"""Runs a command under a guardian process, which kills it even if this process is killed or stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any, Callable, Dict, IO, Mapping, Optional, Sequence

from ._attempt import Cancellation, Cancelled
from .errors import LockkeeperError

_GUARDIAN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_guardian.py")
_POLL_S = 0.1


def run_command(
    command: Sequence[str],
    env: Mapping[str, str],
    cwd: Optional[str],
    find_left_s: Callable[[], float],
    cancellation: Cancellation,
) -> Optional[int]:
    """Runs the command, and returns its exit status once no process of its group is left.

    Returns ``None`` if the command was killed at its deadline.
    """
    if os.name != "posix":
        raise NotImplementedError("commands under a lock need POSIX process groups")
    if isinstance(command, str) or not command:
        raise TypeError("command must be a list of strings that is not empty")
    report_in, report_out = os.pipe()
    with os.fdopen(report_in, "rb") as report:
        guardian = _start_guardian(command, env, cwd, report_out)
        try:
            is_late = _watch(guardian, find_left_s, cancellation)
        finally:
            _end(guardian)
        outcome = _read_report(report)
    if cancellation.is_cancelled:
        raise Cancelled
    return None if is_late or outcome.get("late") else _read_status(outcome)


def _start_guardian(
    command: Sequence[str], env: Mapping[str, str], cwd: Optional[str], report_out: int
) -> "subprocess.Popen[bytes]":
    try:
        # Isolated and without site packages, so that it starts fast and runs nothing else.
        arguments = [sys.executable, "-I", "-S", _GUARDIAN, str(report_out), *command]
        return subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            bufsize=0,
            env=dict(env),
            cwd=cwd,
            pass_fds=[report_out],
            start_new_session=True,  # Ctrl-C in a terminal then reaches only this process.
        )
    finally:
        os.close(report_out)


def _watch(
    guardian: "subprocess.Popen[bytes]", find_left_s: Callable[[], float], cancellation: Cancellation
) -> bool:
    """Sends deadlines to the guardian until it ends. Returns whether the deadline has passed."""
    while guardian.poll() is None and not cancellation.is_cancelled:
        left_s = find_left_s()
        if left_s <= 0:
            return True
        # The times are absolute, because a paused guardian reads them late. All processes share the clocks.
        line = b"%.6f %.6f\n" % (time.monotonic() + left_s, time.time() + left_s)
        with suppress(BrokenPipeError):
            _stdin(guardian).write(line)
        with suppress(subprocess.TimeoutExpired):
            guardian.wait(min(_POLL_S, left_s))
    return False


def _end(guardian: "subprocess.Popen[bytes]") -> None:
    """Closes the guardian's input, and waits until it has killed the command and has exited."""
    _stdin(guardian).close()
    try:
        guardian.wait()
    except BaseException:
        # Another signal interrupted the wait. The lock must not be released while the command runs.
        guardian.wait()
        raise


def _stdin(guardian: "subprocess.Popen[bytes]") -> IO[bytes]:
    if guardian.stdin is None:
        raise RuntimeError("the guardian has no input")
    return guardian.stdin


def _read_report(report: IO[bytes]) -> Dict[str, Any]:
    outcome: Dict[str, Any] = {}
    for line in report.read().splitlines():
        outcome.update(json.loads(line))
    return outcome


def _read_status(outcome: Mapping[str, Any]) -> int:
    if "error" in outcome:
        number, text, name = outcome["error"]
        raise OSError(number, text, name)
    if "status" in outcome:
        return int(outcome["status"])
    if "group" in outcome:
        with suppress(ProcessLookupError):
            os.killpg(outcome["group"], signal.SIGKILL)
    raise LockkeeperError("The guardian process was killed, and the command with it.", "internal")
