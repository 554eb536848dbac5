import type { FormatName } from "../contract/format.ts";
import { type FormatFacts, POLLING_WAITERS } from "./format-facts.ts";

type CoveredFormat =
  | "bsm-redislock"
  | "laravel"
  | "medallion"
  | "php-lock"
  | "redlock-net"
  | "redlock-rb"
  | "redsync"
  | "rueidislock"
  | "sidekiq-unique-jobs"
  | "symfony";

/** Facts about the formats of Go, .NET, PHP and Ruby libraries. */
export const OTHER_FORMATS: Readonly<Record<Extract<FormatName, CoveredFormat>, FormatFacts>> = {
  "bsm-redislock": {
    label: "bsm/redislock",
    layout: "one string, 22 base64 characters and a suffix of the application",
    owner: "unique",
    renews: { who: "none" },
    waiters:
      "Waiters poll at the interval that their application chose. The first one to poll acquires the lock.",
    oldOwner:
      "Its Refresh and Release return ErrLockNotHeld or ErrNotObtained. A lock over several keys fails as a whole. Until then it continues working.",
  },
  redsync: {
    label: "redsync",
    layout: "one string, 24 base64 characters",
    owner: "unique",
    renews: { who: "none" },
    waiters: "Waiters poll every 50 to 250 ms, at most 32 times. The first one to poll acquires the lock.",
    oldOwner: "Its Unlock and Extend return an error. Until then it continues working.",
    comesBack: "With WithSetNXOnExtend, its next Extend recreates the lock if it is free.",
  },
  rueidislock: {
    label: "rueidislock",
    layout: "three or more strings with the same 24 random bytes; a majority of them is the lock",
    owner: "unique",
    renews: { who: "all", afterShare: 1 / 2 },
    waiters: "Redis notifies the clients that track the keys. The first one to retry acquires the lock.",
    oldOwner: "Redis also notifies it: its context is cancelled when it has lost the majority of the keys.",
  },
  "redlock-net": {
    label: "RedLock.net",
    layout: "one string, a UUID",
    owner: "unique",
    renews: { who: "all", afterShare: 1 / 2 },
    waiters: POLLING_WAITERS,
    oldOwner: "It notices the loss but continues working.",
    comesBack:
      "Its timer recreates the lock every half lease while its process is running. Stop the process first, or reserve the lock until it has stopped.",
  },
  medallion: {
    label: "DistributedLock",
    layout: "machine, process id and an id: as a string, in a set or in a sorted set",
    owner: "unique",
    renews: { who: "all", afterShare: 0.3 },
    waiters: "Waiters poll every 10 to 800 ms. The first one to poll acquires the lock.",
    oldOwner: "Its HandleLostToken is cancelled at the next renewal. Until then it continues working.",
    comesBack: "Only a waiting writer, whose owner ends with _WRITERWAITING, returns at its next attempt.",
  },
  laravel: {
    label: "Laravel",
    layout: "one string, 16 letters and digits",
    owner: "recurs",
    renews: { who: "none" },
    waiters: "Waiters poll every 250 ms. The first one to poll acquires the lock.",
    oldOwner: "Its release() returns false. Until then it continues working.",
  },
  symfony: {
    label: "Symfony",
    layout: "a sorted set of tokens and their expiry times",
    owner: "recurs",
    renews: { who: "none" },
    waiters: "Waiters poll about every 100 ms. The first one to poll acquires the lock.",
    oldOwner:
      "Its refresh() throws LockConflictedException or LockExpiredException. Until then it continues working.",
  },
  "php-lock": {
    label: "php-lock",
    layout: "one string, hexadecimal digits",
    owner: "unique",
    renews: { who: "none" },
    waiters: POLLING_WAITERS,
    oldOwner:
      "At the end of its critical section it throws LockReleaseException. Until then it continues working.",
  },
  "sidekiq-unique-jobs": {
    label: "sidekiq-unique-jobs",
    layout: "a hash of job ids, and further keys",
    owner: "recurs",
    renews: { who: "none" },
    waiters: "The next job in its queue is notified.",
    oldOwner: "It is not notified: the same job can be queued or run in parallel.",
  },
  "redlock-rb": {
    label: "redlock-rb",
    layout: "one string, a UUID",
    owner: "unique",
    renews: { who: "none" },
    waiters: POLLING_WAITERS,
    oldOwner:
      "It is not notified: its unlock has no effect and reports no error. Until then it continues working.",
    comesBack: "By default, its extend recreates the lock if it is free.",
  },
};
