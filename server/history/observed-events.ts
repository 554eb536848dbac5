import { type Key, keyOfFields } from "../../lib/keys/key.ts";
import type { Unnumbered } from "./stream-entry.ts";

/** What this instance observed, and when. */
export interface Observation {
  readonly event: Unnumbered;
  readonly key: Key;
  /** The target's clock. */
  readonly heardAt: number;
  /** The id under which it was shown before it was recorded. */
  shownAs: string | undefined;
}

/** How long an instance remembers what it observed: longer than it takes until another one records. */
export const REMEMBERED_MS = 30_000;
/** 30 s of 2 000 changes a second. */
const REMEMBERED_MAX = 60_000;

/** The last observations of this instance, for the case that it has to go on with the story. */
export class Observations {
  #all: Observation[] = [];
  #begin = 0;
  #liveSince: number | undefined;
  #forgottenTo = Number.NEGATIVE_INFINITY;

  /** Everything since then is among them, or was; undefined while the target is out of sight. */
  coveredSince(now: number): number | undefined {
    if (this.#liveSince === undefined) return undefined;
    return Math.max(this.#liveSince, Math.min(this.#forgottenTo, now));
  }

  /** Returns whether that is a change. */
  inSight(isInSight: boolean, now: number): boolean {
    const wasInSight = this.#liveSince !== undefined;
    this.#liveSince = isInSight ? (this.#liveSince ?? now) : undefined;
    return wasInSight !== isInSight;
  }

  add(event: Unnumbered, now: number): Observation {
    const observation = { event, key: keyOfFields(event), heardAt: now, shownAs: undefined };
    this.#all.push(observation);
    this.#forget(now);
    return observation;
  }

  /** In the order of observing. */
  all(now: number): readonly Observation[] {
    this.#forget(now);
    return this.#begin === 0 ? this.#all : this.#all.slice(this.#begin);
  }

  #forget(now: number): void {
    let at = this.#begin;
    const tooMany = this.#all.length - REMEMBERED_MAX;
    for (; at < this.#all.length; at++) {
      const one = this.#all[at];
      if (one === undefined || (at >= tooMany && one.heardAt >= now - REMEMBERED_MS)) break;
      this.#forgottenTo = one.heardAt;
    }
    this.#begin = at;
    if (at < 1000 && at < this.#all.length) return;
    this.#all = this.#all.slice(at);
    this.#begin = 0;
  }
}

export function byKey(observations: readonly Observation[]): Map<Key, Observation[]> {
  const groups = new Map<Key, Observation[]>();
  for (const one of observations) {
    const group = groups.get(one.key);
    if (group === undefined) groups.set(one.key, [one]);
    else group.push(one);
  }
  return groups;
}
