import type { UnnumberedEntry, UnnumberedEvent } from "./stream-entry.ts";
import { classifyStep, SAME_CHANGE_MS } from "./timeline-step.ts";

/** An open hold that shares its lock with other holds: permits of a semaphore, or a read lock. */
interface SharedHold {
  /** Start of the hold in Unix ms on the Redis clock. `undefined` if the start is not recorded. */
  readonly since: number | undefined;
  seq: number;
  /** `false` after a gap, because the hold may have ended during the gap. */
  isCertain: boolean;
}

/**
 * The recorded state of the shared holds with one fencing token and owner. Each hold of a semaphore has its own token.
 * All readers have the token of the last writer, and several of them can have the same owner label. They are then
 * distinguished by their start times, because the sequence numbers of each hold begin at 1.
 */
class SharedHolds {
  readonly #open: SharedHold[] = [];
  /** Start times of the ended holds. */
  readonly #ended = new Set<number | undefined>();
  /** Number of recorded events per change. */
  readonly #recorded = new Map<string, number>();
  #recordedAt = Number.NEGATIVE_INFINITY;
  /** Number of `seen` events at the same time, each of which is about another hold. */
  #seen = { at: Number.NaN, count: 0 };

  applyRecorded(event: UnnumberedEvent): void {
    const change = formatChange(event);
    this.#recorded.set(change, (this.#recorded.get(change) ?? 0) + 1);
    this.#recordedAt = event.at;
    this.#advance(event);
  }

  applyGap(): void {
    for (const hold of this.#open) hold.isCertain = false;
    // After a gap, a `seen` event is new even if it was recorded before, because it shows that the hold continues.
    for (const change of this.#recorded.keys()) if (change.startsWith("seen ")) this.#recorded.delete(change);
  }

  /**
   * Returns the observed events that are not recorded yet. Observations from before the last recorded change are
   * dropped.
   *
   * @param own observed events in the order of observation
   */
  listNewEvents(own: readonly UnnumberedEvent[]): UnnumberedEvent[] {
    const recorded = this.#findRecorded(own);
    const last = [...recorded].at(-1);
    return own.filter((event, index) => {
      if (recorded.has(index)) return false;
      const isLater = last === undefined ? event.at >= this.#recordedAt : index > last;
      const isAfterGap = event.type === "seen" && this.#open.some(({ isCertain }) => !isCertain);
      return (isLater || isAfterGap) && this.#advance(event);
    });
  }

  /** Returns the indexes of the events that are recorded. */
  #findRecorded(own: readonly UnnumberedEvent[]): Set<number> {
    const left = new Map(this.#recorded);
    const found = new Set<number>();
    own.forEach((event, index) => {
      const change = formatChange(event);
      const count = left.get(change) ?? 0;
      if (count > 0) found.add(index);
      left.set(change, count - 1);
    });
    return found;
  }

  /** Applies an event. Returns `false` without a change if the event contradicts the recorded state. */
  #advance(event: UnnumberedEvent): boolean {
    if (event.type === "seen") return this.#see(event);
    const step = classifyStep(event);
    if (step === "ended") return this.#end(event);
    if (step !== "begun") return this.#change(event);
    this.#open.push({ since: event.at, seq: event.seq ?? 0, isCertain: true });
    return true;
  }

  #see({ at, seq = 0 }: UnnumberedEvent): boolean {
    this.#seen = { at, count: this.#seen.at === at ? this.#seen.count + 1 : 1 };
    const unconfirmed = this.#open.find(({ isCertain }) => !isCertain);
    if (unconfirmed !== undefined) unconfirmed.isCertain = true;
    else if (this.#open.length >= this.#seen.count) return false;
    else this.#open.push({ since: undefined, seq, isCertain: true });
    return true;
  }

  #change({ seq = 0 }: UnnumberedEvent): boolean {
    if (this.#open.length === 0 && this.#ended.size === 0) {
      this.#open.push({ since: undefined, seq, isCertain: true });
      return true;
    }
    // Holds with the same label are distinguished by their last change.
    const [hold] = this.#open.filter((one) => one.seq < seq).sort((a, b) => b.seq - a.seq);
    if (hold === undefined) return false;
    hold.seq = seq;
    hold.isCertain = true;
    return true;
  }

