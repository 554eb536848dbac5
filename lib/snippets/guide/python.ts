import { formatPythonValue } from "../python.ts";
import { buildLockUrl, type GuideOptions } from "./guide-options.ts";

const formatSeconds = (ms: number) => String(ms / 1000);

export function createPythonGuide(options: GuideOptions): string {
  const { leaseMs, waitMs, steps, stepMs } = options;
  return `import json
import os
import sys
import threading
import time
import uuid
from urllib.error import HTTPError
from urllib.request import Request, urlopen

LOCK = ${formatPythonValue(buildLockUrl(options))}
OWNER = f"worker:{os.getpid()}:{uuid.uuid4()}"  # an owner of its own for each hold
LEASE_S = ${formatSeconds(leaseMs)}
WAIT_S = ${formatSeconds(waitMs)}


class Refused(Exception):
    def __init__(self, problem):
        super().__init__(problem["detail"])
        self.code = problem["code"]


def call(verb, body, within_s):
    request = Request(
        f"{LOCK}/{verb}",
        method="POST",
        headers={
            "Authorization": f"Bearer {os.environ['LOCKKEEPER_KEY']}",
            "Content-Type": "application/json",
        },
        data=json.dumps({"owner": OWNER, **body}).encode(),
    )
    try:
        with urlopen(request, timeout=within_s) as response:
            return json.load(response)
    except HTTPError as answer:
        raise Refused(json.load(answer)) from None


deadline = 0.0  # on our own monotonic clock: from here on the lock may be somebody else's


def hold(verb, body, within_s):
    global deadline
    sent_at = time.monotonic()
    grant = call(verb, {"leaseMs": int(LEASE_S * 1000), **body}, within_s)
    deadline = sent_at + (grant.get("waitedMs", 0) + grant["remainingMs"]) / 1000
    return grant


ended = threading.Event()


def keep_alive():
    global deadline
    while not ended.wait(LEASE_S / 3):
        try:
            hold("renew", {}, LEASE_S / 6)
        except Refused as refused:
            if refused.code == "lost":
                deadline = 0.0
        except OSError:
            pass  # no answer: tried again until the deadline


class Lost(Exception):
    pass


def assert_held():
    if time.monotonic() >= deadline:
        raise Lost


try:
    grant = hold("acquire", {"waitMs": int(WAIT_S * 1000)}, WAIT_S + 2.5)
except (Refused, OSError) as error:
    print(f"not acquired: {error}", flush=True)
    sys.exit(1)
print(f"acquired with fence {grant['fence']}", flush=True)
renewing = threading.Thread(target=keep_alive)
renewing.start()
try:
    for step in range(1, ${steps} + 1):
        assert_held()  # before each step whose effect others see
        print(f"step {step} with fence {grant['fence']}", flush=True)  # send the fence along with every write
        time.sleep(${formatSeconds(stepMs)})
    assert_held()
except Lost:
    print("lost: stopped", flush=True)
    sys.exit(1)
finally:
    ended.set()
    renewing.join()
call("release", {}, 5)
print("released", flush=True)
`;
}
