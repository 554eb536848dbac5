import { compareIds } from "./events/event-id.ts";
import type { RecorderStamp } from "./events/event-store.ts";
import type { UnnumberedGap } from "./events/stream-entry.ts";

type RecordedPosition = Pick<RecorderStamp, "last"> & { readonly until: number };

/**
 * Tracks the time up to which the entries that this instance has read or appended are complete. The stamp in the home
 * store contains the same time, but the store can lose its data or return with older data. This instance then
 * rewrites the lost entries, and the time after them is a gap.
 *
 * Times are Unix milliseconds on the target's clock.
 */
export class RecordedCoverage {
  #until: number | null = null;
  #miss: { readonly from: number; readonly noticedAt: number } | undefined;
  /** A stamp that was read before the entries it covers. */
  #unconfirmed: RecordedPosition | undefined;

  /** The time up to which this instance has every entry, or `null` until such a time is known. */
  get until(): number | null {
    return this.#until;
  }

  /** Records that this instance has appended every entry up to a time. */
  recordAppended(until: number): void {
    this.#until = Math.max(this.#until ?? until, until);
    // A gap or the observations of another instance cover the missed period, because this instance could not record
    // until then.
    if (this.#miss !== undefined && this.#until >= this.#miss.noticedAt) this.#miss = undefined;
  }

  /** Applies a stamp from the store. @param lastKnownId id of the last entry that this instance has */
  recordStamp({ until, last }: Pick<RecorderStamp, "until" | "last">, lastKnownId: string | null): void {
    const positions = [this.#unconfirmed, until === null ? undefined : { until, last }];
    this.#unconfirmed = undefined;
    for (const position of positions) {
      if (position === undefined) continue;
      if (hasReached(lastKnownId, position.last)) this.recordAppended(position.until);
      else this.#unconfirmed ??= position;
    }
  }

  /** Records that changes since `from` were missed. @param noticedAt the current time */
  recordMiss(from: number, noticedAt: number): void {
    this.#miss = { from: Math.min(from, this.#miss?.from ?? from), noticedAt };
  }

  /**
   * Returns the gap to record before the entries of an instance that has observed the target continuously since
   * `observedSince`.
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