  #end(event: UnnumberedEvent): boolean {
    const since = getStart(event);
    const hold =
      this.#open.find((one) => since === undefined || one.since === since) ??
      this.#open.find((one) => one.since === undefined);
    if (hold !== undefined) this.#remove(hold, (event.seq ?? 0) - 1);
    const isRecorded = since === undefined ? this.#ended.size > 0 : this.#ended.has(since);
    this.#ended.add(since ?? hold?.since);
    // A second end is new only if it adds the operator and the reason.
    return hold !== undefined || !isRecorded || event.type === "force_released";
  }

  /** @param lastSeq the sequence number of the last change to the hold before its end; negative if it is unknown */
  #remove(hold: SharedHold, lastSeq: number): void {
    // The last change may have been assigned to another hold with the same label.
    const other = this.#open.find(({ seq }) => seq === lastSeq);
    if (other !== undefined) other.seq = hold.seq;
    this.#open.splice(this.#open.indexOf(hold), 1);
  }
}

/**
 * Returns the observed events of shared holds that are not recorded yet. Each hold has its own order, because shared
 * holds end in any order.
 *
 * @param own observed events of shared holds with a fencing token, in the order of observation
 * @param recorded recorded events of shared holds with a fencing token, and gaps, in the order of recording
 */
export function filterSharedEvents(
  own: readonly UnnumberedEvent[],
  recorded: readonly UnnumberedEntry[],
): Set<UnnumberedEvent> {
  if (own.length === 0) return new Set();
  const holds = new Map<string, SharedHolds>();
  for (const entry of recorded) {
    if (entry.type === "gap") for (const one of holds.values()) one.applyGap();
    else findHolds(holds, entry).applyRecorded(entry);
  }
  const groups = new Map<SharedHolds, UnnumberedEvent[]>();
  for (const event of own) {
    const one = findHolds(holds, event);
    const group = groups.get(one);
    if (group === undefined) groups.set(one, [event]);
    else group.push(event);
  }
  return new Set([...groups].flatMap(([one, events]) => one.listNewEvents(events)));
}

function findHolds(holds: Map<string, SharedHolds>, { fence, owner }: UnnumberedEvent): SharedHolds {
  const name = `${fence}\n${owner}`;
  const known = holds.get(name);
  if (known !== undefined) return known;
  const created = new SharedHolds();
  holds.set(name, created);
  return created;
}

/**
 * Returns a function that returns whether an event is about a shared hold with a fencing token. The event that ends the
 * hold of a semaphore does not always have `shared`.
 *
 * @param entries all events of the key
 */
export function createSharedTest(entries: readonly UnnumberedEntry[]): (event: UnnumberedEvent) => boolean {
  const exclusive = new Set<string>();
  let hasShared = false;
  for (const entry of entries) {
    if (entry.type === "gap" || entry.fence === undefined) continue;
    if (entry.shared === true) hasShared = true;
    else if (classifyStep(entry) === "begun") exclusive.add(entry.fence);
  }
  return ({ fence, shared }) =>
    fence !== undefined && (shared === true || (hasShared && !exclusive.has(fence)));
}

/** Returns whether two events with the same fencing token describe the same change to a shared hold. */
export function isSameSharedChange(one: UnnumberedEvent, other: UnnumberedEvent): boolean {
  const step = classifyStep(one);
  if (one.owner !== other.owner || step !== classifyStep(other)) return false;
  if ((one.type === "seen") !== (other.type === "seen")) return false;
  // A writer that downgrades becomes a reader with the same fencing token and owner.
  if (step === "begun" && one.shared !== other.shared) return false;
  const [since, otherSince] = [getStart(one), getStart(other)];
  if (since !== undefined && otherSince !== undefined) return since === otherSince;
  const isExact = one.observed === "exact" && other.observed === "exact";
  if (Math.abs(one.at - other.at) > (isExact ? 0 : SAME_CHANGE_MS)) return false;
  return step === "ended" || one.seq === other.seq;
}

/** Returns the start of the hold in Unix ms on the Redis clock, if the event contains it. */
function getStart(event: UnnumberedEvent): number | undefined {
  const { type, at, heldMs } = event;
  const step = classifyStep(event);
  if (step === "ended") return heldMs === undefined ? undefined : at - heldMs;
  return step === "begun" && type !== "seen" ? at : undefined;
}

/** Returns a string that is the same for all events that describe the same change to one hold. */
function formatChange(event: UnnumberedEvent): string {
  const { type, at, seq } = event;
  const step = classifyStep(event);
  const since = getStart(event);
  if (step !== "ended") return since === undefined ? `${type} ${seq} ${at}` : `begun ${since}`;
  const kind = type === "force_released" ? type : step;
  return since === undefined ? `${kind} at ${at}` : `${kind} ${since}`;
}
