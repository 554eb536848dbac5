import { createSharedTest, filterSharedEvents, isSameSharedChange } from "./shared-timeline.ts";
import type { UnnumberedEntry, UnnumberedEvent, UnnumberedGap } from "./stream-entry.ts";
import { classifyStep, SAME_CHANGE_MS } from "./timeline-step.ts";

interface FencedState {
  readonly fence: string;
  seq: number;
  end: "none" | "recorded" | "forced";
  /** `false` after a gap, because the hold may have ended during the gap. */
  isCertain: boolean;
}

interface ForeignState {
  count: number;
  /** Time of the last extension in Unix ms on the Redis clock, as reported by the script that extended the lease. */
  extendedAt: number;
  isOpen: boolean;
  isForceReleased: boolean;
  isCertain: boolean;
}

/**
 * The recorded state of one key. Determines whether an observed event is new or describes a change that is already
 * recorded. Contains no state of shared holds, whose events `filterSharedEvents` compares.
 *
 * Two events describe the same change in these cases:
 * - For an exclusive hold with a fencing token, if the events have the same token, and either have the same `seq` or
 * both end the hold. It does not matter which instance recorded an event, or whether the event was reported or
 * inferred. Because tokens increase, the timeline stays in order.
 * - For a foreign hold, if the events have the same owner and the second event is not a possible next step. An owner
 * cannot acquire a lock that it already holds, and cannot release a lock that it does not hold. Redis stores no
 * sequence number for changes to foreign holds.
 * - Exception: a `force_released` event is new even if another event for the same end is recorded, because it adds the
 * operator and the reason.
 */
class RecordedTimeline {
  /** The last exclusive hold with a fencing token. */
  #last: FencedState | undefined;
  /** The highest fencing token of a shared hold that began. */
  #sharedFence = "";
  readonly #foreign = new Map<string, ForeignState>();

  constructor(private readonly isShared: (event: UnnumberedEvent) => boolean) {}

  /** Returns whether an event is new. For a shared hold, returns whether the event can follow the exclusive holds. */
  isNewEvent(event: UnnumberedEvent): boolean {
    const { fence } = event;
    if (fence === undefined) return this.#isNewForeignEvent(event);
    if (!this.isShared(event)) return this.#isNewFencedEvent(event, fence);
    return this.#last === undefined || compareFences(fence, this.#last.fence) >= 0;
  }

  applyEntry(entry: UnnumberedEntry): void {
    if (entry.type === "gap") this.#applyGap();
    else if (entry.fence === undefined) this.#applyForeign(entry);
    else if (!this.isShared(entry)) this.#applyFenced(entry, entry.fence);
    else if (classifyStep(entry) === "begun" && compareFences(entry.fence, this.#sharedFence) > 0)
      this.#sharedFence = entry.fence;
  }

  #isNewFencedEvent(event: UnnumberedEvent, fence: string): boolean {
    // Readers have the token of the last writer, so that writer has ended.
    if (compareFences(fence, this.#sharedFence) <= 0) return false;
    const last = this.#last;
    const order = last === undefined ? 1 : compareFences(fence, last.fence);
    if (last === undefined || order !== 0) return order > 0;
    if (classifyStep(event) === "ended")
      return last.end === "none" || (event.type === "force_released" && last.end === "recorded");
    if (last.end !== "none") return false;
    if (event.type === "seen") return !last.isCertain;
    return event.seq !== undefined && event.seq > last.seq;
  }

  #applyFenced({ seq, ...event }: UnnumberedEvent, fence: string): void {
    let last = this.#last;
    if (last === undefined || compareFences(fence, last.fence) > 0) {
      last = { fence, seq: 0, end: "none", isCertain: true };
      this.#last = last;
    } else if (last.fence !== fence) return;
    last.isCertain = true;
    last.seq = Math.max(last.seq, seq ?? 0);
    if (event.type === "force_released") last.end = "forced";
    else if (classifyStep(event) === "ended" && last.end === "none") last.end = "recorded";
  }

  #isNewForeignEvent(event: UnnumberedEvent): boolean {
    const known = this.#foreign.get(event.owner ?? "");
    if (known === undefined) return true;
    const step = classifyStep(event);
    if (step === "extended") return event.at > known.extendedAt;
    if (step === "begun") return !known.isOpen || !known.isCertain;
    if (step === "ended") return known.isOpen || (event.type === "force_released" && !known.isForceReleased);
    return !known.isOpen || known.count !== event.count;
  }

  #applyForeign(event: UnnumberedEvent): void {
    const step = classifyStep(event);
    const isOpen = step !== "ended";
    const known = this.#foreign.get(event.owner ?? "");
    this.#foreign.set(event.owner ?? "", {
      count: event.count ?? 1,
      extendedAt: step === "extended" ? event.at : (known?.extendedAt ?? Number.NEGATIVE_INFINITY),
      isOpen,
      isForceReleased: event.type === "force_released",
      isCertain: true,
    });
  }

  #applyGap(): void {
    if (this.#last !== undefined) this.#last.isCertain = false;
    for (const known of this.#foreign.values()) known.isCertain = false;
  }
}

