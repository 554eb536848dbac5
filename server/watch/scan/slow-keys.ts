import type { Key } from "../../../lib/keys/key.ts";
import type { Observation, UnreadableObservation } from "../../formats/observation.ts";
import { COMMAND_TIMEOUT_MS } from "../../redis/connect.ts";
import { isTimeout } from "../../redis/failure.ts";

/**
 * Number of timeouts after which a slow key is reported as unreadable. A timeout counts only if Redis responds to a
 * probe.
 */
const UNREADABLE_AFTER = 3;
const BACK_OFF = { firstMs: 1000, mostMs: 60_000 };
/** Share of the backoff after which a slow key is read again if the key has changed. */
const CHANGED_SHARE = 1 / 4;
/** Maximum number of slow keys. If the limit is reached, a further slow key is read again only by the next scan. */
const SLOW_MAX = 1000;

interface SlowKey {
  timeouts: number;
  /** Time (`performance.now()`) at which the last read ended. `undefined` before the first read. */
  triedAt: number | undefined;
  nextAt: number;
  unreadable: UnreadableObservation | undefined;
}

interface SlowKeysDeps {
  /** Reads one key on a separate connection. @throws if the reply does not arrive in time */
  readSeparately(key: Key): Promise<readonly Observation[]>;
  /** Whether Redis replies to a probe sent now. */
  isResponding(): Promise<boolean>;
  /** @param sentAt `performance.now()` */
  onRead(observations: readonly Observation[], sentAt: number): void;
}

/**
 * Reads slow keys, which are keys whose read has timed out. Until a read of a slow key succeeds, batches omit the key,
 * and a separate connection reads it. The separate connection reads one key at a time, with a backoff per key that
 * doubles from 1 s to 60 s. A timeout counts only if Redis responds to a probe that is sent with the read.
 */
export class SlowKeys {
  readonly #slow = new Map<Key, SlowKey>();
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;
  #isStopped = false;

  constructor(private readonly deps: SlowKeysDeps) {}

  get keys(): Iterable<Key> {
    return this.#slow.keys();
  }

  has(key: Key): boolean {
    return this.#slow.has(key);
  }

  /** Adds a slow key unless the limit is reached. @returns whether the key is now a slow key */
  add(key: Key): boolean {
    if (this.#slow.has(key)) return true;
    if (this.#slow.size >= SLOW_MAX) return false;
    this.#slow.set(key, {
      timeouts: 0,
      triedAt: undefined,
      nextAt: performance.now(),
      unreadable: undefined,
    });
    this.#arm();
    return true;
  }

  /** Schedules an earlier read of a slow key that has changed. Returns false if the key is not slow. */
  takeChange(key: Key): boolean {
    const slow = this.#slow.get(key);
    if (slow === undefined) return false;
    if (slow.triedAt !== undefined) {
      slow.nextAt = Math.min(slow.nextAt, slow.triedAt + CHANGED_SHARE * computeBackOffMs(slow.timeouts));
      this.#arm();
    }
    return true;
  }

  /** Returns an unreadable observation of a slow key, or `undefined` for any other key. */
  describe(key: Key): UnreadableObservation | undefined {
    const slow = this.#slow.get(key);
    return slow && (slow.unreadable ?? createTimeoutObservation(key, Math.max(1, slow.timeouts)));
  }

  stop(): void {
    this.#isStopped = true;
    this.#slow.clear();
    clearTimeout(this.#timer);
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#isReading || this.#isStopped || this.#slow.size === 0) return;
    const nextAt = Math.min(...[...this.#slow.values()].map((slow) => slow.nextAt));
    const waitMs = Math.max(0, Math.ceil(nextAt - performance.now()));
    this.#timer = setTimeout(() => void this.#readDue(), waitMs).unref();
  }

  async #readDue(): Promise<void> {
    this.#isReading = true;
    const now = performance.now();
    const due = [...this.#slow].filter(([, { nextAt }]) => nextAt <= now);
    for (const [key, slow] of due) {
      if (this.#isStopped) return;
      if (this.#slow.get(key) === slow) await this.#readOne(key, slow);
    }
    this.#isReading = false;
    this.#arm();
  }

  async #readOne(key: Key, slow: SlowKey): Promise<void> {
    const sentAt = performance.now();
    const isResponding = this.deps.isResponding();
    try {
      const observations = await this.deps.readSeparately(key);
      this.#slow.delete(key);
      this.deps.onRead(observations, sentAt);
    } catch (error) {
      const isKeySlow = isTimeout(error) && (await isResponding);
      if (isKeySlow) slow.timeouts++;
      slow.triedAt = performance.now();
      slow.nextAt = slow.triedAt + computeBackOffMs(slow.timeouts);
      if (!isKeySlow || slow.timeouts < UNREADABLE_AFTER || this.#isStopped) return;
      slow.unreadable = createTimeoutObservation(key, slow.timeouts);
      this.deps.onRead([slow.unreadable], sentAt);
    }
  }
}

function computeBackOffMs(timeouts: number): number {
  return Math.min(BACK_OFF.mostMs, BACK_OFF.firstMs * 2 ** Math.max(0, timeouts - 1));
}

function createTimeoutObservation(key: Key, times: number): UnreadableObservation {
  const often = times === 1 ? "" : `, ${times} times in a row`;
  const why = `Redis did not return it within ${COMMAND_TIMEOUT_MS} ms${often}`;
  return { state: "unreadable", key, reason: "timeout", why };
}
