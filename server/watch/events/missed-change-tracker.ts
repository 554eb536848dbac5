import type { MissedChanges as MissedCounts } from "../../../lib/contract/live.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { Observation } from "../../formats/observation.ts";
import type { ObservationContext } from "../holds/holder-matcher.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { CLOCK_TOLERANCE_MS } from "../holds/renewal-history.ts";

/** Time, in ms, to wait for the notification of an observed change before it counts as missed. */
const GRACE_MS = 2000;
/**
 * Maximum number of keys with a notification that no read has followed. At this limit, all stored notifications are
 * dropped, because reads do not keep up.
 */
const NOTIFIED_KEYS_MAX = 300_000;

type MissedKind = "found" | "gone" | "changed";

interface SuspectedMiss {
  readonly what: MissedKind;
  readonly seenAt: number;
  readonly continuityId: string;
  readonly asOf: number;
}

/** A reading, with the indexed hold before and after the reading. */
export interface IndexedReading {
  readonly observation: Observation;
  readonly before: ObservedHold | undefined;
  readonly after: ObservedHold | undefined;
  readonly context: ObservationContext;
  /** Time of the reading, in Unix ms on the Redis clock. */
  readonly asOf: number;
  /** When the read was sent (`performance.now()`). */
  readonly sentAt: number;
}

/**
 * Counts changes that a read found but no notification reported: new holds, missing holds, and holds that were
 * replaced. Ignores a change if the notification arrives within 2 s or if the change happened during a known gap. Also
 * ignores a missing hold whose deadline has passed.
 */
export class MissedChangeTracker {
  readonly #counts = { found: 0, gone: 0, changed: 0, lastAt: null as number | null };
  /** Time of the latest notification (`performance.now()`) for each key that has not been read since. */
  readonly #notifiedAt = new Map<Key, number>();
  readonly #suspects = new Map<Key, SuspectedMiss>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    /** Returns the id of the current period of uninterrupted notifications from all masters. */
    private readonly getContinuityId: () => string,
    private readonly onMissed: (what: MissedKind) => void,
  ) {}

  get counts(): MissedCounts {
    return { ...this.#counts };
  }

  /**
   * Records that a notification for the key has arrived, so that changes found by the next read do not count as missed.
   */
  recordNotification(key: Key): void {
    this.#suspects.delete(key);
    if (this.#notifiedAt.size >= NOTIFIED_KEYS_MAX) this.#notifiedAt.clear();
    this.#notifiedAt.set(key, performance.now());
  }

  /** Forgets the notification for a key whose state has not changed since the last read. */
  forgetNotification(key: Key): void {
    this.#notifiedAt.delete(key);
  }

  checkReading(reading: IndexedReading): void {
    const { observation, before, context, sentAt, asOf } = reading;
    const { key } = observation;
    const notifiedAt = this.#notifiedAt.get(key);
    if (notifiedAt !== undefined) {
      if (sentAt > notifiedAt) this.#notifiedAt.delete(key);
      return;
    }
    const what = classifyChange(reading);
    // If the observation was interrupted, the state may be new to this process but not new in Redis.
    const shouldBeNotified =
      context.since === "exact" && (before?.continuityId ?? context.continuityId) === context.continuityId;
    if (what === undefined || !shouldBeNotified || observation.state === "unreadable") return;
    this.#suspects.set(key, { what, seenAt: performance.now(), continuityId: this.getContinuityId(), asOf });
    this.#timer ??= setTimeout(() => this.#confirmSuspects(), GRACE_MS).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #confirmSuspects(): void {
    this.#timer = undefined;
    const continuityId = this.getContinuityId();
    for (const [key, suspect] of this.#suspects) {
      const waitMs = suspect.seenAt + GRACE_MS - performance.now();
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.#confirmSuspects(), waitMs).unref();
        return;
      }
      this.#suspects.delete(key);
      if (suspect.continuityId !== continuityId) continue;
      this.#counts[suspect.what]++;
      this.#counts.lastAt = suspect.asOf;
      this.onMissed(suspect.what);
    }
  }
}

function classifyChange({ before, after, asOf }: IndexedReading): MissedKind | undefined {
  if (before === undefined) return after?.seen.state === "held" ? "found" : undefined;
  if (after === undefined) return canHaveEnded(before, asOf) ? undefined : "gone";
  const epochs = new Set(before.holders.map(({ epoch }) => epoch));
  return after.holders.some(({ epoch }) => epochs.has(epoch)) ? undefined : "changed";
}

function canHaveEnded({ endsAtMs, seen }: ObservedHold, asOf: number): boolean {
  return seen.state === "ended" || (endsAtMs !== null && asOf >= endsAtMs - CLOCK_TOLERANCE_MS);
}
