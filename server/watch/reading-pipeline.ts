import type { Logger } from "pino";
import { REFUSAL_TEXTS } from "../../lib/contract/refusal.ts";
import type { Key } from "../../lib/keys/key.ts";
import { isAuxiliaryKey } from "../formats/keys.ts";
import type { HeldObservation, Observation } from "../formats/observation.ts";
import type { Notes } from "./annotations/notes.ts";
import type { OwnScriptEvents } from "./connection/own-script-events.ts";
import type { ScriptEvent } from "./connection/script-event.ts";
import type { EventReporter } from "./events/event-reporter.ts";
import type { MissedChangeTracker } from "./events/missed-change-tracker.ts";
import type { RuleChange } from "./events/rule-change.ts";
import { UnconfirmedEventBudget } from "./events/unconfirmed-event-budget.ts";
import type { UnseenHolds } from "./events/unseen-holds.ts";
import type { ObservedHold } from "./holds/observed-hold.ts";
import type { LockIndex } from "./index/lock-index.ts";
import type { Reading } from "./scan/key-reader.ts";
import type { MasterListener, MasterWatch } from "./topology/master-watch.ts";
import type { AppliedReading, TopologyView } from "./topology/topology-view.ts";

/**
 * Listener that is called for each reading of a key. `before` and `after` are the indexed holds before and after the
 * reading. `waitersOfFree` is the number of waiters if the lock is free, otherwise 0. `readAt` is the time
 * (`performance.now()`) at which the read was sent; `undefined` on a quorum, where an observation combines reads of
 * several masters.
 */
export type ReadingListener = (
  key: Key,
  before: ObservedHold | undefined,
  after: ObservedHold | undefined,
  waitersOfFree: number,
  observation: Observation,
  readAt: number | undefined,
) => void;

export interface ReadingPipelineDeps {
  /** Name of the target. */
  readonly target: string;
  readonly isQuorum: boolean;
  readonly view: TopologyView;
  readonly index: LockIndex;
  readonly missedChanges: MissedChangeTracker;
  readonly unseenHolds: UnseenHolds;
  readonly eventReporter: EventReporter;
  readonly ownScriptEvents: OwnScriptEvents;
  readonly log: Logger | undefined;
  isWatched(key: Key): boolean;
  onChange(): void;
}

/**
 * Applies the masters' readings to the index through the topology view, and reports the resulting events. No other
 * class applies readings to the index.
 */
export class ReadingPipeline implements MasterListener {
  /**
   * Number of messages on the script event channel that were ignored since the process started because they were
   * invalid or exceeded the budget for unconfirmed events.
   */
  ignoredEvents = 0;
  readonly #queueListeners = new Set<(key: Key) => void>();
  readonly #readingListeners = new Set<ReadingListener>();
  readonly #unconfirmedEvents = new UnconfirmedEventBudget();
  #notes: Notes | undefined;
  #ruleChange: RuleChange | undefined;

  constructor(private readonly deps: ReadingPipelineDeps) {}

  /**
   * Calls the listener for each reading, before the events that result from the reading are published. Returns a
   * function that removes the listener.
   */
  onReading(listener: ReadingListener): () => void {
    this.#readingListeners.add(listener);
    return () => this.#readingListeners.delete(listener);
  }

  /**
   * Calls the listener when a Redisson client enters or leaves the queue of a fair lock. Returns a function that
   * removes the listener.
   */
  onQueue(listener: (key: Key) => void): () => void {
    this.#queueListeners.add(listener);
    return () => this.#queueListeners.delete(listener);
  }

  attachNotes(notes: Notes): void {
    this.#notes = notes;
  }

  /** Suppresses events that result only from new rules until `endRuleChange` is called. */
  beginRuleChange(change: RuleChange): void {
    this.#ruleChange = change;
  }

