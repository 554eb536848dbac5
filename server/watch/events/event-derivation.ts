import type { EventType, LockEvent } from "../../../lib/contract/event.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { SeenHolder } from "../../formats/observation.ts";
import type { ScriptEvent } from "../connection/script-event.ts";
import { CLOCK_TOLERANCE_MS } from "../holds/renewal-history.ts";

/** An event before the journal gives it an id. */
export interface NewEvent
  extends Pick<LockEvent, "type" | "at" | "count" | "seq" | "heldMs" | "by" | "reason" | "observed"> {
  readonly owner: Key;
  readonly fence: string | null;
}

/** What has been told of one holder of a lock so far: the hold that the last event left behind. */
export interface ReportedHold {
  /** What Redis stores of it; undefined of a hold of ours that only a script has told of, whose fence identifies it. */
  readonly token: Key | undefined;
  /** Whom people know it by. */
  readonly owner: Key;
  readonly role: SeenHolder["role"];
  readonly fence: string | null;
  readonly epoch: number;
  /** 0: it has ended; what is said of it from now on comes late. */
  readonly count: number;
  readonly seq: number;
  readonly isVoted?: true | undefined;
  readonly sinceMs: number;
  /** When its lease ends, Redis's clock; null: never, undefined: not read yet. */
  readonly endsAtMs: number | null | undefined;
}

/** How a hold that vanished may have ended, when Redis said so. */
export type EndCause = "expired" | "evicted" | "blind" | "unreadable" | undefined;

/** Whether our scripts tell of this hold themselves; what they say of one of a quorum is the word of one master. */
export function hasScriptEvents({ fence, isVoted }: Pick<ReportedHold, "fence" | "isVoted">): boolean {
  return fence !== null && isVoted !== true;
}

/** Takes in what one of our scripts said. A repetition of what is told already says nothing. */
export function eventsFromScript(
  reported: ReportedHold | undefined,
  event: ScriptEvent,
  endCause?: EndCause,
): { tale: ReportedHold | undefined; events: NewEvent[] } {
  const same = reported !== undefined && isOfReportedHold(event, reported);
  if (same && event.fence !== null && (event.seq <= reported.seq || isAfterEnd(reported, event)))
    return { tale: reported, events: [] };
  if (!same && reported?.fence && event.fence !== null && Number(event.fence) < Number(reported.fence))
    return { tale: reported, events: [] };
  const events: NewEvent[] = [];
  if (isOpen(reported) && !same && event.type === "acquired")
    events.push(createEndEvent(reported, event.at, endCause));
  const { fence, count, seq } = event;
  const begun = same ? reported : undefined;
  const owner = begun?.owner ?? event.owner;
  const next: ReportedHold = {
    token: begun?.token ?? (fence === null ? event.owner : undefined),
    owner,
    role: begun?.role,
    fence,
    count,
    seq,
    epoch: begun?.epoch ?? 0,
    sinceMs: begun?.sinceMs ?? event.at,
    // The next look would conclude what was just said of a foreign hold.
    endsAtMs: event.type === "renewed" && fence === null ? undefined : begun?.endsAtMs,
  };
  if (count > 0) {
    events.push({ ...toExactEvent(event), owner, count });
    return { tale: next, events };
  }
  const heldMs = event.heldMs ?? (same ? Math.max(0, event.at - reported.sinceMs) : undefined);
  events.push({ ...toExactEvent(event), owner, ...(heldMs === undefined ? {} : { heldMs }) });
  return { tale: fence === null ? undefined : next, events };
}

/**
 * Whether a script's word is of this hold. Of ours the fence identifies it: other holds may have the same label. Of
 * others the scripts name what the lock stores.
 */
export function isOfReportedHold({ fence, owner }: ScriptEvent, reported: ReportedHold): boolean {
  if (reported.fence !== fence) return false;
  return fence !== null || reported.token === owner;
}

export function isOpen(reported: ReportedHold | undefined): reported is ReportedHold {
  return reported !== undefined && reported.count > 0;
}

/** Once an end was told, only a force-release still has something to add: who, and why. */
function isAfterEnd(reported: ReportedHold, event: ScriptEvent): boolean {
  return !isOpen(reported) && event.type !== "force_released";
}

