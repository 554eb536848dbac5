import type { EventType, LockEvent } from "../../../lib/contract/event.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { SeenHolder } from "../../formats/observation.ts";
import type { ScriptEvent } from "../connection/script-event.ts";
import { CLOCK_TOLERANCE_MS } from "../holds/renewal-history.ts";

/** An event to which the journal has not yet assigned an id. */
export interface NewEvent
  extends Pick<
    LockEvent,
    "type" | "at" | "count" | "seq" | "heldMs" | "by" | "reason" | "shared" | "observed"
  > {
  readonly owner: Key;
  readonly fence: string | null;
}

/** The state of one holder after the last event that was reported for this holder. */
export interface ReportedHold {
  /**
   * The value that the lock stores for the holder. `undefined` for a Lockkeeper hold that is not a read lock and is
   * known only from script events. The fencing token identifies such a hold.
   */
  readonly token: Key | undefined;
  /** The owner label that events show. */
  readonly owner: Key;
  readonly role: SeenHolder["role"];
  /** Whether the hold shares its lock with other holds: a read lock, or permits of a semaphore. */
  readonly isShared: boolean;
  readonly fence: string | null;
  readonly epoch: number;
  /**
   * Re-entrancy count; 0 if the hold has ended. Ended holds are stored so that late script events about them can be
   * ignored.
   */
  readonly count: number;
  readonly seq: number;
  readonly isVoted?: true | undefined;
  readonly sinceMs: number;
  /**
   * When the lease ends, in Unix ms on the Redis clock. `null` if there is no TTL. `undefined` if the hold has not been
   * read yet, or if an operator extended a foreign hold after the last read.
   */
  readonly endsAtMs: number | null | undefined;
}

/**
 * Why a hold may have disappeared; `undefined` if there is no evidence. `blind`: Redis was not observed for some time.
 * `unreadable`: the key can no longer be read, so the hold may still exist.
 */
export type EndCause = "expired" | "evicted" | "blind" | "unreadable" | undefined;

/**
 * Whether script events report every operation on this hold exactly. False for a foreign hold, and on a quorum, where
 * each script event comes from a single master.
 */
export function hasScriptEvents({ fence, isVoted }: Pick<ReportedHold, "fence" | "isVoted">): boolean {
  return fence !== null && isVoted !== true;
}

/**
 * Applies a script event to the reported state of a hold. Returns the next state and the events to report. Repeated
 * and outdated events for a Lockkeeper hold have no effect.
 */
export function eventsFromScript(
  reported: ReportedHold | undefined,
  event: ScriptEvent,
  endCause?: EndCause,
): { next: ReportedHold | undefined; events: NewEvent[] } {
  const same = reported !== undefined && isAboutReportedHold(event, reported);
  if (same && event.fence !== null && (event.seq <= reported.seq || isAfterEnd(reported, event)))
    return { next: reported, events: [] };
  if (!same && reported?.fence && event.fence !== null && Number(event.fence) < Number(reported.fence))
    return { next: reported, events: [] };
  const events: NewEvent[] = [];
  if (isOpen(reported) && !same && event.type === "acquired" && event.token === undefined)
    events.push(createEndEvent(reported, event.at, endCause));
  const { fence, count, seq } = event;
  const begun = same ? reported : undefined;
  const owner = begun?.owner ?? event.owner;
  const next: ReportedHold = {
    token: begun?.token ?? event.token ?? (fence === null ? event.owner : undefined),
    owner,
    role: begun?.role ?? (event.token === undefined ? undefined : "read"),
    isShared: begun?.isShared === true || isSharedEvent(event),
    fence,
    count,
    seq,
    epoch: begun?.epoch ?? 0,
    sinceMs: begun?.sinceMs ?? event.at,
    // An operator extended this foreign hold. If the previous deadline were kept, the next read would report the
    // extension again.
    endsAtMs: event.type === "renewed" && fence === null ? undefined : begun?.endsAtMs,
  };
  const heldMs = event.heldMs ?? (same && count === 0 ? Math.max(0, event.at - reported.sinceMs) : undefined);
  events.push(toExactEvent(event, { owner, heldMs, isShared: next.isShared }));
  return { next: fence === null && count === 0 ? undefined : next, events };
}

/**
 * Whether a script event is about this hold. A Lockkeeper hold is identified by its fencing token, because several
 * holds can have the same label. A read lock is also identified by its token. A foreign hold is identified by the value
 * that the lock stores.
 */
export function isAboutReportedHold({ fence, owner, token }: ScriptEvent, reported: ReportedHold): boolean {
  if (reported.fence !== fence) return false;
  // Readers share the fencing token of the last writer, so their tokens identify them.
  if (fence !== null && (token !== undefined || reported.role === "read")) return reported.token === token;
  return fence !== null || reported.token === owner;
}

export function isOpen(reported: ReportedHold | undefined): reported is ReportedHold {
  return reported !== undefined && reported.count > 0;
}

/**
 * Whether to ignore the event because the end of the hold is already reported. `force_released` is never ignored,
 * because that event adds the operator and the reason.
 */
function isAfterEnd(reported: ReportedHold, event: ScriptEvent): boolean {
  return !isOpen(reported) && event.type !== "force_released";
}

/** @param hold `isShared`: whether the hold shares its lock, which script events of permits contain only for grants */
function toExactEvent(
  { type, at, fence, seq, by, reason, count }: ScriptEvent,
  { owner, heldMs, isShared }: { owner: string; heldMs: number | undefined; isShared: boolean },
): NewEvent {
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
    ...(isShared ? { shared: true } : {}),
    ...(count > 0 ? { count } : {}),
  };
}

