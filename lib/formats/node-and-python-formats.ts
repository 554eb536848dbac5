import type { FormatName } from "../contract/format.ts";
import { type FormatFacts, POLLING_WAITERS } from "./format-facts.ts";

type CoveredFormat =
  | "bull"
  | "bullmq"
  | "ioredis-lock"
  | "redis-lock"
  | "redis-semaphore"
  | "redlock"
  | "simple-redis-mutex"
  | "warlock"
  | "celery-once"
  | "celery-singleton"
  | "django-redis"
  | "huey"
  | "pottery"
  | "python-redis-lock"
  | "redbeat"
  | "redis-py"
  | "rq"
  | "tooz";

const JOB_LOCK = {
  why: "Without its lock, the job continues, its result is lost, and the queue runs it again in parallel.",
  instead:
    "If its worker is dead, wait: the lock expires and the queue recovers the job. Otherwise end the job through the API of the queue, with this token.",
};

const JOB_WAITERS = "There are no waiters for the lock of a job.";
const REDIS_PY_OLD_OWNER = "Its release() raises LockNotOwnedError. Until then it continues working.";

export const NODE_AND_PYTHON_FORMATS: Readonly<Record<Extract<FormatName, CoveredFormat>, FormatFacts>> = {
  bullmq: {
    label: "BullMQ",
    layout: "one string, the worker's id and a number",
    owner: "unique",
    renews: { who: "all", afterShare: 1 / 2 },
    waiters: JOB_WAITERS,
    oldOwner: "Its worker continues but cannot store the result. The job is run again.",
    never: JOB_LOCK,
  },
  bull: {
    label: "Bull",
    layout: "one string, the id of the queue's process",
    owner: "recurs",
    renews: { who: "all", afterShare: 1 / 2 },
    waiters: JOB_WAITERS,
    oldOwner:
      "Its worker continues but cannot store the result. The job stays active until the queue detects it as stalled.",
    never: JOB_LOCK,
  },
  "ioredis-lock": {
    label: "ioredis-lock",
    layout: "one string, a UUID",
    owner: "recurs",
    renews: { who: "none" },
    waiters: POLLING_WAITERS,
    oldOwner: "Its release() is rejected. Until then it continues working.",
  },
  "redis-lock": {
    label: "redis-lock (npm)",
    layout: "one string, the time in milliseconds at which the lock expires",
    owner: "recurs",
    renews: { who: "none" },
    waiters: POLLING_WAITERS,
    oldOwner: "It is not notified. Until its lease has expired, it continues working.",
    comesBack:
      "Until its lease has expired, its unlock deletes the key without comparing it, even if another client holds the lock by then.",
  },
  "redis-semaphore": {
    label: "redis-semaphore",
    layout: "one string or a sorted set of holders",
    owner: "recurs",
    renews: { who: "all", afterShare: 0.8 },
    waiters: "Waiters poll every 10 ms. The first one to poll acquires the lock.",
    oldOwner:
      "At its next refresh it throws an uncaught error, which by default ends its Node process with exit code 1. An application that passes onLockLost is notified instead.",
    comesBack:
      "A Redlock mutex or semaphore over several servers is acquired again at its next refresh, unless it is released on all of them.",
  },
  redlock: {
    label: "redlock",
    layout: "one string, 32 hexadecimal digits",
    owner: "unique",
    renews: { who: "some", afterShare: 0.9 },
    waiters: "Waiters poll about every 200 ms. The first one to poll acquires the lock.",
    oldOwner:
      "Its release is rejected (LockError, or ExecutionError after some retries); using() tries to extend it, and aborts its signal when the lease that it knows has expired. Until then it continues working.",
  },
  "simple-redis-mutex": {
    label: "simple-redis-mutex",
    layout: "one string, a random fraction such as 0.59…",
    owner: "unique",
    renews: { who: "none" },
    waiters: "All waiters are notified through a channel. The first one to retry acquires the lock.",
    oldOwner: "It is not notified, and its release does nothing. Until then it continues working.",
  },
  warlock: {
    label: "node-redis-warlock",
    layout: "one string, 24 base64 characters with the time in it",
    owner: "unique",
    renews: { who: "none" },
    waiters:
      "Waiters poll at the interval that their application chose. The first one to poll acquires the lock.",
    oldOwner: "Its unlock() and touch() return 0. Until then it continues working.",
  },
  "celery-singleton": {
    label: "celery-singleton",
    layout: "one string, the id of the task",
    owner: "unique",
    renews: { who: "none" },
    waiters:
      "There are no waiters: a duplicate task is not queued, and its caller gets the id of the task that holds the lock.",
    oldOwner: "It is not notified: the same task can be queued and run in parallel.",
    comesBack:
      "When the task ends, it deletes the key without comparing it, even if another task holds the lock by then.",
  },
  huey: {
    label: "huey",
    layout: "one string or a field in the hash of results, the same for every holder",
    owner: "recurs",
    renews: { who: "none" },
    waiters:
      "There are no waiters: a task whose lock is held fails with TaskLockedException, and runs again if it has retries.",
    oldOwner: "It is not notified, and the next task runs in parallel.",
    comesBack:
      "When the task ends, it deletes the lock without comparing it, even if another task holds it by then.",
  },
  "celery-once": {
    label: "celery-once",
    layout: "one string, 32 hexadecimal digits with the time in it",
    owner: "unique",
    renews: { who: "none" },
    waiters: "There are no waiters: a task whose lock is held is not queued.",
    oldOwner: "It is not notified: the same task can be queued and run in parallel.",
    comesBack:
      "When the task ends, it deletes the key without comparing it, even if another task holds the lock by then.",
  },
  "django-redis": {
    label: "django-redis",
    layout: "one string, 32 hexadecimal digits with the time in it",
    owner: "unique",
    renews: { who: "none" },
    waiters: "Waiters poll every 100 ms. The first one to poll acquires the lock.",
    oldOwner: REDIS_PY_OLD_OWNER,
  },
  pottery: {
    label: "pottery",
    layout: "one string, a UUID",
    owner: "unique",
    renews: { who: "none" },
    waiters: "Waiters poll at least every 200 ms. The first one to poll acquires the lock.",
    oldOwner: "Its release() raises ReleaseUnlockedLock. Until then it continues working.",
  },
  "python-redis-lock": {
    label: "python-redis-lock",
    layout: "one string, 24 base64 characters",
    owner: "recurs",
    renews: { who: "some", afterShare: 2 / 3 },
    waiters: "One waiter is notified. Without this notification, the waiters could block forever.",
    oldOwner:
      "Its release() raises NotAcquired, and its renewal thread ends. Until then it continues working.",
  },
  redbeat: {
    label: "RedBeat",
    layout: "one string, 32 hexadecimal digits with the time in it",
    owner: "unique",
    renews: { who: "all", afterShare: 1 / 5 },
    waiters:
      "Waiters are not notified: another beat acquires the lock at its next attempt, which may be minutes later.",
    oldOwner:
      "Its next extension raises an error, which ends that beat. Another beat takes over within its interval.",
  },
  "redis-py": {
    label: "redis-py",
    layout: "one string, 32 hexadecimal digits with the time in it",
    owner: "unique",
    renews: { who: "none" },
    waiters: "Waiters poll every 100 ms. The first one to poll acquires the lock.",
    oldOwner: REDIS_PY_OLD_OWNER,
  },
  rq: {
    label: "RQ",
    layout: "one string, the id of the scheduler; before version 3 its process id",
    owner: "recurs",
    renews: { who: "all", afterShare: 1 / 60 },
    waiters:
      "Waiters are not notified: another scheduler acquires the lock at its next attempt, which may be minutes later.",
    oldOwner:
      "From version 3, its next heartbeat, by default within 1 s, acquires the lock again. Before version 3, it continues scheduling in parallel with the next one.",
    comesBack:
      "Stop the scheduler first, or reserve the lock until it has stopped. Before version 3, its heartbeat and its shutdown change the key without comparing it, even if another scheduler holds the lock by then.",
  },
  tooz: {
    label: "tooz",
    layout: "one string, 32 hexadecimal digits with the time in it",
    owner: "unique",
    renews: { who: "some", afterShare: 1 / 2 },
    waiters: POLLING_WAITERS,
    oldOwner: "Its heartbeat cannot renew the lock, and its release fails. Until then it continues working.",
  },
};
