import { compareIds } from "./events/event-id.ts";
import type { RecorderStamp } from "./events/event-store.ts";
import type { UnnumberedGap } from "./events/stream-entry.ts";

type RecordedPosition = Pick<RecorderStamp, "last"> & { readonly until: number };

/**
 * Knows until when the entries that this instance has read or appended are complete. The stamp in the home store says
 * so as well, but the store can lose its data or return with older data. This instance then writes the lost entries
 * again, and what happened after them is a gap.
 *
 * Times are Unix milliseconds of the target's clock.
 */
export class RecordedCoverage {
  #until: number | null = null;
  #miss: { readonly from: number; readonly noticedAt: number } | undefined;
  /** A stamp that was read before the entries that it covers. */
  #unconfirmed: RecordedPosition | undefined;

  /** The time until which this instance has every entry; null if nothing is known to be recorded. */
  get until(): number | null {
    return this.#until;
  }

  /** Records that every entry until then has been appended by this instance. */
  recordAppended(until: number): void {
    this.#until = Math.max(this.#until ?? until, until);
    // A gap covers it, or another instance observed it: who missed something records nothing until then.
    if (this.#miss !== undefined && this.#until >= this.#miss.noticedAt) this.#miss = undefined;
  }

  /** Records what the store states. @param lastKnownId id of the last entry that this instance has */
  recordStamp({ until, last }: Pick<RecorderStamp, "until" | "last">, lastKnownId: string | null): void {
    const positions = [this.#unconfirmed, until === null ? undefined : { until, last }];
    this.#unconfirmed = undefined;
    for (const position of positions) {
      if (position === undefined) continue;
      if (hasReached(lastKnownId, position.last)) this.recordAppended(position.until);
      else this.#unconfirmed ??= position;
    }
  }

  /** Records that something was not observed. @param from when it began  @param noticedAt now */
  recordMiss(from: number, noticedAt: number): void {
    this.#miss = { from: Math.min(from, this.#miss?.from ?? from), noticedAt };
  }

  /** Builds the gap before an instance records that has observed the target without a break since `observedSince`. */
  findGap(target: string, observedSince: number): UnnumberedGap | undefined {
    if (this.#until === null || observedSince <= this.#until) return undefined;
    const from = Math.min(this.#until, this.#miss?.from ?? this.#until);
    return { target, type: "gap", at: observedSince, from, to: observedSince };
  }
}

function hasReached(id: string | null, last: string | null): boolean {
  return last === null || (id !== null && compareIds(id, last) >= 0);
}
