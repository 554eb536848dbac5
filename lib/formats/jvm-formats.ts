import type { FormatName } from "../contract/format.ts";
import type { FormatFacts } from "./format-facts.ts";

type CoveredFormat = "redisson" | "token" | "timestamp" | "shedlock" | "spring" | "lan1tian" | "lock4j";

export const JVM_AND_OWN_FORMATS: Readonly<Record<Extract<FormatName, CoveredFormat>, FormatFacts>> = {
  redisson: {
    label: "Redisson",
    layout: "a hash of owner and count, as Redisson writes it",
    owner: "recurs",
    renews: { who: "some", afterShare: 1 / 3 },
    waiters:
      "Those of a fair lock are woken in their order; of any other lock each client that listens is told, and whoever asks first gets it.",
    oldOwner:
      "Its watchdog finds the lock gone and stops. Its unlock() throws IllegalMonitorStateException, release() of a permit RedisException. Until then it goes on working.",
  },
  token: {
    label: "One string",
    layout: "one string, its owner",
    owner: "recurs",
    renews: { who: "some", afterShare: 1 / 3 },
    waiters:
      "Those who wait by Lockkeeper are told, and whoever asks first gets it; clients of other libraries ask again by themselves.",
    oldOwner:
      "It finds out at its next renewal or release, which compares the value. Until then it goes on working.",
  },
  timestamp: {
    label: "Deadline",
    layout: "one string, the time at which it ends",
    owner: "recurs",
    renews: { who: "none" },
    waiters:
      "Those who wait by Lockkeeper are told, and whoever asks first gets it; other clients ask again by themselves.",
    oldOwner:
      "It is told nothing. A client that deletes the key without comparing it deletes the lock of whoever has it by then.",
  },
  shedlock: {
    label: "ShedLock",
    layout: "one string with the time, the host and an id",
    owner: "unique",
    renews: { who: "some", afterShare: 1 / 2 },
    waiters: "Nobody waits for it: a job that finds it taken is left out until its next turn.",
    oldOwner:
      "It is told nothing and finishes its job. A job that has ended may keep the lock until its lockAtLeastFor is over.",
    comesBack:
      "By default its unlock deletes the key without comparing it, and a keep-alive overwrites it: both hit whoever has the lock by then. Hold it off until the old job has ended.",
  },
  spring: {
    label: "Spring Integration",
    layout: "one string, the id of the registry, the same for all locks of an app",
    owner: "recurs",
    renews: { who: "some", afterShare: 1 / 3 },
    waiters:
      "In PUB_SUB mode those who wait are told; else they ask every 100 ms. Whoever asks first gets it.",
    oldOwner: "Its unlock() throws ConcurrentModificationException. Until then it goes on working.",
  },
  lock4j: {
    label: "lock4j",
    layout: "one string, 32 hexadecimal digits",
    owner: "unique",
    renews: { who: "some", afterShare: 1 / 3 },
    waiters: "Waiters poll every 100 ms, and the first one to ask acquires the lock.",
    oldOwner:
      "Its renewals stop at the next attempt, and its release returns false, which is logged as an error. Until then it continues working.",
  },
  lan1tian: {
    label: "lan1tian/lock",
    layout: "one string, a UUID",
    owner: "unique",
    renews: { who: "all", afterShare: 1 / 3 },
    waiters: "Who waits asks about every millisecond, and whoever asks first gets it.",
    oldOwner: "At its next renewal, within ten seconds, the thread that took the lock is interrupted.",
  },
};
