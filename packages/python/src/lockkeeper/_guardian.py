"""Runs a command in its own process group, and kills the group at its deadline.

Arguments: the file descriptor of the report, and the command. Each line of the input is a deadline on the
monotonic clock and on the wall clock; the end of the input counts as a passed deadline. It is started
without the package, so it imports only the standard library.
"""

import glob
import json
import os
import select
import signal
import subprocess
import sys
import time

CHECK_S_MAX = 0.2
IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> None:
    report, command = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(report, False)
    defaults = [number for number in IGNORED if signal.signal(number, signal.SIG_IGN) != signal.SIG_IGN]
    wake_in, wake_out = os.pipe()
    os.set_blocking(wake_out, False)
    signal.set_wakeup_fd(wake_out, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    deadline = Deadline()
    if not deadline.read():
        return
    try:
        work = subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=lambda: enter_group(defaults))
    except OSError as error:
        write(report, {"error": [error.errno, error.strerror, error.filename]})
        return
    write(report, {"group": work.pid})
    while not has_ended(work.pid) and not deadline.has_passed():
        ready, _, _ = select.select([0, wake_in], [], [], deadline.find_pause_s())
        if 0 in ready:
            deadline.read()
    is_late = not has_ended(work.pid)
    kill_group(work.pid)
    write(report, {"status": work.wait(), "late": is_late})


def enter_group(defaults: "list[signal.Signals]") -> None:
    os.setpgid(0, 0)
    # Signals that were already ignored stay ignored in the command.
    for number in defaults:
        signal.signal(number, signal.SIG_DFL)


class Deadline:
    def __init__(self) -> None:
        self.rest = b""
        self.at = (0.0, 0.0)

    def read(self) -> bool:
        """Reads the lines that have arrived, at least one. Returns whether the deadline is ahead."""
        while True:
            chunk = os.read(0, 4096)
            self.rest += chunk
            *lines, self.rest = self.rest.split(b"\n")
            if not chunk:
                self.at = (0.0, 0.0)
                return False
            if lines:
                monotonic, wall = lines[-1].split()
                self.at = (float(monotonic), float(wall))
                return not self.has_passed()

    def find_pause_s(self) -> float:
        """Returns the time to the next check. It is limited, because a suspended machine stops one clock."""
        return min(CHECK_S_MAX, max(0.0, self.at[0] - time.monotonic()))

    def has_passed(self) -> bool:
        return time.monotonic() >= self.at[0] or time.time() >= self.at[1]


def has_ended(pid: int) -> bool:
    """Returns whether the process has ended. It stays a zombie, so that its PID is not reused too early."""
    if not hasattr(os, "waitid"):
        return is_zombie_by_ps(pid)
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def kill_group(group: int) -> None:
    """Kills all processes of the group, and returns when none of them is running."""
    while True:
        try:
            os.killpg(group, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            # macOS raises PermissionError for a group of zombies.
            pass
        if not list_running(group):
            return
        time.sleep(0.01)


def list_running(group: int) -> "list[str]":
    if not os.path.exists("/proc/self/stat"):
        return list_running_by_ps(group)
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, "rb") as file:
                # The name is in parentheses and may contain any character. The state and the group follow it.
                state, _, pgrp = file.read().rpartition(b")")[2].split()[:3]
        except (OSError, ValueError):
            continue
        if int(pgrp) == group and state not in (b"Z", b"X"):
            found.append(path)
    return found


def list_running_by_ps(group: int) -> "list[str]":
    lines = subprocess.run(["ps", "-A", "-o", "pgid=", "-o", "stat="], capture_output=True).stdout
    rows = [line.split() for line in lines.decode().splitlines()]
    return [state for pgid, state in rows if pgid == str(group) and not state.startswith("Z")]


def is_zombie_by_ps(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True).stdout
    return state.strip() == b"" or state.startswith(b"Z")


def write(report: int, line: "dict[str, object]") -> None:
    try:
        os.write(report, json.dumps(line).encode() + b"\n")
    except BrokenPipeError:
        # The process that started the guardian was killed.
        pass


if __name__ == "__main__":
    main()
