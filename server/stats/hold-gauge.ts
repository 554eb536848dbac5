import type { FormatName } from "../../lib/contract/format.ts";
import { VERDICT_STATES, type VerdictState } from "../../lib/contract/liveness.ts";
import type { Totals } from "../../lib/contract/stats.ts";
import type { Key } from "../../lib/keys/key.ts";
import type { Hold } from "../watch/holds/observed-hold.ts";

/** How many locks are held, counted as they change: asking costs the same whatever their number. */
export class Census {
  readonly #held = new Map<FormatName, Map<VerdictState, number>>();
  /** Of keys that are free, which are few. */
  readonly #waitingForFree = new Map<Key, number>();
  #ended = 0;
  #waiting = 0;

  /** @param waitersOfFree how many wait, when the key is free */
  change(key: Key, before: Hold | undefined, after: Hold | undefined, waitersOfFree: number): void {
    this.#waiting += waitersOf(after) - waitersOf(before);
    this.#setWaitingForFree(key, after === undefined ? waitersOfFree : 0);
    if (isCountedAlike(before, after)) return;
    if (before !== undefined) this.#add(before, -1);
    if (after !== undefined) this.#add(after, 1);
  }

  /** As far as they can be seen. */
  get waiting(): number {
    return this.#waiting;
  }

  /** @param abnormal how many of each format are, which time turns as well */
  totals(abnormal: ReadonlyMap<FormatName, number>): Totals {
    const byFormat: Totals["byFormat"] = [];
    const byVerdict = new Map<VerdictState, number>(VERDICT_STATES.map((verdict) => [verdict, 0]));
    for (const [format, verdicts] of this.#held) {
      const counts = { format, held: 0, abnormal: abnormal.get(format) ?? 0 };
      for (const [verdict, held] of verdicts) {
        counts.held += held;
        byVerdict.set(verdict, (byVerdict.get(verdict) ?? 0) + held);
      }
      if (counts.held > 0) byFormat.push(counts);
    }
    byFormat.sort((one, two) => two.held - one.held);
    return {
      held: byFormat.reduce((sum, { held }) => sum + held, 0),
      ended: this.#ended,
      waiting: this.#waiting,
      abnormal: byFormat.reduce((sum, { abnormal }) => sum + abnormal, 0),
      byFormat,
      byVerdict: [...byVerdict].map(([verdict, held]) => ({ verdict, held })),
    };
  }

  /** Each format and verdict that was ever seen, also those of which nothing is held now. */
  *counts(): Generator<{ format: FormatName; verdict: VerdictState; held: number }> {
    for (const [format, verdicts] of this.#held) {
      for (const [verdict, held] of verdicts) yield { format, verdict, held };
    }
  }

  #add({ seen, judgement }: Hold, by: 1 | -1): void {
    if (seen.state === "ended") {
      this.#ended += by;
      return;
    }
    let verdicts = this.#held.get(seen.format);
    if (verdicts === undefined) {
      verdicts = new Map();
      this.#held.set(seen.format, verdicts);
    }
    verdicts.set(judgement.state, (verdicts.get(judgement.state) ?? 0) + by);
  }

  #setWaitingForFree(key: Key, count: number): void {
    const before = this.#waitingForFree.get(key) ?? 0;
    if (before === count) return;
    this.#waiting += count - before;
    if (count === 0) this.#waitingForFree.delete(key);
    else this.#waitingForFree.set(key, count);
  }
}

function isCountedAlike(before: Hold | undefined, after: Hold | undefined): boolean {
  return (
    before?.seen.state === after?.seen.state &&
    before?.seen.format === after?.seen.format &&
    before?.judgement.state === after?.judgement.state
  );
}

function waitersOf(hold: Hold | undefined): number {
  return hold?.seen.waiters?.count ?? 0;
}
