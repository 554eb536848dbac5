import { formatPythonValue } from "../python.ts";
import { buildAcquireUrl, buildHoldsUrl, type GuideOptions } from "./guide-options.ts";

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

ACQUIRE_URL = ${formatPythonValue(buildAcquireUrl(options))}
HOLDS_URL = ${formatPythonValue(buildHoldsUrl(options))}
LEASE_S = ${formatSeconds(leaseMs)}
WAIT_S = ${formatSeconds(waitMs)}


class Refused(Exception):
    def __init__(self, problem):
        super().__init__(problem["detail"])
        self.code = problem["code"]


def call(url, body, within_s, headers={}):
    request = Request(
        url,
        method="POST",
        headers={
            "Authorization": f"Bearer {os.environ['LOCKKEEPER_KEY']}",
            "Content-Type": "application/json",
            **headers,
        },
        data=json.dumps(body).encode(),
    )
    try:
        with urlopen(request, timeout=within_s) as response:
            return json.load(response)
    except HTTPError as answer:
        raise Refused(json.load(answer)) from None


deadline = 0.0  # on our own monotonic clock: from here on the lock may be somebody else's


def extend(url, body, within_s, headers={}):
    global deadline
    sent_at = time.monotonic()
    hold = call(url, body, within_s, headers)
    deadline = sent_at + (hold.get("waitedMs", 0) + hold["remainingMs"]) / 1000
    return hold


def acquire():
    body = {"leaseMs": int(LEASE_S * 1000), "waitMs": int(WAIT_S * 1000)}
    headers = {"Idempotency-Key": str(uuid.uuid4())}  # the same for both tries: there is one hold at most
    try:
        return extend(ACQUIRE_URL, body, WAIT_S + 2.5, headers)
    except OSError:  # no answer
        return extend(ACQUIRE_URL, body, WAIT_S + 2.5, headers)


ended = threading.Event()


def keep_alive():
    global deadline
    while not ended.wait(LEASE_S / 3):
        try:
            extend(f"{hold_url}/renew", {}, LEASE_S / 6)
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
    hold = acquire()
except (Refused, OSError) as error:
    print(f"not acquired: {error}", flush=True)
    sys.exit(1)
hold_url = f"{HOLDS_URL}/{hold['holdId']}"
print(f"acquired with fence {hold['fence']}", flush=True)
renewing = threading.Thread(target=keep_alive)
renewing.start()
try:
    for step in range(1, ${steps} + 1):
        assert_held()  # before each step whose effect others see
        print(f"step {step} with fence {hold['fence']}", flush=True)  # send the fence along with every write
        time.sleep(${formatSeconds(stepMs)})
    assert_held()
except Lost:
    print("lost: stopped", flush=True)
    sys.exit(1)
finally:
    ended.set()
    renewing.join()
    call(f"{hold_url}/release", {}, 5)  # a hold that has ended is left as it is
print("released", flush=True)
`;
}