function toExactEvent({ type, at, owner, fence, seq, heldMs, by, reason }: ScriptEvent): NewEvent {
  return {
    type,
    at,
    owner,
    fence,
    observed: "exact",
    ...(fence === null ? {} : { seq }),
    ...(heldMs === undefined ? {} : { heldMs }),
    ...(by === undefined ? {} : { by }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** One holder in the picture, as far as it is told of. */
export interface HolderSnapshot {
  readonly holder: SeenHolder;
  readonly epoch: number;
  readonly sinceMs: number;
  /** When its lease ends, Redis's clock; null: never. */
  readonly endsAtMs: number | null;
}

/** One holder as a look shows it. */
export interface CurrentHolder extends HolderSnapshot {
  /** Several hold the lock, and its end is nobody's own. */
  readonly sharesEnd: boolean;
  readonly isInitialScan: boolean;
  /** This very hold was freed by force before. */
  readonly wasForceReleased: boolean;
}

/** Concludes from two states of a lock what must have happened between them. @param reportedHolds those that are open */
export function deriveEvents(
  reportedHolds: readonly ReportedHold[],
  currentHolders: readonly CurrentHolder[],
  asOf: number,
  endCause: EndCause,
): { tales: ReportedHold[]; events: NewEvent[] } {
  const left = [...reportedHolds];
  const next = currentHolders.map((present) => {
    const at = left.findIndex((reported) => isSameHold(reported, present));
    const [before] = at < 0 ? [] : left.splice(at, 1);
    return { before, after: toReportedHold(present), present };
  });
  const endings = left.map((reported) => createEndEvent(reported, asOf, endCause));
  const changes = next.flatMap(({ before, after, present }) => {
    if (before !== undefined) return deriveChanges(before, after, present, asOf);
    const type = getStartEventType(present, reportedHolds.length === 0);
    return [createDerivedEvent(type, after, type === "seen" ? asOf : Math.min(asOf, after.sinceMs))];
  });
  const ended = left.map((reported) => ({ ...reported, count: 0 }));
  return { tales: [...ended, ...next.map(({ after }) => after)], events: [...endings, ...changes] };
}

function getStartEventType({ wasForceReleased, isInitialScan }: CurrentHolder, isUntold: boolean): EventType {
  if (wasForceReleased) return "recreated";
  return isInitialScan && isUntold ? "seen" : "acquired";
}

function deriveChanges(
  before: ReportedHold,
  after: ReportedHold,
  { sharesEnd }: CurrentHolder,
  asOf: number,
): NewEvent[] {
  if (after.count > before.count) return [createDerivedEvent("reentered", after, asOf)];
  if (after.count < before.count) return [createDerivedEvent("released", after, asOf)];
  const wasExact = hasScriptEvents(before) && before.seq === after.seq;
  const later = (after.endsAtMs ?? 0) - (before.endsAtMs ?? after.endsAtMs ?? 0);
  const isNumbered = before.isVoted !== true && before.seq !== after.seq;
  return !wasExact && !sharesEnd && later > CLOCK_TOLERANCE_MS && !isNumbered
    ? [createDerivedEvent("renewed", after, asOf)]
    : [];
}

function isSameHold(reported: ReportedHold, { holder, epoch }: CurrentHolder): boolean {
  if (reported.fence !== holder.fence) return false;
  if (reported.token !== undefined && reported.token !== holder.token) return false;
  // Our own scripts name neither role nor epoch.
  return holder.fence !== null || (reported.role === holder.role && reported.epoch === epoch);
}

/** The tale that a look leaves behind. */
export function toReportedHold({ holder, epoch, sinceMs, endsAtMs }: HolderSnapshot): ReportedHold {
  const { token, owner, role, fence, count, seq, isVoted } = holder;
  return { token, owner, role, fence, epoch, count, seq, isVoted, sinceMs, endsAtMs };
}

export function createEndEvent(reported: ReportedHold, asOf: number, endCause: EndCause): NewEvent {
  const lapsed = typeof reported.endsAtMs === "number" && asOf >= reported.endsAtMs - CLOCK_TOLERANCE_MS;
  const type: EventType =
    endCause === "evicted" ? "evicted" : lapsed || endCause === "expired" ? "expired" : "released";
  const at = lapsed && type === "expired" ? Math.min(asOf, reported.endsAtMs ?? asOf) : asOf;
  const { count: _count, seq: _seq, ...event } = createDerivedEvent(type, reported, at);
  const reason = type === "released" ? UNSEEN_END_REASONS[endCause ?? ""] : undefined;
  return {
    ...event,
    heldMs: Math.max(0, at - reported.sinceMs),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** Why nobody saw how a hold ended, or whether it did. */
const UNSEEN_END_REASONS: Readonly<Record<string, string>> = {
  blind: "gone while Redis was out of sight",
  unreadable: "the key cannot be read any more, so the hold may still stand",
};

function createDerivedEvent(
  type: EventType,
  { owner, fence, seq, count }: ReportedHold,
  at: number,
): NewEvent {
  return { type, at, owner, fence, count, observed: "inferred", ...(fence === null ? {} : { seq }) };
}
