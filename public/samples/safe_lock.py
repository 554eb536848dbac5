"""Runs work while holding a Lockkeeper lock, and stops it when the lock is lost.

Needs Python 3.9 and, for hold.run, bash 4.4 and ps. Set LOCKKEEPER_URL to the origin of the server,
such as http://127.0.0.1:3000, and LOCKKEEPER_API_KEY to your application's API key.

The lock is renewed until the `with` block ends and is then released, also after an exception,
SIGTERM or SIGINT. If the lock is lost or its deadline passes, hold.assert_held() raises LockLost.
The command of hold.run is killed (SIGKILL, the whole process group) when the lock is lost and when
this process is killed or stopped.

Limits: only hold.assert_held() stops work in this process. A pause between that call and the next
write can outlast the lease, so send hold.fence with every write and have the resource reject a
fence lower than the highest it has accepted. A command that leaves its process group (setsid) is
not killed. Signals are handled in the main thread only.
"""
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from base64 import urlsafe_b64encode
from contextlib import contextmanager, suppress
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

API = os.environ["LOCKKEEPER_URL"] + "/api/v1"
API_KEY = os.environ["LOCKKEEPER_API_KEY"]
# Runs a command in a process group of its own and reads the seconds left until the deadline, a line
# at a time. When they have passed, or the input ends, it kills the group. It exits with the status
# of the command, when no process of the group is left.
GUARD = r"""
IFS= read -r left || exit 137
trap : INT TERM HUP
exec 3>&2 2>/dev/null
set -m
"$@" </dev/null 2>&3 3>&- 4>&- & work=$!
{ while IFS= read -rt "$left" left; do :; done; kill -KILL -- "-$work"; } >&2 3>&- 4>&- & switch=$!
wait "$work"
while kill -KILL -- "-$work" && ps -A -o pgid= -o stat= | grep -q "^ *$work [^Z]"; do sleep 0.02; done
wait "$work"; status=$?
kill -KILL -- "-$switch"
exit "$status"
"""


class NotAcquired(Exception):
    """The lock was refused, or the server did not answer. No work was done."""


class LockLost(Exception):
    """The hold has ended, or could not be renewed in time."""


def call(path, body, timeout_s, idempotency_key):
    """Returns the status and the answer. The status is 0 for no answer, or one that is not JSON."""
    headers = {
        "Authorization": f"Bearer {API_KEY}",
        "Content-Type": "application/json",
        "Idempotency-Key": idempotency_key,
    }
    try:
        try:
            answer = urlopen(Request(API + path, json.dumps(body).encode(), headers), timeout=timeout_s)
        except HTTPError as error:
            answer = error
        with answer:
            return answer.getcode(), json.load(answer)
    except (OSError, HTTPException, ValueError) as error:
        return 0, {"detail": f"no answer from {API}: {error}"}


def now():
    """Returns the time on two clocks. The first stops while the machine is suspended, the second may be set back."""
    return time.monotonic(), time.time()


