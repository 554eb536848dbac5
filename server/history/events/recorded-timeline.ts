import { END_EVENT_TYPES, type LockEvent } from "../../../lib/contract/event.ts";
import type { UnnumberedEntry, UnnumberedEvent } from "./stream-entry.ts";

/** How far apart two instances may say that the same change of a foreign lock happened: their looks differ. */
const SAME_CHANGE_MS = 2000;

/** `prolonged`: an operator gave it more time; what holders renew themselves is not kept. */
type TimelineStep = "begun" | "grown" | "shrunk" | "prolonged" | "ended";

export function classifyStep({ type, count = 0 }: Pick<LockEvent, "type" | "count">): TimelineStep {
  if (type === "reentered") return "grown";
  if (type === "renewed") return "prolonged";
  if (type === "released" && count > 0) return "shrunk";
  return END_EVENT_TYPES.has(type) ? "ended" : "begun";
}

interface FencedState {
  readonly fence: string;
  seq: number;
  end: "none" | "told" | "forced";
  /** false: nobody watched since, so it may have ended unseen. */
  isCertain: boolean;
}

interface ForeignState {
  count: number;
  /** By Redis's clock, which the script that prolonged it told. */
  prolongedAt: number;
  isOpen: boolean;
  isForceReleased: boolean;
  isCertain: boolean;
}

/**
 * What is told of one key, as far as it decides what is news: an event is news when it carries the story on.
 *
 * What makes two events tell the same change:
 * - of a hold with a fence: fence and `seq`, and that a hold ends once. Fences rise, so the story of such holds is
 *   in order whoever tells it, and whether exactly or derived.
 * - of a hold without one, nothing in Redis numbers its changes. There it is the owner and the step: who is in
 *   cannot come in, who is out cannot leave.
 * - a force-release may still say who and why after another word of the same end.
 */
export class RecordedTimeline {
  #last: FencedState | undefined;
  readonly #foreign = new Map<string, ForeignState>();

  static from(entries: Iterable<UnnumberedEntry>): RecordedTimeline {
    const story = new RecordedTimeline();
    for (const entry of entries) story.applyEntry(entry);
    return story;
  }

  isNewEvent(event: UnnumberedEvent): boolean {
    return event.fence === undefined
      ? this.#isNewForeignEvent(event)
      : this.#isNewFencedEvent(event, event.fence);
  }

  applyEntry(entry: UnnumberedEntry): void {
    if (entry.type === "gap") this.#applyGap();
    else if (entry.fence === undefined) this.#applyForeign(entry);
    else this.#applyFenced(entry, entry.fence);
  }

  #isNewFencedEvent(event: UnnumberedEvent, fence: string): boolean {
    const last = this.#last;
    const order = last === undefined ? 1 : compareFences(fence, last.fence);
    if (last === undefined || order !== 0) return order > 0;
    if (classifyStep(event) === "ended")
      return last.end === "none" || (event.type === "force_released" && last.end === "told");
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
    else if (classifyStep(event) === "ended" && last.end === "none") last.end = "told";
  }

  #isNewForeignEvent(event: UnnumberedEvent): boolean {
    const known = this.#foreign.get(event.owner ?? "");
    if (known === undefined) return true;
    const step = classifyStep(event);
    if (step === "prolonged") return event.at > known.prolongedAt;
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
      prolongedAt: step === "prolonged" ? event.at : (known?.prolongedAt ?? Number.NEGATIVE_INFINITY),
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

/** Fences are decimal numbers that may be longer than a double holds. */
export function compareFences(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/**
 * What of one's own observations of a key is not told yet.
 *
 * The story of a key goes on where its end stands: whatever was observed before the change that was told last is
 * left out, should it be missing there or not, so that a key's story is in order whoever tells it.
 *
 * @param own in the order of observing  @param recorded in the order of telling, the gaps among them
 */
export function filterUnrecordedEvents(
  own: readonly UnnumberedEvent[],
  recorded: readonly UnnumberedEntry[],
  isAfterGap = false,
): UnnumberedEvent[] {
  const story = RecordedTimeline.from(recorded);
  if (isAfterGap) story.applyEntry({ type: "gap", target: "", at: 0, from: 0, to: 0 });
  const toldForeign = recorded.filter(
    (entry) => entry.type !== "gap" && entry.fence === undefined,
  ) as UnnumberedEvent[];
  const start = findForeignStart(own, toldForeign);
  return own.filter((event, at) => {
    if (event.fence === undefined && at < start) return false;
    if (!story.isNewEvent(event)) return false;
    story.applyEntry(event);
    return true;
  });
}

/** Where in one's own observations of foreign holds the story that was told goes on. */
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

/** The observation of the very change that was told, -1 when there is none. */
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

/** Whether two tell the same change of a key, as far as they alone can say. */
export function isSameChange(one: UnnumberedEvent, other: UnnumberedEvent): boolean {
  if (one.fence !== other.fence || classifyStep(one) !== classifyStep(other)) return false;
  if (one.fence !== undefined) return classifyStep(one) === "ended" || one.seq === other.seq;
  const isNear = Math.abs(one.at - other.at) <= SAME_CHANGE_MS;
  return isNear && one.owner === other.owner && (classifyStep(one) === "ended" || one.count === other.count);
}
