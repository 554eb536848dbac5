import { type Key, parseKeyFields } from "../../lib/keys/key.ts";
import { measureEntryBytes, type UnnumberedEvent } from "./events/stream-entry.ts";

/** An event that this instance has observed. It may not be in the history yet. */
export interface ObservedEvent {
  readonly event: UnnumberedEvent;
  readonly key: Key;
  /** Time of the observation, in Unix ms on the target's clock. */
  readonly observedAt: number;
  /**
   * The temporary id under which the event was published before it was recorded. `undefined` if the event was not
   * published early or has since been recorded.
   */
  temporaryId: string | undefined;
}

/** Time in ms for which observations are kept. Longer than another instance needs to become the recorder. */
export const OBSERVED_EVENT_TTL_MS = 30_000;
/** Maximum number of observations that are kept. Enough for 30 s at 2,000 changes per second. */
export const OBSERVED_EVENTS_MAX = 60_000;
/**
 * Maximum total size of the observations that are kept, in bytes. With ordinary keys and owners, `OBSERVED_EVENTS_MAX`
 * is reached first.
 */
const OBSERVED_BYTES_MAX = 48 * 1024 * 1024;

/** The latest observations of this instance. The instance records them if it becomes the recorder. */
export class ObservedEvents {
  #all: ObservedEvent[] = [];
  /**
   * Observations that this instance has neither recorded nor found in the history, by key and in the order of
   * observation.
   */
  readonly #unrecorded = new Map<Key, Set<ObservedEvent>>();
  #begin = 0;
  #addedCount = 0;
  #bytes = 0;
  #watchingSince: number | undefined;
  #forgottenTo = Number.NEGATIVE_INFINITY;

  /** Number of observations that were ever added. */
  get addedCount(): number {
    return this.#addedCount;
  }

  /**
   * Returns the time since which the observations are complete, in Unix ms on the target's clock. Returns `undefined`
   * while the target is not fully observed.
   */
  getCoveredSince(now: number): number | undefined {
    if (this.#watchingSince === undefined) return undefined;
    return Math.max(this.#watchingSince, Math.min(this.#forgottenTo, now));
  }

  /** Sets whether the target is fully observed. Returns whether the value has changed. */
  setWatching(isWatching: boolean, now: number): boolean {
    const wasWatching = this.#watchingSince !== undefined;
    this.#watchingSince = isWatching ? (this.#watchingSince ?? now) : undefined;
    return wasWatching !== isWatching;
  }

  add(event: UnnumberedEvent, now: number): ObservedEvent {
    const observation = { event, key: parseKeyFields(event), observedAt: now, temporaryId: undefined };
    this.#all.push(observation);
    this.#addedCount++;
    this.#addUnrecorded(observation);
    this.#bytes += measureEntryBytes(event);
    this.#dropOld(now);
    return observation;
  }

  /** Marks an observation as recorded, so that `getUnrecorded` omits the observation. */
  markRecorded(observation: ObservedEvent): void {
    const ofKey = this.#unrecorded.get(observation.key);
    ofKey?.delete(observation);
    if (ofKey?.size === 0) this.#unrecorded.delete(observation.key);
  }

  /**
   * Returns the observations of a key that this instance has neither recorded nor found in the history, in the order of
   * observation; `undefined` if there are none.
   */
  getUnrecorded(key: Key): ReadonlySet<ObservedEvent> | undefined {
    return this.#unrecorded.get(key);
  }

  /** Returns all observations that are kept, in the order of observation. */
  list(now: number): readonly ObservedEvent[] {
    this.#dropOld(now);
    return this.#begin === 0 ? this.#all : this.#all.slice(this.#begin);
  }

  #addUnrecorded(observation: ObservedEvent): void {
    const ofKey = this.#unrecorded.get(observation.key);
    if (ofKey === undefined) this.#unrecorded.set(observation.key, new Set([observation]));
    else ofKey.add(observation);
  }

  #dropOld(now: number): void {
    let at = this.#begin;
    const tooMany = this.#all.length - OBSERVED_EVENTS_MAX;
    for (; at < this.#all.length; at++) {
      const one = this.#all[at];
      if (one === undefined) break;
      const hasRoom = at >= tooMany && this.#bytes <= OBSERVED_BYTES_MAX;
      if (hasRoom && one.observedAt >= now - OBSERVED_EVENT_TTL_MS) break;
      this.#forgottenTo = one.observedAt;
      this.#bytes -= measureEntryBytes(one.event);
      this.markRecorded(one);
    }
    this.#begin = at;
    if (at < 1000 && at < this.#all.length) return;
    this.#all = this.#all.slice(at);
    this.#begin = 0;
  }
}

/** Adds an observation to the observations of its key. */
export function addToGroup(groups: Map<Key, ObservedEvent[]>, observation: ObservedEvent): void {
  const group = groups.get(observation.key);
  if (group === undefined) groups.set(observation.key, [observation]);
  else group.push(observation);
}
