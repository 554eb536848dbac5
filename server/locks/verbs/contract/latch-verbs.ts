import type { Key } from "../../../../lib/keys/key.ts";
import type { AbortSignalLike } from "../../waiting/abort-signal-like.ts";
import type { HoldCaller } from "./grant.ts";

/** The permits of a semaphore after its limit was set. */
export interface SemaphorePermits {
  readonly key: Key;
  readonly limit: number;
  /** Number of permits that are available; negative if clients have acquired more permits than the limit. */
  readonly available: number;
  readonly acquired: number;
  /** The limit before the change; `null` if the semaphore did not exist. */
  readonly previousLimit: number | null;
  /** Time on the Redis clock when Redis replied, in Unix milliseconds. */
  readonly asOf: number;
}

/** The count of a latch when Redis replied. */
export interface LatchCount {
  readonly key: Key;
  /** 0 if the latch is open. */
  readonly count: number;
  /** Time on the Redis clock when Redis replied, in Unix milliseconds. */
  readonly asOf: number;
}

/** The caller of a latch verb, and the request id with which the caller can repeat the request. */
export interface LatchCaller extends HoldCaller {
  readonly requestId?: string | undefined;
}

export interface LatchWaitOptions {
  /** How long to wait, in ms. */
  readonly waitMs: number;
  /**
   * The `asOf` from the timeout error of an earlier wait. If the latch has opened since then, this wait ends
   * immediately.
   */
  readonly openedAfterMs?: number | undefined;
  readonly signal?: AbortSignalLike | undefined;
}

/**
 * The verbs for count-down latches.
 *
 * @throws LockkeeperError not_a_lock, key_not_allowed, invalid, idempotency_key_reused, unavailable, unknown_outcome
 */
export interface LatchVerbs {
  /**
   * Closes an open latch by setting its count. Does not change a latch that is already closed: `isSet` is then false,
   * and `count` is the current count.
   */
  trySetCount(
    key: Key,
    count: number,
    caller?: LatchCaller,
  ): Promise<LatchCount & { readonly isSet: boolean }>;
  /** Decreases the count of a closed latch by one. Has no effect on an open latch. */
  countDown(key: Key, caller?: LatchCaller): Promise<LatchCount>;
  getCount(key: Key): Promise<LatchCount>;
  /**
   * Waits until the latch is open.
   *
   * @throws LockkeeperError the errors of `LatchVerbs`, timeout, aborted
   */
  wait(key: Key, options: LatchWaitOptions): Promise<LatchCount>;
}