class Hold:
    def __init__(self, grant, sent_at, lease_s):
        self.fence = grant["fence"]
        self._path = f"/holds/{grant['holdId']}"
        self._lease_s = lease_s
        self._extend(sent_at, grant.get("waitedMs", 0) + grant["remainingMs"])
        self._ended = threading.Event()
        self._running = threading.Lock()  # held while a command runs
        threading.Thread(target=self._renew, daemon=True).start()

    def assert_held(self):
        """Raises LockLost unless the lock is held. Call it before each step whose effect others see."""
        if self._left_s() <= 0:
            raise LockLost("the lock was lost")

    def run(self, command):
        """Runs a command (a list), one at a time, and returns its exit status. It gets LOCK_FENCE."""
        with self._running:
            self.assert_held()
            guarded = ["bash", "-c", GUARD, "guard", *command]
            env = {**os.environ, "LOCK_FENCE": self.fence}
            guard = subprocess.Popen(guarded, stdin=subprocess.PIPE, bufsize=0, env=env)
            try:
                while guard.poll() is None and self._left_s() > 0:
                    with suppress(BrokenPipeError, subprocess.TimeoutExpired):
                        guard.stdin.write(b"%.3f\n" % max(self._left_s(), 0.001))  # 0 would mean: do not wait
                        guard.wait(0.2)
            finally:
                guard.stdin.close()
                status = guard.wait()
            self.assert_held()
            return status

    def _extend(self, sent_at, ms):
        """Counts from before the request was sent, less a margin for killing a command and clock drift."""
        self._deadline = [each + ms / 1000 - self._lease_s / 20 for each in sent_at]
        self._renew_at = sent_at[0] + ms / 1000 - self._lease_s * 2 / 3

    def _left_s(self):
        left_s = [end - each for end, each in zip(self._deadline, now())]
        return 0 if self._ended.is_set() else min(left_s)

    def _renew(self):
        while not self._ended.wait(min(self._renew_at - time.monotonic(), self._left_s())) and self._left_s() > 0:
            sent_at, timeout_s = now(), min(self._lease_s / 3, self._left_s())
            status, answer = call(f"{self._path}/renew", {}, timeout_s, str(uuid.uuid4()))
            self._renew_at = time.monotonic() + self._lease_s / 10  # sooner, unless it is renewed
            if status == 200 and self._left_s() > 0:
                self._extend(sent_at, answer["remainingMs"])
            elif 400 <= status < 500 and status not in (408, 429):
                break
        self._ended.set()

    def _end(self):
        self._ended.set()
        with self._running:  # released only when no command runs
            for _ in range(2):
                status, _ = call(f"{self._path}/release", {}, 5, str(uuid.uuid4()))
                if 200 <= status < 500:
                    break


def acquire(key, lease_s, wait_s):
    encoded = urlsafe_b64encode(key.encode()).decode().rstrip("=")
    path = f"/locks/~{encoded}/acquire"  # after ~, base64url, which is valid for every key
    record = {"host": socket.gethostname(), "pid": os.getpid()}  # shown in the console
    body = {"leaseMs": round(lease_s * 1000), "waitMs": round(wait_s * 1000), "record": record}
    idempotency_key = str(uuid.uuid4())  # the same for each try: together they make one hold at most
    give_up_at = time.monotonic() + wait_s + 15
    while True:
        sent_at = now()
        status, answer = call(path, body, wait_s + 5, idempotency_key)
        if status == 201:
            return Hold(answer, sent_at, lease_s)
        if 400 <= status < 500 or time.monotonic() >= give_up_at:
            raise NotAcquired(answer.get("detail", status))
        time.sleep(1)


def exit_on_signal(number, _frame):
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, signal.SIG_IGN)  # another one must not interrupt the release
    sys.exit(128 + number)


@contextmanager
def hold_lock(key, lease_s=30, wait_s=10):
    """Acquires the lock, waiting up to wait_s (55 at most). Raises NotAcquired; LockLost at the end, too."""
    in_main = threading.current_thread() is threading.main_thread()
    numbers = (signal.SIGTERM, signal.SIGINT) if in_main else ()
    previous = {number: signal.signal(number, exit_on_signal) for number in numbers}
    try:
        hold = acquire(key, lease_s, wait_s)
        try:
            yield hold
            hold.assert_held()
        finally:
            hold._end()
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


# Your work starts here.
if __name__ == "__main__":
    try:
        with hold_lock("lock:example", lease_s=30, wait_s=10) as hold:
            for step in range(1, 6):
                hold.assert_held()
                print(f"step {step} with fence {hold.fence}", flush=True)
                time.sleep(1)
            status = hold.run(["sh", "-c", 'echo "command with fence $LOCK_FENCE"'])
    except NotAcquired as error:
        print(f"not acquired: {error}", file=sys.stderr)
        sys.exit(75)
    except LockLost as error:
        print(f"stopped: {error}", file=sys.stderr)
        sys.exit(76)
    sys.exit(status)