/** Compares two fencing tokens. They are decimal numbers that can exceed the precision of a double. */
function compareFences(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

const GAP: UnnumberedGap = { type: "gap", target: "", at: 0, from: 0, to: 0 };

/**
 * Returns the observed events of a key that are not recorded yet.
 *
 * New events can be added only to the end of the timeline. Observations from before the last recorded change are
 * therefore dropped, even if they were never recorded. This keeps the timeline in order, whichever instance continues
 * it. Shared holds end in any order, so only the changes to one hold are kept in order.
 *
 * @param own observed events in the order of observation
 * @param recorded recorded entries of the key, including gaps, in the order of recording
 * @param isAfterGap whether a gap will be recorded before the returned events
 */
export function filterUnrecordedEvents(
  own: readonly UnnumberedEvent[],
  recorded: readonly UnnumberedEntry[],
  isAfterGap = false,
): UnnumberedEvent[] {
  const entries = isAfterGap ? [...recorded, GAP] : recorded;
  const isShared = createSharedTest([...recorded, ...own]);
  const timeline = new RecordedTimeline(isShared);
  for (const entry of entries) timeline.applyEntry(entry);
  const newShared = filterSharedEvents(
    own.filter(isShared),
    entries.filter((entry) => entry.type === "gap" || isShared(entry)),
  );
  const recordedForeign = recorded.filter(
    (entry) => entry.type !== "gap" && entry.fence === undefined,
  ) as UnnumberedEvent[];
  const start = findForeignStart(own, recordedForeign);
  return own.filter((event, at) => {
    if (event.fence === undefined && at < start) return false;
    if (isShared(event) && !newShared.has(event)) return false;
    if (!timeline.isNewEvent(event)) return false;
    timeline.applyEntry(event);
    return true;
  });
}

/** Returns the index of the first event in `own` that can continue the recorded timeline of foreign holds. */
function findForeignStart(own: readonly UnnumberedEvent[], recorded: readonly UnnumberedEvent[]): number {
  const last = recorded.at(-1);
  if (last === undefined) return 0;
  for (let n = recorded.length - 1; n >= 0; n--) {
    const one = recorded[n];
    if (one === undefined || one.at < last.at - SAME_CHANGE_MS) break;
    const same = findClosestChange(own, one);
    if (same >= 0) return same + 1;
  }
  const later = own.findIndex(({ fence, at }) => fence === undefined && at > last.at);
  return later < 0 ? own.length : later;
}

/**
 * Returns the index of the observation that describes a recorded change. If there are several, returns the index of the
 * closest in time. If there is none, returns -1.
 */
function findClosestChange(own: readonly UnnumberedEvent[], recorded: UnnumberedEvent): number {
  let found = -1;
  let apart = SAME_CHANGE_MS;
  own.forEach((event, index) => {
    const distance = Math.abs(event.at - recorded.at);
    if (distance > apart || !isSameChange(event, recorded)) return;
    found = index;
    apart = distance;
  });
  return found;
}

/** Returns whether two events describe the same change to a key, without regard to other events. */
export function isSameChange(one: UnnumberedEvent, other: UnnumberedEvent): boolean {
  if (one.fence !== other.fence || classifyStep(one) !== classifyStep(other)) return false;
  if (one.fence !== undefined) {
    if (one.shared === true || other.shared === true) return isSameSharedChange(one, other);
    return classifyStep(one) === "ended" || one.seq === other.seq;
  }
  const isNear = Math.abs(one.at - other.at) <= SAME_CHANGE_MS;
  return isNear && one.owner === other.owner && (classifyStep(one) === "ended" || one.count === other.count);
}
