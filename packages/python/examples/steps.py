"""Works in steps, and runs a command, while it holds a lock."""

import sys
import time

from lockkeeper import Client, LockHeld, LockLost, exit_on_signals

# Your work starts here.
exit_on_signals()  # SIGTERM and Ctrl-C release the lock
client = Client()  # LOCKKEEPER_URL and LOCKKEEPER_API_KEY
try:
    with client.lock("lock:example", lease_s=30, wait_s=10) as hold:
        for step in range(1, 6):
            hold.check()  # before each step whose effect others see
            print(f"step {step} with fence {hold.fence}", flush=True)
            time.sleep(0.2)
        status = hold.run(["sh", "-c", 'echo "command with fence $LOCK_FENCE"'])
except LockHeld as error:
    print(f"not acquired: {error}", file=sys.stderr)
    sys.exit(75)
except LockLost as error:
    print(f"stopped: {error}", file=sys.stderr)
    sys.exit(76)
sys.exit(status)