/** Whether the event is about a hold that shares its lock: a read lock, or permits of a semaphore. */
export function isSharedEvent({ token, isShared }: ScriptEvent): boolean {
  // Only the events of readers have a token.
  return isShared === true || token !== undefined;
}

/** The observed state of one holder, from which events are inferred. */
export interface HolderSnapshot {
  readonly holder: SeenHolder;
  /** Whether the hold shares its lock with other holds. */
  readonly isShared: boolean;
  readonly epoch: number;
  readonly sinceMs: number;
  /** When the lease ends, in Unix ms on the Redis clock; `null` if there is no TTL. */
  readonly endsAtMs: number | null;
}

/** One holder in the observation from which events are inferred. */
export interface CurrentHolder extends HolderSnapshot {
  /** Whether the lock has several holders that share one deadline. */
  readonly sharesEnd: boolean;
  readonly isInitialScan: boolean;
  /** Whether a library recreated this hold after an operator had force-released it. */
  readonly wasForceReleased: boolean;
}

/**
 * Infers the events that lead from the reported state of a lock to the observed state. Returns the events and the next
 * reported state.
 *
 * @param reportedHolds the open holds as last reported
 * @param isSameExtension whether a later deadline is due to an operator's extension that is already reported
 */
export function inferEvents(
  reportedHolds: readonly ReportedHold[],
  currentHolders: readonly CurrentHolder[],
  asOf: number,
  endCause: EndCause,
  isSameExtension = false,
): { next: ReportedHold[]; events: NewEvent[] } {
  const left = [...reportedHolds];
  const next = currentHolders.map((present) => {
    const at = left.findIndex((reported) => isSameHold(reported, present));
    const [before] = at < 0 ? [] : left.splice(at, 1);
    return { before, after: toReportedHold(present), present };
  });
  const endings = left.map((reported) => createEndEvent(reported, asOf, endCause));
  const changes = next.flatMap(({ before, after, present }) => {
    if (before !== undefined)
      return inferChanges(before, after, asOf, !present.sharesEnd && !isSameExtension);
    const type = getStartEventType(present, reportedHolds.length === 0);
    return [createInferredEvent(type, after, type === "seen" ? asOf : Math.min(asOf, after.sinceMs))];
  });
  const ended = left.map((reported) => ({ ...reported, count: 0 }));
  return { next: [...ended, ...next.map(({ after }) => after)], events: [...endings, ...changes] };
}

function getStartEventType(
  { wasForceReleased, isInitialScan }: CurrentHolder,
  isUnreported: boolean,
): EventType {
  if (wasForceReleased) return "recreated";
  return isInitialScan && isUnreported ? "seen" : "acquired";
}

function inferChanges(
  before: ReportedHold,
  after: ReportedHold,
  asOf: number,
  canBeRenewal: boolean,
): NewEvent[] {
  if (after.count > before.count) return [createInferredEvent("reentered", after, asOf)];
  if (after.count < before.count) return [createInferredEvent("released", after, asOf)];
  const wasExact = hasScriptEvents(before) && before.seq === after.seq;
  const later = (after.endsAtMs ?? 0) - (before.endsAtMs ?? after.endsAtMs ?? 0);
  const isNumbered = before.isVoted !== true && before.seq !== after.seq;
  return canBeRenewal && !wasExact && later > CLOCK_TOLERANCE_MS && !isNumbered
    ? [createInferredEvent("renewed", after, asOf)]
    : [];
}

function isSameHold(reported: ReportedHold, { holder, epoch }: CurrentHolder): boolean {
  if (reported.fence !== holder.fence) return false;
  if (reported.token !== undefined && reported.token !== holder.token) return false;
  // Script events contain no role or epoch, so both are ignored for a Lockkeeper hold.
  return holder.fence !== null || (reported.role === holder.role && reported.epoch === epoch);
}

/** Returns the reported state that corresponds to an observed holder. */
export function toReportedHold(snapshot: HolderSnapshot): ReportedHold {
  const { holder, isShared, epoch, sinceMs, endsAtMs } = snapshot;
  const { token, owner, role, fence, count, seq, isVoted } = holder;
  return { token, owner, role, isShared, fence, epoch, count, seq, isVoted, sinceMs, endsAtMs };
}

export function createEndEvent(reported: ReportedHold, asOf: number, endCause: EndCause): NewEvent {
  const hasExpired = typeof reported.endsAtMs === "number" && asOf >= reported.endsAtMs - CLOCK_TOLERANCE_MS;
  const type: EventType =
    endCause === "evicted" ? "evicted" : hasExpired || endCause === "expired" ? "expired" : "released";
  const at = hasExpired && type === "expired" ? Math.min(asOf, reported.endsAtMs ?? asOf) : asOf;
  const { count: _count, seq: _seq, ...event } = createInferredEvent(type, reported, at);
  const reason = type === "released" ? UNSEEN_END_REASONS[endCause ?? ""] : undefined;
  return {
    ...event,
    heldMs: Math.max(0, at - reported.sinceMs),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** Values of `reason` for ends that Lockkeeper did not observe. */
const UNSEEN_END_REASONS: Readonly<Record<string, string>> = {
  blind: "ended while Redis was not observed",
  unreadable: "the key can no longer be read, so the hold may not have ended",
};

function createInferredEvent(
  type: EventType,
  { owner, isShared, fence, seq, count }: ReportedHold,
  at: number,
): NewEvent {
  const shared = isShared ? { shared: true as const } : {};
  return {
    type,
    at,
    owner,
    fence,
    count,
    observed: "inferred",
    ...shared,
    ...(fence === null ? {} : { seq }),
  };
}
