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

/** Go, .NET, PHP and Ruby. */
export const OTHER_FORMATS: Readonly<Record<Extract<FormatName, CoveredFormat>, FormatFacts>> = {
  "bsm-redislock": {
    label: "bsm/redislock",
    layout: "one string, 22 base64 characters and what the app adds",
    owner: "unique",
    renews: { who: "none" },
    waiters: "Nobody is told: who waits asks again as its app says, and whoever asks first gets it.",
    oldOwner:
      "Its Refresh and Release answer ErrLockNotHeld or ErrNotObtained. A lock over several keys fails as a whole. Until then it goes on working.",
  },
  redsync: {
    label: "redsync",
    layout: "one string, 24 base64 characters",
    owner: "unique",
    renews: { who: "none" },
    waiters: "Who waits asks after 50 to 250 ms, 32 times at most, and whoever asks first gets it.",
    oldOwner: "Its Unlock and Extend answer an error. Until then it goes on working.",
    comesBack: "With WithSetNXOnExtend its next Extend makes the lock again when it is free.",
  },
  rueidislock: {
    label: "rueidislock",
    layout: "three strings or more, each with the same 24 random bytes; a majority of them is the lock",
    owner: "unique",
    renews: { who: "all", afterShare: 1 / 2 },
    waiters: "Redis notifies its clients that track the keys, and the first one to ask acquires the lock.",
    oldOwner:
      "Redis notifies it as well: its context is cancelled when it has lost the majority of the keys.",
  },
  "redlock-net": {
    label: "RedLock.net",
    layout: "one string, a UUID",
    owner: "unique",
    renews: { who: "all", afterShare: 1 / 2 },
    waiters: POLLING_WAITERS,
    oldOwner: "It notices and goes on.",
    comesBack:
      "Its timer makes the lock again at every half of its lease as long as its process lives. Stop the process, or hold the lock off for as long as it lives.",
  },
  medallion: {
    label: "DistributedLock",
    layout: "machine, process id and an id: as a string, in a set or in a sorted set",
    owner: "unique",
    renews: { who: "all", afterShare: 0.3 },
    waiters: "Who waits asks after 10 to 800 ms, and whoever asks first gets it.",
    oldOwner: "Its HandleLostToken is cancelled at the next renewal. Until then it goes on working.",
    comesBack: "Only a writer that waits (its owner ends with _WRITERWAITING) is back with its next try.",
  },
  laravel: {
    label: "Laravel",
    layout: "one string, 16 letters and digits",
    owner: "recurs",
    renews: { who: "none" },
    waiters: "Who waits asks every 250 ms, and whoever asks first gets it.",
    oldOwner: "Its release() answers false. Until then it goes on working.",
  },
  symfony: {
    label: "Symfony",
    layout: "a sorted set of tokens and their ends",
    owner: "recurs",
    renews: { who: "none" },
    waiters: "Who waits asks about every 100 ms, and whoever asks first gets it.",
    oldOwner:
      "Its refresh() raises LockConflictedException or LockExpiredException. Until then it goes on working.",
  },
  "php-lock": {
    label: "php-lock",
    layout: "one string, hexadecimal digits",
    owner: "unique",
    renews: { who: "none" },
    waiters: POLLING_WAITERS,
    oldOwner: "When its section ends it raises LockReleaseException. Until then it goes on working.",
  },
  "sidekiq-unique-jobs": {
    label: "sidekiq-unique-jobs",
    layout: "a hash of job ids, with keys beside it",
    owner: "recurs",
    renews: { who: "none" },
    waiters: "The next job in its queue is woken.",
    oldOwner: "It is told nothing: the same job may be queued or run again beside it.",
  },
  "redlock-rb": {
    label: "redlock-rb",
    layout: "one string, a UUID",
    owner: "unique",
    renews: { who: "none" },
    waiters: POLLING_WAITERS,
    oldOwner:
      "It is told nothing: its unlock deletes nothing and says so to nobody. Until then it goes on working.",
    comesBack: "By default an extend of it makes the lock again when it is free.",
  },
};
