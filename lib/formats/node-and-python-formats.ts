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
  why: "Without its lock the job runs on, its result is lost, and the queue runs it a second time beside the first.",
  instead:
    "If its worker is dead the lock lapses by itself and the job is recovered. Else end the job through the queue's own API, with this token.",
};

const JOB_WAITERS = "Nobody waits for the lock of a job.";
const REDIS_PY_OLD_OWNER = "Its release() raises LockNotOwnedError. Until then it goes on working.";

export const NODE_AND_PYTHON_FORMATS: Readonly<Record<Extract<FormatName, CoveredFormat>, FormatFacts>> = {
  bullmq: {
    label: "BullMQ",
    layout: "one string, the worker's id and a number",
    owner: "unique",
    renews: { who: "all", afterShare: 1 / 2 },
    waiters: JOB_WAITERS,
    oldOwner: "Its worker runs on and cannot store the result; the job is run again.",
    never: JOB_LOCK,
  },
  bull: {
    label: "Bull",
    layout: "one string, the id of the queue's process",
    owner: "recurs",
    renews: { who: "all", afterShare: 1 / 2 },
    waiters: JOB_WAITERS,
    oldOwner:
      "Its worker runs on and cannot store the result; the job stays active until it is found stalled.",
    never: JOB_LOCK,
  },
  "ioredis-lock": {
    label: "ioredis-lock",
    layout: "one string, a UUID",
    owner: "recurs",
    renews: { who: "none" },
    waiters: POLLING_WAITERS,
    oldOwner: "Its release() is rejected. Until then it goes on working.",
  },
  "redis-lock": {
    label: "redis-lock (npm)",
    layout: "one string, the time in milliseconds at which it ends",
    owner: "recurs",
    renews: { who: "none" },
    waiters: POLLING_WAITERS,
    oldOwner: "It is told nothing. Until its time has passed it goes on working.",
    comesBack:
      "Until its time has passed its unlock deletes the key without comparing it, and hits whoever has the lock by then.",
  },
  "redis-semaphore": {
    label: "redis-semaphore",
    layout: "one string or a sorted set of holders",
    owner: "recurs",
    renews: { who: "all", afterShare: 0.8 },
    waiters: "Who waits asks every 10 ms, and whoever asks first gets it.",
    oldOwner:
      "At its next refresh it throws where nobody catches it: by default its Node process ends with exit code 1. An app that gives onLockLost is told instead.",
    comesBack:
      "A Redlock mutex or semaphore over several servers is taken again at its next refresh unless it is freed on all of them.",
  },
  redlock: {
    label: "redlock",
    layout: "one string, 32 hexadecimal digits",
    owner: "unique",
    renews: { who: "some", afterShare: 0.9 },
    waiters: "Who waits asks about every 200 ms, and whoever asks first gets it.",
    oldOwner:
      "Its release is rejected (LockError, or ExecutionError after some retries); using() tries to extend it, and aborts its signal when the lease that it knows of has ended. Until then it goes on working.",
  },
  "simple-redis-mutex": {
    label: "simple-redis-mutex",
    layout: "one string, a random fraction such as 0.59…",
    owner: "unique",
    renews: { who: "none" },
    waiters: "All waiters are notified through a channel, and the first one to ask acquires the lock.",
    oldOwner: "It is not notified, and its release does nothing. Until then it continues working.",
  },
  warlock: {
    label: "node-redis-warlock",
    layout: "one string, 24 base64 characters with the time in it",
    owner: "unique",
    renews: { who: "none" },
    waiters:
      "Waiters poll at the interval that their application chose, and the first one to ask acquires the lock.",
    oldOwner: "Its unlock() and touch() return 0. Until then it continues working.",
  },
  "celery-singleton": {
    label: "celery-singleton",
    layout: "one string, the id of the task",
    owner: "unique",
    renews: { who: "none" },
    waiters:
      "Nobody waits: a duplicate task is not queued, and its caller gets the id of the task that holds the lock.",
    oldOwner: "It is not notified: the same task can be queued and run in parallel.",
    comesBack:
      "When the task ends, it deletes the key without comparing it, even if another task holds the lock by then.",
  },
  huey: {
    label: "huey",
    layout: "one string or the field of a hash of results, the same for every holder",
    owner: "recurs",
    renews: { who: "none" },
    waiters:
      "Nobody waits: a task that finds it held fails with TaskLockedException, and runs again if it has retries.",
    oldOwner: "It is not notified, and the next task runs in parallel.",
    comesBack:
      "When the task ends, it deletes the lock without comparing it, even if another task holds it by then.",
  },
  "celery-once": {
    label: "celery-once",
    layout: "one string, 32 hexadecimal digits with the time in it",
    owner: "unique",
    renews: { who: "none" },
    waiters: "Nobody waits for it: a task that finds it taken is not queued.",
    oldOwner: "It is told nothing: the same task may be queued again beside it.",
    comesBack: "When its task ends it deletes the key without comparing it, and hits whoever has it by then.",
  },
  "django-redis": {
    label: "django-redis",
    layout: "one string, 32 hexadecimal digits with the time in it",
    owner: "unique",
    renews: { who: "none" },
    waiters: "Who waits asks every 100 ms, and whoever asks first gets it.",
    oldOwner: REDIS_PY_OLD_OWNER,
  },
  pottery: {
    label: "pottery",
    layout: "one string, a UUID",
    owner: "unique",
    renews: { who: "none" },
    waiters: "Who waits asks every 200 ms or sooner, and whoever asks first gets it.",
    oldOwner: "Its release() raises ReleaseUnlockedLock. Until then it goes on working.",
  },
  "python-redis-lock": {
    label: "python-redis-lock",
    layout: "one string, 24 base64 characters",
    owner: "recurs",
    renews: { who: "some", afterShare: 2 / 3 },
    waiters: "One of those who wait is woken. Without that signal they could wait for ever.",
    oldOwner: "Its release() raises NotAcquired, and its renewal thread ends. Until then it goes on working.",
  },
  redbeat: {
    label: "RedBeat",
    layout: "one string, 32 hexadecimal digits with the time in it",
    owner: "unique",
    renews: { who: "all", afterShare: 1 / 5 },
    waiters: "Another beat takes it when it asks next, which may be minutes later.",
    oldOwner:
      "That beat's next extension raises, which ends it; another beat takes over within its interval.",
  },
  "redis-py": {
    label: "redis-py",
    layout: "one string, 32 hexadecimal digits with the time in it",
    owner: "unique",
    renews: { who: "none" },
    waiters: "Who waits asks every 100 ms, and whoever asks first gets it.",
    oldOwner: REDIS_PY_OLD_OWNER,
  },
  rq: {
    label: "RQ",
    layout: "one string, the id of the scheduler; before version 3 its process id",
    owner: "recurs",
    renews: { who: "all", afterShare: 1 / 60 },
    waiters:
      "Nobody is notified: another scheduler acquires it at its next attempt, which may be minutes later.",
    oldOwner:
      "From version 3 its next heartbeat, within a second by default, acquires the lock again. Before, it continues scheduling beside the next one.",
    comesBack:
      "Stop the scheduler first, or reserve the lock until it has stopped. Before version 3 its heartbeat and its end change the key without comparing it, even if another scheduler holds it by then.",
  },
  tooz: {
    label: "tooz",
    layout: "one string, 32 hexadecimal digits with the time in it",
    owner: "unique",
    renews: { who: "some", afterShare: 1 / 2 },
    waiters: POLLING_WAITERS,
    oldOwner: "Its heartbeat cannot prolong the lock, and its release fails. Until then it goes on working.",
  },
};
