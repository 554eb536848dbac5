"""redis-py's Lock as a peer of the interop run: reads `id verb argument ...` lines, answers `id {json}` lines."""

import random
import sys
import threading
import time

import redis
from peer import now_ms, serve
from redis.exceptions import LockError

LEASE_S = 30
POLL_S = 0.01
PAUSE_S = 0.004

client = redis.Redis.from_url(sys.argv[1], decode_responses=True)
holds = {}


def lock_on(key, lease_s):
    return client.lock(key, timeout=lease_s, sleep=POLL_S, thread_local=False)


def take(who, key, wait_ms, lease_ms):
    lock = lock_on(key, int(lease_ms) / 1000)
    granted = lock.acquire(blocking=int(wait_ms) > 0, blocking_timeout=int(wait_ms) / 1000 or None)
    if granted:
        holds[who, key] = lock
    return {"outcome": "granted" if granted else "refused", "atMs": now_ms()}


def release(who, key):
    from_ms = now_ms()
    try:
        holds[who, key].release()
        outcome = "released"
    except LockError:
        outcome = "refused"
    return {"outcome": outcome, "fromMs": from_ms}


def section(key, tally):
    if client.incr("inside:" + key) != 1:
        tally["overlaps"] += 1
    before = int(client.get("count:" + key))
    if client.getset("last:" + key, "theirs") != "theirs":
        tally["handOvers"] += 1
    client.set("count:" + key, before + 1)
    client.decr("inside:" + key)
    tally["sections"] += 1


def contend_once(key, until, tally, faults):
    try:
        while time.monotonic() < until:
            with lock_on(key, LEASE_S):
                section(key, tally)
            time.sleep(random.random() * PAUSE_S)
    except Exception as fault:
        faults.append(repr(fault))


def contend(key, for_ms, loops):
    until = time.monotonic() + int(for_ms) / 1000
    faults = []
    names = ("sections", "overlaps", "handOvers", "reentries", "wrongCounts")
    tallies = [dict.fromkeys(names, 0) for _ in range(int(loops))]
    threads = [threading.Thread(target=contend_once, args=(key, until, tally, faults)) for tally in tallies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        return {"error": faults[0]}
    return {name: sum(tally[name] for tally in tallies) for name in names}


def hold_in_turn(key, until_ns, work_s, holds_ms):
    # With its defaults, other than the peers of the interop run.
    lock = client.lock(key, timeout=LEASE_S)
    while time.monotonic_ns() < until_ns:
        asked = time.monotonic_ns()
        lock.acquire(blocking=True)
        granted = time.monotonic_ns()
        time.sleep(work_s)
        released = time.monotonic_ns()
        lock.release()
        holds_ms.append([asked / 1e6, granted / 1e6, released / 1e6])


def occupy(key, for_ms, work_ms, loops):
    """Acquires the lock repeatedly in each thread. Times are on the machine's monotonic clock, in ms."""
    until_ns = time.monotonic_ns() + int(for_ms) * 1_000_000
    workers = [[] for _ in range(int(loops))]
    args = [(key, until_ns, int(work_ms) / 1000, holds_ms) for holds_ms in workers]
    threads = [threading.Thread(target=hold_in_turn, args=arg) for arg in args]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"workers": workers}


VERBS = {"take": take, "release": release, "contend": contend, "occupy": occupy}

serve(VERBS)
