import type { FormatName } from "../../../lib/contract/format.ts";
import { formatKey, type Key, toKeyFields } from "../../../lib/keys/key.ts";
import type { UnnumberedEvent } from "../../history/events/stream-entry.ts";
import type { Journal } from "../../history/journal.ts";
import { type ScriptEvent, toMessageOwner } from "../connection/script-event.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { CLOCK_TOLERANCE_MS } from "../holds/renewal-history.ts";
import {
  type CurrentHolder,
  createEndEvent,
  type EndCause,
  eventsFromScript,
  hasScriptEvents,
  inferEvents,
  isAboutReportedHold,
  isOpen,
  isSharedEvent,
  type NewEvent,
  type ReportedHold,
} from "./event-inference.ts";
import { ForceReleasedHolds } from "./force-released-holds.ts";
import { listCurrentHolders, toReportedHolds } from "./holder-state.ts";

/** Time, in ms, to wait for a script event before reporting the change as inferred. */
const SCRIPT_EVENT_GRACE_MS = 50;
/** Maximum number of ended holds to remember. Late events of a remembered hold are not reported again. */
const ENDED_HOLDS_MAX = 1000;

export interface ReportedReading {
  readonly key: Key;
  readonly hold: ObservedHold | undefined;
  /** Whether the index contains the hold. A full index may omit holds. */
  readonly isIndexed: boolean;
  /** Time of the observation, in Unix ms on the Redis clock. */
  readonly asOf: number;
  readonly sentAt: number;
  readonly endCause: EndCause;
  readonly isInitialScan: boolean;
  /** Whether the deadline is later because of an operator's extension that has already been reported. */
  readonly isSameExtension?: boolean;
}

/**
 * Merges script events and observations into one sequence of events without duplicates. Script events are exact and, if
 * an operator made the change, include the operator and the reason. Events from observations are inferred. If a script
 * event may still arrive, the reporter waits 50 ms and requests another read before it infers an event.
 */
export class EventReporter {
  /**
   * The reported state of each key. If the state comes from a read and the index contains the hold, the value is the
   * indexed hold, to save memory. Otherwise, the value is a list with one entry per holder.
   */
  readonly #reported = new Map<Key, ObservedHold | readonly ReportedHold[]>();
  readonly #endedHolds = new Map<Key, ReportedHold>();
  readonly #forceReleased = new ForceReleasedHolds();
  readonly #scriptEventAt = new Map<Key, number>();
  readonly #deferred = new Map<Key, { signature: string; endCause: EndCause; timer: NodeJS.Timeout }>();

  constructor(
    private readonly target: string,
    private readonly journal: Journal,
    /** Enqueues a read of the key. Returns false if the key is not watched. */
    private readonly requestReread: (key: Key) => boolean,
  ) {}

