import { compareIds } from "./events/event-id.ts";
import type { RecorderStamp } from "./events/event-store.ts";
import type { UnnumberedGap } from "./events/stream-entry.ts";

type RecordedPosition = Pick<RecorderStamp, "last"> & { readonly until: number };

/**
 * Tracks the time up to which this instance has read or appended every entry. The stamp in the home store contains the
 * same time. If the store loses its data or returns with older data, this instance rewrites the lost entries, and a gap
 * follows them.
 *
 * Times are Unix milliseconds on the target's clock.
 */
export class RecordedCoverage {
  #until: number | null = null;
  #miss: { readonly from: number; readonly noticedAt: number } | undefined;
  /** A stamp that was read before all entries it covers were read. */
  #unconfirmed: RecordedPosition | undefined;

  /** The time up to which this instance has every entry; `null` until known. */
  get until(): number | null {
    return this.#until;
  }

  /** Records that this instance has appended every entry up to a time. */
  recordAppended(until: number): void {
    this.#until = Math.max(this.#until ?? until, until);
    // This instance could not record until then. A gap or the observations of another instance cover the missed period.
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
   * Returns the gap to record before the entries of this instance, which has observed the target continuously since
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
