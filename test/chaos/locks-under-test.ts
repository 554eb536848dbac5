/**
 * The kinds that a run can test. The readers and writers of a `read-write` lock share a key. A `condition` is a plain
 * lock whose holders wait for conditions.
 */
export const KINDS = [
  "lock",
  "fair",
  "read-write",
  "semaphore",
  "plain-semaphore",
  "latch",
  "condition",
] as const;
export type KindUnderTest = (typeof KINDS)[number];

/** A lock, semaphore or latch that the workers compete for. */
export interface LockUnderTest {
  readonly key: string;
  readonly kind: KindUnderTest;
}

/** The total number of permits of each semaphore. */
export const PERMIT_LIMIT = 5;
/** The largest number of permits that a worker acquires at once. Two such holds exceed the limit. */
export const PERMITS_MAX = 3;
/** The number of items that fit into the buffer which the lock of a condition protects. */
export const BUFFER_CAPACITY = 2;
/** The count with which each latch is closed. */
export const LATCH_COUNT = 3;

/**
 * The fair wait time, in ms. Only waiters whose heartbeat was evicted stay in the queue for so long. With the default
 * of five minutes, a dead one would block its lock until the end of the run.
 */
export const FAIR_WAIT_MS = 5000;

/** Whether the library supports the kind, and the HTTP client does not. */
export function isLibraryOnly(kind: KindUnderTest): boolean {
  return kind === "latch" || kind === "condition";
}

/** Lists the locks of a run, `count` of each kind: `lock:chaos:a`, `lock:chaos:b`, `lock:chaos:fair:a`, … */
export function listLocks(kinds: readonly KindUnderTest[], count: number): LockUnderTest[] {
  return kinds.flatMap((kind) => {
    const prefix = kind === "lock" ? "lock:chaos:" : `lock:chaos:${kind}:`;
    return Array.from({ length: count }, (_, n) => ({ key: `${prefix}${(n + 10).toString(36)}`, kind }));
  });
}

/** Whether Redis stores the lock without a TTL for as long as it is used. */
export function isEndless({ kind }: LockUnderTest): boolean {
  return kind === "semaphore" || kind === "plain-semaphore" || kind === "latch";
}