  /**
   * Reports a script event, and the end of each other hold that must have ended before the event. Requests a read of
   * the key, unless `isProven` is true.
   *
   * @param reportedCause how the previous hold ended, if a notification reported the end and no read has followed
   * @param isProven whether the event is known to be genuine, so that no read of the key has to confirm it
   */
  reportScriptEvent(scriptEvent: ScriptEvent, reportedCause?: EndCause, isProven = false): void {
    if (scriptEvent.type === "waiting" || scriptEvent.type === "wait_ended") {
      const { type, at, owner } = scriptEvent;
      this.#appendEvents(scriptEvent.key, [{ type, at, owner, fence: null, observed: "exact" }]);
      this.requestReread(scriptEvent.key);
      return;
    }
    const event = this.#resolveToken(scriptEvent);
    const isWatched = isProven || this.requestReread(event.key);
    const endCause = reportedCause ?? this.#deferred.get(event.key)?.endCause;
    const { known, others } = this.#findReportedHold(event);
    const { next: reportedHold, events } = eventsFromScript(known, event, endCause);
    // A verb acquires a lock only if the lock has no other holder, or if all holders share the lock. Any other reported
    // hold has therefore ended.
    const begins = event.type === "acquired" && event.isShared === undefined && events.length > 0;
    const ended = begins ? others.filter((other) => event.token === undefined || other.role !== "read") : [];
    const endings = ended.map((other) => createEndEvent(other, event.at, endCause));
    if (event.type === "acquired") this.#cancelDeferral(event.key);
    if (event.type === "force_released" && event.fence === null)
      this.#forceReleased.add(event.key, event.owner, { at: event.at });
    if (isWatched) {
      // A proven end requests no read, so no read would remove the entry later.
      if (isProven && event.count === 0) this.#scriptEventAt.delete(event.key);
      else this.#scriptEventAt.set(event.key, performance.now());
      this.#storeReported(event.key, [
        ...others.filter((other) => !ended.includes(other)),
        ...(reportedHold === undefined ? [] : [reportedHold]),
      ]);
    }
    this.#appendEvents(event.key, [...endings, ...events]);
  }

  /**
   * Replaces the owner in an event for a foreign hold with the value that the lock stores, if that value is known.
   * Returns any other event unchanged.
   */
  #resolveToken(event: ScriptEvent): ScriptEvent {
    if (event.fence !== null) return event;
    const reported = this.#listReportedHolds(event.key).find(
      ({ token, fence }) => fence === null && token !== undefined && toMessageOwner(token) === event.owner,
    );
    return reported?.token === undefined ? event : { ...event, owner: reported.token };
  }

  /**
   * Finds the reported hold that the event is about (`known`) and the other open holds (`others`). If no open hold
   * matches the event, `known` is the open hold that a new hold replaces, or the last ended hold of the key.
   */
  #findReportedHold(event: ScriptEvent): {
    known: ReportedHold | undefined;
    others: readonly ReportedHold[];
  } {
    const { key, fence, count } = event;
    const open = this.#listReportedHolds(key);
    const same = open.find((reportedHold) => isAboutReportedHold(event, reportedHold));
    // The event of a hold that is not among the open holds does not replace one of them if that hold has ended or
    // shares the lock.
    const isUnknownEnd = same === undefined && fence === null && count === 0;
    const isShared = isSharedEvent(event);
    const known = same ?? (isUnknownEnd || isShared ? undefined : open[0]);
    const ended = this.#endedHolds.get(key);
    const isEndedKnown = ended !== undefined && (!isShared || isAboutReportedHold(event, ended));
    return {
      known: known ?? (isEndedKnown ? ended : undefined),
      others: open.filter((reportedHold) => reportedHold !== known),
    };
  }

  /** Records that an operator force-released a foreign hold in the given format. */
  recordForceRelease(key: Key, token: Key, format: FormatName): void {
    this.#forceReleased.add(key, token, { as: format });
  }

  reportReading(reading: ReportedReading): void {
    const { key, sentAt } = reading;
    const exactAt = this.#scriptEventAt.get(key);
    if (exactAt !== undefined) {
      // The read was sent before the script event arrived, so the read may show the state before the change.
      if (sentAt <= exactAt) {
        this.requestReread(key);
        return;
      }
      this.#scriptEventAt.delete(key);
    }
    const waited = this.#deferred.get(key);
    const endCause = reading.endCause ?? waited?.endCause;
    const reportedHolds = this.#listReportedHolds(key);
    const currentHolders = listCurrentHolders(reading, this.#forceReleased);
    const signature = buildSignature(reportedHolds, currentHolders);
    if (waited !== undefined && waited.signature !== signature) this.#cancelDeferral(key);
    if (
      canBeScriptChange(reportedHolds, currentHolders, reading.asOf, endCause) &&
      waited?.signature !== signature
    ) {
      this.#defer(key, signature, endCause);
      return;
    }
    this.#cancelDeferral(key);
    const reported = inferEvents(
      reportedHolds,
      currentHolders,
      reading.asOf,
      endCause,
      reading.isSameExtension,
    );
    this.#storeReported(key, reported.next, reading.isIndexed ? reading.hold : undefined);
    this.#appendEvents(key, reported.events);
  }

  /**
   * Forgets the reported state of a key without reporting an end. Call this if the hold continues and the only change
   * is to its format or to whether it is listed.
   */
  forgetReported(key: Key): void {
    this.#cancelDeferral(key);
    this.#reported.delete(key);
    this.#endedHolds.delete(key);
  }

  stop(): void {
    for (const key of [...this.#deferred.keys()]) this.#cancelDeferral(key);
  }

  #defer(key: Key, signature: string, endCause: EndCause): void {
    const timer = setTimeout(() => this.requestReread(key), SCRIPT_EVENT_GRACE_MS);
    timer.unref();
    this.#deferred.set(key, { signature, endCause, timer });
  }

  #cancelDeferral(key: Key): void {
    clearTimeout(this.#deferred.get(key)?.timer);
    this.#deferred.delete(key);
  }

  #listReportedHolds(key: Key): readonly ReportedHold[] {
    const reported = this.#reported.get(key);
    if (reported === undefined) return [];
    return "holders" in reported ? toReportedHolds(reported) : reported;
  }

  /** Stores the reported state of a key. @param hold the observed hold, if the index contains it */
  #storeReported(key: Key, reportedHolds: readonly ReportedHold[], hold?: ObservedHold): void {
    const open = reportedHolds.filter(isOpen);
    if (open.length > 0) this.#reported.set(key, hold ?? open);
    else this.#reported.delete(key);
    const ended = reportedHolds.findLast((reportedHold) => !isOpen(reportedHold));
    if (ended === undefined) return;
    this.#endedHolds.delete(key);
    this.#endedHolds.set(key, ended);
    const [oldest] = this.#endedHolds.keys();
    if (this.#endedHolds.size > ENDED_HOLDS_MAX && oldest !== undefined) this.#endedHolds.delete(oldest);
  }

  #appendEvents(key: Key, events: readonly NewEvent[]): void {
    for (const { type, at, count, seq, heldMs, by, reason, shared, observed, owner, fence } of events) {
      // Assigns fields one by one, because spreading objects of different shapes takes longer than all other work of
      // reporting an event.
      const event: UnnumberedEvent = { target: this.target, ...toKeyFields(key), type, at, observed };
      event.owner = formatKey(owner);
      if (count !== undefined) event.count = count;
      if (fence !== null) event.fence = fence;
      if (seq !== undefined) event.seq = seq;
      if (heldMs !== undefined) event.heldMs = heldMs;
      if (shared === true) event.shared = true;
      if (by !== undefined) event.by = by;
      if (reason !== undefined) event.reason = reason;
      this.journal.append(event);
    }
  }
}

