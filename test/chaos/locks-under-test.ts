/**
 * The kinds of locks that a run can test. The readers and writers of a `read-write` lock share a key. A `condition` is
 * a plain lock whose holders wait for conditions.
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

/** Total number of permits of each semaphore. */
export const PERMIT_LIMIT = 5;
/** Maximum number of permits that a worker acquires at once. Two such holds exceed the limit of the semaphore. */
export const PERMITS_MAX = 3;
/** Maximum number of items in the buffer that the lock of a condition protects. */
export const BUFFER_CAPACITY = 2;
/** The count to which each latch is set when it is closed. */
export const LATCH_COUNT = 3;

/**
 * The fair wait time, in ms. Only waiters whose heartbeat was evicted stay in the queue for this long. With the default
 * of five minutes, such a waiter would block its lock until the end of the run if it died.
 */
export const FAIR_WAIT_MS = 5000;

/** Returns whether only the library supports the kind, not the HTTP client. */
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

/** Returns whether the key of the lock has no TTL by design. */
export function isEndless({ kind }: LockUnderTest): boolean {
  return kind === "semaphore" || kind === "plain-semaphore" || kind === "latch";
}
