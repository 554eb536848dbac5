import { compareIds } from "./events/event-id.ts";
import type { RecorderStamp } from "./events/event-store.ts";
import type { UnnumberedGap } from "./events/stream-entry.ts";

type RecordedPosition = Pick<RecorderStamp, "last"> & { readonly until: number };

/**
 * Tracks the time up to which all events are recorded and this instance has every entry. The stamp in the home store
 * contains the time up to which events are recorded, but the store can lose this time together with other data. This
 * instance then writes the lost entries again, followed by a gap if necessary.
 *
 * Times are Unix milliseconds on the target's clock.
 */
export class RecordedCoverage {
  #until: number | null = null;
  #miss: { readonly from: number; readonly noticedAt: number } | undefined;
  /** A stamp that was read from the store before all entries that it covers were read. */
  #unconfirmed: RecordedPosition | undefined;

  /** The time up to which this instance has every entry. `null` until that time is known. */
  get until(): number | null {
    return this.#until;
  }

  /** Records that this instance has every entry up to a time, because it has appended or read them. */
  recordAppended(until: number): void {
    this.#until = Math.max(this.#until ?? until, until);
    // The history has since been recorded beyond the miss, so a gap or the observations of another instance cover the
    // missed period.
    if (this.#miss !== undefined && this.#until >= this.#miss.noticedAt) this.#miss = undefined;
  }

  /** Applies a stamp that was read from the store. @param lastKnownId id of the last entry that this instance has */
  recordStamp({ until, last }: Pick<RecorderStamp, "until" | "last">, lastKnownId: string | null): void {
    const positions = [this.#unconfirmed, until === null ? undefined : { until, last }];
    this.#unconfirmed = undefined;
    for (const position of positions) {
      if (position === undefined) continue;
      if (hasReached(lastKnownId, position.last)) this.recordAppended(position.until);
      else this.#unconfirmed ??= position;
    }
  }

  /** Records that this instance may have missed changes since `from`. @param noticedAt the current time */
  recordMiss(from: number, noticedAt: number): void {
    this.#miss = { from: Math.min(from, this.#miss?.from ?? from), noticedAt };
  }

  /**
   * Returns the gap to record before the new entries of this instance, or `undefined` if no gap is necessary.
   *
   * @param observedSince time since which this instance has observed the target without interruption
   */
  findGap(target: string, observedSince: number): UnnumberedGap | undefined {
    if (this.#until === null || observedSince <= this.#until) return undefined;
    const from = Math.min(this.#until, this.#miss?.from ?? this.#until);
    return { target, type: "gap", at: observedSince, from, to: observedSince };
  }
}

function hasReached(id: string | null, last: string | null): boolean {
  return last === null || (id !== null && compareIds(id, last) >= 0);
}
