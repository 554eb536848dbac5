import { z } from "zod";
import { Holder, keyFields, Lock, Permits } from "../lock.ts";
import { createSampleLock } from "../sample-lock.ts";

export const HolderFacts = Holder.pick({ owner: true, count: true, fence: true, record: true }).meta({
  id: "HolderFacts",
  description: "A holder of the lock.",
});
export const REMAINING_MS = z
  .int()
  .nullable()
  .meta({ description: "Milliseconds until the lock expires unless it is renewed; null: no TTL." });
export const HELD_FACTS = {
  ...keyFields,
  holders: z
    .array(HolderFacts)
    .meta({ description: "The holders of the lock. Empty for a semaphore, which has `permits` instead." }),
  permits: Permits.optional().meta({
    description:
      "The permits of a semaphore. `available` is negative if the limit was decreased below the acquired permits. `total` is null for a `plain_semaphore`, because Redis does not store it. Absent for a lock.",
  }),
  remainingMs: REMAINING_MS,
  asOf: z.int().meta({ description: "Redis's clock when the lock was read, in Unix milliseconds." }),
};
export const LOCK_NOW = Lock.meta({ description: "The lock as it is now." });

export const KEY = "lock:orders:42";
export const HELD_EXAMPLE = {
  key: KEY,
  holders: [
    {
      owner: "checkout@pod-2:17",
      count: 1,
      fence: "1795216496123456",
      record: { service: "checkout", host: "pod-2", pid: 17 },
    },
  ],
  remainingMs: 21_480,
  asOf: 1_795_216_504_643,
};
export const LOCK_EXAMPLE = createSampleLock({
  target: "default",
  key: KEY,
  holders: [
    {
      owner: "checkout@pod-2:17",
      count: 1,
      fence: "1795216496123456",
      holdId:
        "h1.ZGVmYXVsdAByZWRpc3NvbgAAMGQyYjdjMWUtOWY1NC00YTZkLThmNmItM2YxZjBlNWE3YzIxOjE3ADE3OTUyMTY0OTYxMjM0NTYAbG9jazpvcmRlcnM6NDI",
      since: 1_795_216_496_123,
      sinceIs: "exact",
      remainingMs: 21_480,
      version: "fence.1795216496123456",
    },
  ],
  remainingMs: 21_480,
  version: "fence.1795216496123456",
  asOf: 1_795_216_504_643,
});

export const DeadlockStep = z
  .object({
    owner: z.string().meta({ description: "The waiting client." }),
    key: z.string().meta({ description: "The lock that it waits for." }),
  })
  .meta({ id: "DeadlockStep", description: "One client of a deadlock." });
