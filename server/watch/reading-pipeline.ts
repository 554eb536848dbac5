import type { Logger } from "pino";
import { REFUSAL_TEXTS } from "../../lib/contract/refusal.ts";
import type { Key } from "../../lib/keys/key.ts";
import type { HeldObservation, Observation } from "../formats/observation.ts";
import type { Notes } from "./annotations/notes.ts";
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
 * Called for each reading of a key: the hold in the index before it and after it, how many clients wait for the lock
 * while it is free, and what was read.
 */
export type ReadingListener = (
  key: Key,
  before: ObservedHold | undefined,
  after: ObservedHold | undefined,
  waitersOfFree: number,
  observation: Observation,
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
  readonly log: Logger | undefined;
  isWatched(key: Key): boolean;
  onChange(): void;
}

/**
 * Takes what the masters report through the topology view into the index, and reports what it means as events.
 * Nothing else changes the index.
 */
export class ReadingPipeline implements MasterListener {
  /** Messages on the channel of the script events that were not reported, since the start. */
  ignoredEvents = 0;
  readonly #readingListeners = new Set<ReadingListener>();
  readonly #unconfirmedEvents = new UnconfirmedEventBudget();
  #notes: Notes | undefined;
  #ruleChange: RuleChange | undefined;

  constructor(private readonly deps: ReadingPipelineDeps) {}

  /** Called with each reading, before its events are published. */
  onReading(listener: ReadingListener): () => void {
    this.#readingListeners.add(listener);
    return () => this.#readingListeners.delete(listener);
  }

  attachNotes(notes: Notes): void {
    this.#notes = notes;
  }

  /** Until `endRuleChange` the change explains what it makes of keys: that is reported as no event of a lock. */
  beginRuleChange(change: RuleChange): void {
    this.#ruleChange = change;
  }

  /** Every key has been read by the new rules. */
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
    // Nothing of an unwatched key is kept: no read would ever confirm it.
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

  /** A message on the channel of the script events is not one of ours. */
  onInvalidScriptEvent(): void {
    this.ignoredEvents++;
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

  /** Applies what each function evaluates to; undefined when nothing can be concluded yet. */
  applyReadings(evaluations: readonly (() => AppliedReading | undefined)[]): void {
    for (const evaluate of evaluations) {
      try {
        const reading = evaluate();
        if (reading !== undefined) this.#applyReading(reading);
      } catch (error) {
        // One lock that cannot be applied must not end the watch of the others.
        this.deps.log?.error({ err: error }, "a reading could not be applied");
      }
    }
    this.deps.onChange();
  }

  /** An operator released a hold of another library: if it is there again, it was recreated. */
  recordForceRelease({ key, format, holders }: HeldObservation, holder = holders[0]): void {
    if (holder.fence === null) this.deps.eventReporter.recordForceRelease(key, holder.token, format);
  }

  #applyReading(applied: AppliedReading): void {
    const { index, isQuorum, missedChanges, unseenHolds, eventReporter } = this.deps;
    const { key } = applied.observation;
    const isByRules =
      this.#ruleChange?.explains(index.get(key), applied.observation, applied.sentAt) ?? false;
    if (isByRules) eventReporter.forgetReported(key);
    const { observation, context, scriptEvent, ...reading } = isByRules ? toFirstReading(applied) : applied;
    const seen = observation.state === "held" ? observation : undefined;
    this.#unconfirmedEvents.confirm(key, seen, reading.sentAt);
    const { before, after } = index.applyObservation(observation, context);
    const indexed = index.get(key);
    // A decision of several masters comes from readings and events of each; which event it is cannot be told.
    if (!isQuorum && !isByRules)
      missedChanges.checkReading({ observation, before, after: indexed, context, ...reading });
    if (!isQuorum) unseenHolds.checkReading(observation, reading.sentAt);
    this.#notes?.removeIfEnded(key, after);
    const waitersOfFree = index.findWaiters(key)?.count ?? 0;
    for (const listener of this.#readingListeners) listener(key, before, indexed, waitersOfFree, observation);
    if (scriptEvent !== undefined) eventReporter.reportScriptEvent(scriptEvent);
    const change = findListingChange(before, after);
    // That a hold is listed no more is no end of it.
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

/** What a reading changes about whether the same hold is listed; undefined: nothing. */
function findListingChange(
  before: ObservedHold | undefined,
  after: ObservedHold | undefined,
): "listed" | "unlisted" | undefined {
  if (before === undefined || after === undefined || before.isListed === after.isListed) return undefined;
  const isSame = before.holders.some(({ epoch }) => after.holders.some((holder) => holder.epoch === epoch));
  if (!isSame) return undefined;
  return after.isListed ? "listed" : "unlisted";
}

/** When a hold began that is one by new rules alone is unknown. */
function toFirstReading(applied: AppliedReading): AppliedReading {
  return { ...applied, context: { ...applied.context, since: "at_least" }, isInitialScan: true };
}
