"""The lock libraries of Python as one peer of the interop run: each is an object by its name."""

import sys

import redis
import redis_lock
from peer import now_ms, serve
from pottery import Redlock
from pottery.exceptions import ExtendUnlockedLock, ReleaseUnlockedLock

EXTENSION_S = 5

client = redis.Redis.from_url(sys.argv[1], socket_timeout=None)
holds = {}


class RedisPy:
    late = (redis.exceptions.LockNotOwnedError,)

    def __init__(self, key, lease_s):
        self.lock = client.lock(key, timeout=lease_s, thread_local=False)

    def acquire(self, wait_s):
        return self.lock.acquire(blocking=wait_s > 0, blocking_timeout=wait_s or None)

    def extend(self):
        self.lock.extend(EXTENSION_S)

    def owner(self):
        return self.lock.local.token.decode()


class PythonRedisLock:
    """Waits without a timeout: for the duration of its lease, or indefinitely."""

    late = (redis_lock.NotAcquired,)
    renews = False

    def __init__(self, key, lease_s):
        name = key.removeprefix("lock:")
        self.lock = redis_lock.Lock(client, name, expire=lease_s, auto_renewal=self.renews)

    def acquire(self, wait_s):
        return self.lock.acquire(blocking=wait_s > 0)

    def extend(self):
        self.lock.extend(EXTENSION_S)

    def owner(self):
        return self.lock.id


class PythonRedisLockRenewed(PythonRedisLock):
    renews = True


class Pottery:
    late = (ExtendUnlockedLock, ReleaseUnlockedLock)

    def __init__(self, key, lease_s):
        name = key.removeprefix("redlock:")
        self.lock = Redlock(key=name, masters={client}, auto_release_time=lease_s)

    def acquire(self, wait_s):
        return self.lock.acquire(blocking=wait_s > 0, timeout=wait_s or -1)

    def extend(self):
        self.lock.extend()

    def owner(self):
        return self.lock._uuid


LIBRARIES = {
    "redis-py": RedisPy,
    "python-redis-lock": PythonRedisLock,
    "python-redis-lock-renewed": PythonRedisLockRenewed,
    "pottery": Pottery,
}


def hold(who, library, key, wait_ms, lease_ms):
    since_ms = now_ms()
    lease_s = int(lease_ms) / 1000 if int(lease_ms) > 0 else None
    held = LIBRARIES[library](key, lease_s)
    if not held.acquire(int(wait_ms) / 1000):
        return {"outcome": "refused", "sinceMs": since_ms, "atMs": now_ms()}
    holds[who, key] = held
    return {"outcome": "granted", "sinceMs": since_ms, "atMs": now_ms(), "owner": held.owner()}


def told(held, act):
    try:
        act()
        return {"outcome": "released", "said": ""}
    except held.late as error:
        return {"outcome": "refused", "said": type(error).__name__}


def extend(who, library, key):
    held = holds[who, key]
    return told(held, held.extend)


def drop(who, library, key):
    held = holds.pop((who, key))
    return told(held, held.lock.release)


def renews(who, library, key):
    thread = holds[who, key].lock._lock_renewal_thread
    return {"isAlive": thread is not None and thread.is_alive()}


serve({"hold": hold, "drop": drop, "extend": extend, "renews": renews})
