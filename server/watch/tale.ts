import type { EventType, LockEvent } from "../../lib/contract/event.ts";
import type { HeldObservation } from "../formats/observation.ts";
import type { OwnEvent } from "./own-event.ts";

/** An event before the journal gives it an id. */
export interface Told
  extends Pick<LockEvent, "type" | "at" | "owner" | "count" | "heldMs" | "by" | "reason" | "observed"> {
  readonly fence: string | null;
}

/** What has been told of a lock so far: the hold that the last event left behind. */
export interface Tale {
  readonly owner: string;
  readonly fence: string | null;
  readonly epoch: number;
  /** 0: it has ended; what is said of it from now on comes late. */
  readonly count: number;
  readonly seq: number;
  readonly sinceMs: number;
  /** When its lease ends, Redis's clock; null: never, undefined: not read yet. */
  readonly endsAtMs: number | null | undefined;
}

/** How a hold that vanished may have ended, when Redis said so. */
export type Hint = "expired" | "evicted" | "blind" | undefined;

/** Redis's expiry and our reading of its clock may differ by this much. */
export const TOLERANCE_MS = 5;

/** Takes in what one of our scripts said. A repetition of what is told already says nothing. */
export function tellExact(
  tale: Tale | undefined,
  event: OwnEvent,
  hint?: Hint,
): { tale: Tale | undefined; events: Told[] } {
  const same = tale !== undefined && tale.fence === event.fence && tale.owner === event.owner;
  if (same && event.fence !== null && (event.seq <= tale.seq || isAfterEnd(tale, event)))
    return { tale, events: [] };
  if (!same && tale?.fence && event.fence !== null && Number(event.fence) < Number(tale.fence))
    return { tale, events: [] };
  const events: Told[] = [];
  if (isOpen(tale) && !same && event.type === "acquired") events.push(endingOf(tale, event.at, hint));
  const { owner, fence, count, seq } = event;
  const begun = same ? tale : undefined;
  const next: Tale = {
    owner,
    fence,
    count,
    seq,
    epoch: begun?.epoch ?? 0,
    sinceMs: begun?.sinceMs ?? event.at,
    endsAtMs: begun?.endsAtMs,
  };
  if (count > 0) {
    events.push({ ...exactly(event), count });
    return { tale: next, events };
  }
  const heldMs = event.heldMs ?? (same ? Math.max(0, event.at - tale.sinceMs) : undefined);
  events.push({ ...exactly(event), ...(heldMs === undefined ? {} : { heldMs }) });
  return { tale: fence === null ? undefined : next, events };
}

export function isOpen(tale: Tale | undefined): tale is Tale {
  return tale !== undefined && tale.count > 0;
}

/** Once an end was told, only a force-release still has something to add: who, and why. */
function isAfterEnd(tale: Tale, event: OwnEvent): boolean {
  return !isOpen(tale) && event.type !== "force_released";
}

function exactly({ type, at, owner, fence, heldMs, by, reason }: OwnEvent): Told {
  return {
    type,
    at,
    owner,
    fence,
    observed: "exact",
    ...(heldMs === undefined ? {} : { heldMs }),
    ...(by === undefined ? {} : { by }),
    ...(reason === undefined ? {} : { reason }),
  };
}

export interface Present {
  readonly seen: HeldObservation;
  readonly epoch: number;
  readonly sinceMs: number;
  readonly isFirstLook: boolean;
}

/** Concludes from two states of a lock what must have happened between them. */
export function tellDerived(
  before: Tale | undefined,
  present: Present | undefined,
  asOf: number,
  hint: Hint,
): { tale: Tale | undefined; events: Told[] } {
  const tale = isOpen(before) ? before : undefined;
  if (present === undefined) {
    if (tale === undefined) return { tale: before, events: [] };
    return { tale: { ...tale, count: 0 }, events: [endingOf(tale, asOf, hint)] };
  }
  const next = taleOf(present);
  const same = tale !== undefined && isSame(tale, present);
  if (tale === undefined || !same) {
    const events = tale === undefined ? [] : [endingOf(tale, asOf, hint)];
    const type = present.isFirstLook && tale === undefined ? "seen" : "acquired";
    return {
      tale: next,
      events: [...events, derived(type, next, type === "seen" ? asOf : Math.min(asOf, next.sinceMs))],
    };
  }
  return { tale: next, events: changesOf(tale, next, asOf) };
}

function changesOf(before: Tale, after: Tale, asOf: number): Told[] {
  if (after.count > before.count) return [derived("reentered", after, asOf)];
  if (after.count < before.count) return [derived("released", after, asOf)];
  const wasExact = before.fence !== null && before.seq === after.seq;
  const later = (after.endsAtMs ?? 0) - (before.endsAtMs ?? after.endsAtMs ?? 0);
  return !wasExact && later > TOLERANCE_MS && before.seq === after.seq
    ? [derived("renewed", after, asOf)]
    : [];
}

function isSame(tale: Tale, { seen, epoch }: Present): boolean {
  const [first] = seen.holders;
  if (tale.owner !== first.owner || tale.fence !== first.fence) return false;
  return first.fence !== null || tale.epoch === epoch;
}

function taleOf({ seen, epoch, sinceMs }: Present): Tale {
  const [{ owner, fence, count, seq }] = seen.holders;
  const endsAtMs = seen.remainingMs === null ? null : seen.asOf + seen.remainingMs;
  return { owner, fence, epoch, count, seq, sinceMs, endsAtMs };
}

function endingOf(tale: Tale, asOf: number, hint: Hint): Told {
  const lapsed = typeof tale.endsAtMs === "number" && asOf >= tale.endsAtMs - TOLERANCE_MS;
  const type: EventType =
    hint === "evicted" ? "evicted" : lapsed || hint === "expired" ? "expired" : "released";
  const at = lapsed && type === "expired" ? Math.min(asOf, tale.endsAtMs ?? asOf) : asOf;
  const { count: _, ...event } = derived(type, tale, at);
  const blind =
    hint === "blind" && type === "released" ? { reason: "gone while Redis was out of sight" } : {};
  return { ...event, heldMs: Math.max(0, at - tale.sinceMs), ...blind };
}

function derived(type: EventType, { owner, fence, count }: Tale, at: number): Told {
  return { type, at, owner, fence, count, observed: "derived" };
}
