import type { FormatName } from "../contract/format.ts";
import type { FormatFacts } from "./format-facts.ts";

type CoveredFormat = "redisson" | "token" | "timestamp" | "shedlock" | "spring" | "lan1tian" | "lock4j";

export const JVM_AND_OWN_FORMATS: Readonly<Record<Extract<FormatName, CoveredFormat>, FormatFacts>> = {
  redisson: {
    label: "Redisson",
    layout: "a hash of owners and counts",
    owner: "recurs",
    renews: { who: "some", afterShare: 1 / 3 },
    waiters:
      "On a fair lock, waiters are notified in order. On other locks, every subscribed client is notified, and the first one to retry acquires the lock.",
    oldOwner:
      "Its watchdog stops at the next renewal. Its unlock() throws IllegalMonitorStateException, and release() of a permit RedisException. Until then it continues working.",
  },
  token: {
    label: "One string",
    layout: "one string, the owner",
    owner: "recurs",
    renews: { who: "some", afterShare: 1 / 3 },
    waiters:
      "Clients that wait through Lockkeeper are notified. Clients of other libraries poll. The first one to retry acquires the lock.",
    oldOwner:
      "It notices at its next renewal or release, which compares the value. Until then it continues working.",
  },
  timestamp: {
    label: "Deadline",
    layout: "one string, the time at which the lock expires",
    owner: "recurs",
    renews: { who: "none" },
    waiters:
      "Clients that wait through Lockkeeper are notified. Other clients poll. The first one to retry acquires the lock.",
    oldOwner:
      "It is not notified. A client that deletes the key without comparing it ends the hold of the next client.",
  },
  shedlock: {
    label: "ShedLock",
    layout: "one string with the time, the host and an id",
    owner: "unique",
    renews: { who: "some", afterShare: 1 / 2 },
    waiters: "There are no waiters: a job whose lock is held is skipped until its next run.",
    oldOwner:
      "It is not notified and finishes its job. A finished job can keep the lock until its lockAtLeastFor has passed.",
    comesBack:
      "By default, its unlock deletes the key and its keep-alive overwrites it, both without comparing it, even if another job holds the lock by then. Reserve the lock until the old job has ended.",
  },
  spring: {
    label: "Spring Integration",
    layout: "one string, the id of the registry, the same for all locks of an application",
    owner: "recurs",
    renews: { who: "some", afterShare: 1 / 3 },
    waiters:
      "In PUB_SUB mode, waiters are notified; otherwise they poll every 100 ms. The first one to retry acquires the lock.",
    oldOwner: "Its unlock() throws ConcurrentModificationException. Until then it continues working.",
  },
  lock4j: {
    label: "lock4j",
    layout: "one string, 32 hexadecimal digits",
    owner: "unique",
    renews: { who: "some", afterShare: 1 / 3 },
    waiters: "Waiters poll every 100 ms. The first one to poll acquires the lock.",
    oldOwner:
      "Its renewals stop at the next attempt, and its release returns false, which is logged as an error. Until then it continues working.",
  },
  lan1tian: {
    label: "lan1tian/lock",
    layout: "one string, a UUID",
    owner: "unique",
    renews: { who: "all", afterShare: 1 / 3 },
    waiters: "Waiters poll about every millisecond. The first one to poll acquires the lock.",
    oldOwner: "At its next renewal, within 10 s, the thread that acquired the lock is interrupted.",
  },
};
