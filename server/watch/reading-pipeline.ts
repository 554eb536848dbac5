import type { Logger } from "pino";
import type { Key } from "../../lib/keys/key.ts";
import type { HeldObservation } from "../formats/observation.ts";
import type { Notes } from "./annotations/notes.ts";
import type { ScriptEvent } from "./connection/script-event.ts";
import type { EventReporter } from "./events/event-reporter.ts";
import type { MissedChangeTracker } from "./events/missed-change-tracker.ts";
import type { ObservedHold } from "./holds/observed-hold.ts";
import type { LockIndex } from "./index/lock-index.ts";
import type { Reading } from "./scan/key-reader.ts";
import type { MasterListener, MasterWatch } from "./topology/master-watch.ts";
import type { AppliedReading, TopologyView } from "./topology/topology-view.ts";

/**
 * Called for each reading of a key: the hold in the index before it and after it, and how many clients wait for the
 * lock while it is free.
 */
export type ReadingListener = (
  key: Key,
  before: ObservedHold | undefined,
  after: ObservedHold | undefined,
  waitersOfFree: number,
) => void;

export interface ReadingPipelineDeps {
  readonly isQuorum: boolean;
  readonly view: TopologyView;
  readonly index: LockIndex;
  readonly missedChanges: MissedChangeTracker;
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
  readonly #readingListeners = new Set<ReadingListener>();
  #notes: Notes | undefined;

  constructor(private readonly deps: ReadingPipelineDeps) {}

  /** Called with each reading, before its events are published. */
  onReading(listener: ReadingListener): () => void {
    this.#readingListeners.add(listener);
    return () => this.#readingListeners.delete(listener);
  }

  attachNotes(notes: Notes): void {
    this.#notes = notes;
  }

  onKeyChange(key: Key, event: string, at: MasterWatch): void {
    this.#recordNotification(key);
    this.deps.view.onKeyChange(key, event, at);
  }

  onScriptEvent(event: ScriptEvent, at: MasterWatch): void {
    if (this.deps.isWatched(event.key)) this.#recordNotification(event.key);
    const reported = this.deps.view.onScriptEvent(event, at);
    if (reported !== undefined) this.deps.eventReporter.reportScriptEvent(reported.event, reported.endCause);
  }

  onReadings(readings: readonly Reading[], at: MasterWatch): void {
    this.applyReadings(readings.map((reading) => () => this.deps.view.evaluateReading(reading, at)));
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

  #applyReading({ observation, context, scriptEvent, ...reading }: AppliedReading): void {
    const { index, isQuorum, missedChanges, eventReporter } = this.deps;
    const { key } = observation;
    const { before, after } = index.applyObservation(observation, context);
    const indexed = index.get(key);
    // A decision of several masters comes from readings and events of each; which event it is cannot be told.
    if (!isQuorum) missedChanges.checkReading({ observation, before, after: indexed, context, ...reading });
    this.#notes?.removeIfEnded(key, after);
    const waitersOfFree = index.findWaiters(key)?.count ?? 0;
    for (const listener of this.#readingListeners) listener(key, before, indexed, waitersOfFree);
    if (scriptEvent !== undefined) eventReporter.reportScriptEvent(scriptEvent);
    eventReporter.reportReading({ key, hold: after, isIndexed: indexed !== undefined, ...reading });
  }

  #recordNotification(key: Key): void {
    if (!this.deps.isQuorum) this.deps.missedChanges.recordNotification(key);
  }
}