function canBeScriptChange(
  reportedHolds: readonly ReportedHold[],
  currentHolders: readonly CurrentHolder[],
  asOf: number,
  endCause: EndCause,
): boolean {
  const ownHolders = currentHolders.filter(({ holder }) => hasScriptEvents(holder));
  // `endCause` is about the previous hold and does not show how the current hold began.
  if (ownHolders.some((present) => !present.isInitialScan && !isReported(reportedHolds, present)))
    return true;
  if (endCause === "evicted" || endCause === "expired") return false;
  return reportedHolds.some((reportedHold) => {
    if (reportedHold.fence !== null && !hasScriptEvents(reportedHold)) return false;
    if (currentHolders.some(({ holder }) => isSameOwner(reportedHold, holder))) return false;
    return typeof reportedHold.endsAtMs !== "number" || asOf < reportedHold.endsAtMs - CLOCK_TOLERANCE_MS;
  });
}

function isSameOwner({ token, fence }: ReportedHold, holder: CurrentHolder["holder"]): boolean {
  return token === undefined ? fence === holder.fence : token === holder.token;
}

function isReported(reportedHolds: readonly ReportedHold[], { holder }: CurrentHolder): boolean {
  return reportedHolds.some(
    ({ token, fence, seq }) =>
      fence === holder.fence && seq === holder.seq && (token === undefined || token === holder.token),
  );
}

function buildSignature(
  reportedHolds: readonly ReportedHold[],
  currentHolders: readonly CurrentHolder[],
): string {
  const holders = [...reportedHolds, ...currentHolders.map(({ holder }) => holder)];
  return [reportedHolds.length, ...holders.flatMap(({ token, fence, seq }) => [token, fence, seq])].join(
    "\n",
  );
}
