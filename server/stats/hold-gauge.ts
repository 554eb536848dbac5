import type { FormatName } from "../../lib/contract/format.ts";
import { LIVENESS_STATES, type LivenessState } from "../../lib/contract/liveness.ts";
import type { Totals } from "../../lib/contract/stats.ts";
import type { Key } from "../../lib/keys/key.ts";
import type { ObservedHold } from "../watch/holds/observed-hold.ts";

/**
 * Counters of held locks and their waiters. Each change to a hold updates them, so reading them costs the same for any
 * number of locks.
 */
export class HoldGauge {
  readonly #held = new Map<FormatName, Map<LivenessState, number>>();
  /** Number of waiters by key, for keys that no client holds. There are few such keys. */
  readonly #waitingForFree = new Map<Key, number>();
  #ended = 0;
  #waiting = 0;

  /**
   * Applies a change to the hold of a key.
   *
   * @param waitersOfFree number of waiters for the key if no client holds it
   */
  update(
    key: Key,
    before: ObservedHold | undefined,
    after: ObservedHold | undefined,
    waitersOfFree: number,
  ): void {
    this.#waiting += countWaiters(after) - countWaiters(before);
    this.#setWaitingForFree(key, after === undefined ? waitersOfFree : 0);
    if (isSameCount(before, after)) return;
    if (before !== undefined) this.#add(before, -1);
    if (after !== undefined) this.#add(after, 1);
  }

  /** Number of visible waiters for all keys. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Returns the current totals.
   *
   * @param needsAttention number of locks that need attention now, by format; passed in because the number also changes
   * over time
   */
  computeTotals(needsAttention: ReadonlyMap<FormatName, number>): Totals {
    const byFormat: Totals["byFormat"] = [];
    const byLiveness = new Map<LivenessState, number>(LIVENESS_STATES.map((liveness) => [liveness, 0]));
    for (const [format, states] of this.#held) {
      const counts = { format, held: 0, needsAttention: needsAttention.get(format) ?? 0 };
      for (const [liveness, held] of states) {
        counts.held += held;
        byLiveness.set(liveness, (byLiveness.get(liveness) ?? 0) + held);
      }
      if (counts.held > 0) byFormat.push(counts);
    }
    byFormat.sort((one, two) => two.held - one.held);
    return {
      held: byFormat.reduce((sum, { held }) => sum + held, 0),
      ended: this.#ended,
      waiting: this.#waiting,
      needsAttention: byFormat.reduce((sum, { needsAttention }) => sum + needsAttention, 0),
      byFormat,
      byLiveness: [...byLiveness].map(([liveness, held]) => ({ liveness, held })),
    };
  }

  /**
   * Lists the number of held locks for every combination of format and liveness state that has occurred since startup,
   * including counts of 0.
   */
  *listCounts(): Generator<{ format: FormatName; liveness: LivenessState; held: number }> {
    for (const [format, states] of this.#held) {
      for (const [liveness, held] of states) yield { format, liveness, held };
    }
  }

  #add({ seen, liveness }: ObservedHold, by: 1 | -1): void {
    // A closed latch has no holder, so it is not counted.
    if (seen.kind === "latch") return;
    if (seen.state === "ended") {
      this.#ended += by;
      return;
    }
    let states = this.#held.get(seen.format);
    if (states === undefined) {
      states = new Map();
      this.#held.set(seen.format, states);
    }
    states.set(liveness.state, (states.get(liveness.state) ?? 0) + by);
  }

  #setWaitingForFree(key: Key, count: number): void {
    const before = this.#waitingForFree.get(key) ?? 0;
    if (before === count) return;
    this.#waiting += count - before;
    if (count === 0) this.#waitingForFree.delete(key);
    else this.#waitingForFree.set(key, count);
  }
}

function isSameCount(before: ObservedHold | undefined, after: ObservedHold | undefined): boolean {
  return (
    before?.seen.state === after?.seen.state &&
    before?.seen.format === after?.seen.format &&
    before?.seen.kind === after?.seen.kind &&
    before?.liveness.state === after?.liveness.state
  );
}

function countWaiters(hold: ObservedHold | undefined): number {
  return hold?.seen.waiters?.count ?? 0;
}
