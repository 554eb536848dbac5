import type { FormatName } from "../contract/format.ts";
import { type FormatFacts, POLLING_WAITERS } from "./format-facts.ts";

type CoveredFormat =
  | "bull"
  | "bullmq"
  | "ioredis-lock"
  | "redis-lock"
  | "redis-semaphore"
  | "redlock"
  | "celery-once"
  | "django-redis"
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
    layout: "one string, the process id of the scheduler",
    owner: "recurs",
    renews: { who: "all", afterShare: 1 / 60 },
    waiters: "Nobody is told: another scheduler takes it when it asks next.",
    oldOwner: "It is told nothing, and goes on scheduling beside the next one.",
    comesBack:
      "Its heartbeat and its end act on the key without comparing it, and hit whoever has it by then.",
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