  /**
   * Ends a rule change. Call this after every key has been read with the new rules. Has no effect if a later rule
   * change has begun.
   */
  endRuleChange(change: RuleChange): void {
    if (this.#ruleChange === change) this.#ruleChange = undefined;
  }

  onKeyChange(key: Key, event: string, at: MasterWatch): void {
    this.#recordNotification(key);
    const { isQuorum, unseenHolds, index } = this.deps;
    if (!isQuorum) unseenHolds.recordNotification(key, event, index.get(key) !== undefined);
    this.deps.view.onKeyChange(key, event, at);
  }

  onScriptEvent(event: ScriptEvent, at: MasterWatch): void {
    // Ignores the events of unwatched keys, because no read would ever confirm them.
    if (!this.deps.isWatched(event.key)) return;
    this.#recordNotification(event.key);
    const reported = this.deps.view.onScriptEvent(event, at);
    if (reported === undefined) return;
    if (this.#unconfirmedEvents.take(event, performance.now())) {
      this.deps.eventReporter.reportScriptEvent(reported.event, reported.endCause);
      this.deps.unseenHolds.recordScriptEvent(event.key);
      return;
    }
    this.ignoredEvents++;
    at.enqueueRead(event.key);
  }

  /**
   * Reports the event for a verb that this process ran. If the verb released a hold that was never read, the key is
   * still free in the index, so the pending read of the key is cancelled. Returns false if the event needs the regular
   * handling of script events.
   */
  onVerbEvent(event: ScriptEvent, at: MasterWatch): boolean {
    const { key } = event;
    const { isQuorum, index, view, missedChanges, unseenHolds, eventReporter, ownScriptEvents } = this.deps;
    if (!ownScriptEvents.take(event) || isQuorum || isAuxiliaryKey(key)) return false;
    if (index.get(key) !== undefined || index.findWaiters(key) !== undefined) return false;
    const isEnd = event.type === "released";
    if (isEnd && !at.cancelRead(key)) return false;
    const reported = view.onScriptEvent(event, at);
    if (isEnd) missedChanges.forgetNotification(key);
    else missedChanges.recordNotification(key);
    eventReporter.reportScriptEvent(event, reported?.endCause, true);
    unseenHolds.recordScriptEvent(key);
    if (!isEnd) at.enqueueCancellableRead(key);
    return true;
  }

  /** Counts an invalid message on the script event channel. */
  onInvalidScriptEvent(): void {
    this.ignoredEvents++;
  }

  onQueueChange(key: Key, at: MasterWatch): void {
    at.enqueueRead(key);
    for (const listener of this.#queueListeners) listener(key);
  }

  onReadings(readings: readonly Reading[], at: MasterWatch): void {
    this.applyReadings(readings.map((reading) => () => this.deps.view.evaluateReading(reading, at)));
  }

  onWritesRefusedChange({ master, connection: { writesRefused: reason } }: MasterWatch): void {
    const { target, log } = this.deps;
    const at = { target, master: master.name };
    if (reason === undefined) log?.info(at, "Redis accepts writes again");
    else {
      const { cause, remedy } = REFUSAL_TEXTS[reason];
      log?.warn({ ...at, reason }, `${cause}. Locks cannot be acquired or renewed. ${remedy}.`);
    }
    this.deps.onChange();
  }

  onStateChange(): void {
    this.deps.view.onMasterStateChange();
    this.deps.onChange();
  }

  /**
   * Calls each function and applies the reading that it returns. A function returns `undefined` if no reading can be
   * applied yet.
   */
  applyReadings(evaluations: readonly (() => AppliedReading | undefined)[]): void {
    for (const evaluate of evaluations) {
      try {
        const reading = evaluate();
        if (reading !== undefined) this.#applyReading(reading);
      } catch (error) {
        // An error for one lock must not affect the others.
        this.deps.log?.error({ err: error }, "Could not apply a reading");
      }
    }
    this.deps.onChange();
  }

  /**
   * Records that an operator force-released a foreign hold, so that Lockkeeper can recognize the hold if its library
   * recreates it. Has no effect if the holder has a fencing token.
   */
  recordForceRelease({ key, format, holders }: HeldObservation, holder = holders[0]): void {
    if (holder.fence === null) this.deps.eventReporter.recordForceRelease(key, holder.token, format);
  }

  #applyReading(applied: AppliedReading): void {
    const { index, isQuorum, missedChanges, unseenHolds, eventReporter } = this.deps;
    const { key } = applied.observation;
    const isByRules =
      this.#ruleChange?.explains(index.get(key), applied.observation, applied.sentAt) ?? false;
    if (isByRules) eventReporter.forgetReported(key);
    const isStartLost = isByRules || applied.wasUnreadable === true;
    const { observation, context, scriptEvent, ...reading } = isStartLost ? toFirstReading(applied) : applied;
    const seen = observation.state === "held" ? observation : undefined;
    this.#unconfirmedEvents.confirm(key, seen, reading.sentAt);
    const { before, after } = index.applyObservation(observation, context);
    const indexed = index.get(key);
    // On a quorum, a decision results from several reads and events, so no single notification explains the change.
    if (!isQuorum && !isStartLost)
      missedChanges.checkReading({ observation, before, after: indexed, context, ...reading });
    if (!isQuorum) unseenHolds.checkReading(observation, reading.sentAt);
    this.#notes?.removeIfEnded(key, after);
    const waitersOfFree = index.findWaiters(key)?.count ?? 0;
    const readAt = isQuorum ? undefined : reading.sentAt;
    for (const listener of this.#readingListeners)
      listener(key, before, indexed, waitersOfFree, observation, readAt);
    if (scriptEvent !== undefined) eventReporter.reportScriptEvent(scriptEvent);
    const change = findListingChange(before, after);
    // A hold that becomes unlisted has not necessarily ended.
    if (change === "unlisted") eventReporter.forgetReported(key);
    const isStartUnknown = this.#ruleChange !== undefined || after?.holders[0].since !== "exact";
    const isInitialScan = reading.isInitialScan || (change === "listed" && isStartUnknown);
    eventReporter.reportReading({
      ...{ key, hold: after, isIndexed: indexed !== undefined, ...reading },
      isInitialScan,
    });
  }

  #recordNotification(key: Key): void {
    if (!this.deps.isQuorum) this.deps.missedChanges.recordNotification(key);
  }
}

/** Returns `listed` or `unlisted` if the reading changed the listing of a continuing hold, otherwise `undefined`. */
function findListingChange(
  before: ObservedHold | undefined,
  after: ObservedHold | undefined,
): "listed" | "unlisted" | undefined {
  if (before === undefined || after === undefined || before.isListed === after.isListed) return undefined;
  const isSame = before.holders.some(({ epoch }) => after.holders.some((holder) => holder.epoch === epoch));
  if (!isSame) return undefined;
  return after.isListed ? "listed" : "unlisted";
}

/**
 * Marks a reading as part of the initial scan, because the start of a hold is unknown if it exists only under new rules
 * or its key could not be read before.
 */
function toFirstReading(applied: AppliedReading): AppliedReading {
  return { ...applied, context: { ...applied.context, since: "at_least" }, isInitialScan: true };
}
