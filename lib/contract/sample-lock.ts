import type { Holder, Lock } from "./lock.ts";

/** Creates a Redisson lock with one holder, for tests and examples. `fields` overrides the defaults. */
export function createSampleLock(fields: Partial<Lock> = {}): Lock {
  return {
    target: "main",
    key: "lock:a",
    state: "held",
    type: "hash",
    format: "redisson",
    candidates: [],
    kind: "lock",
    confidence: "certain",
    holders: [createSampleHolder()],
    remainingMs: 5000,
    leaseMs: 30_000,
    waiters: { count: null, known: "unknown" },
    liveness: null,
    sharedWith: [],
    release: { may: "yes", formats: [], oneHolder: false, reservable: true },
    version: "v1",
    asOf: 100,
    ...fields,
  };
}

export function createSampleHolder(fields: Partial<Holder> = {}): Holder {
  return {
    owner: "o",
    count: 1,
    fence: "7",
    holdId: null,
    since: 1,
    sinceIs: "exact",
    remainingMs: 5000,
    version: "v1",
    ...fields,
  };
}
