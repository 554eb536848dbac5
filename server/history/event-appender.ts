import type { Election } from "./election.ts";
import { compareIds } from "./events/event-id.ts";
import type { EventIndex } from "./events/event-index.ts";
import { type EventStore, type Leadership, takeBatch } from "./events/event-store.ts";
import type { RecordedEntry, StreamCopy } from "./events/stream-copy.ts";
import type { UnnumberedEvent, UnnumberedGap } from "./events/stream-entry.ts";
import { OBSERVED_EVENTS_MAX, type ObservedEvent } from "./observed-events.ts";
import { filterUnrecorded } from "./unrecorded-observations.ts";

/**
 * Minimum time in ms between two appends. Events that are observed in between are appended together, in one round trip.
 */
const BATCH_DELAY_MS = 10;

/**
 * Maximum number of pending events. If there are more, the store is too slow. New events are then published before they
 * are recorded, and recorded later from memory.
 */
const PENDING_MAX = OBSERVED_EVENTS_MAX;

type PendingEntry = { readonly gap: UnnumberedGap } | { readonly observation: ObservedEvent };

interface AppenderDeps {
  /** Returns the time up to which all events have arrived, in ms on the target's clock. */
  getSettledAt(): number;
  /** Called when all events up to `until` are recorded (ms on the target's clock). */
  onAppended(until: number): void;
  /** Called for each observation that this instance has recorded. */
  onRecorded(observation: ObservedEvent): void;
  /** Called when this instance is no longer the recorder. */
  onReplaced(): void;
  /** Called when an append fails or too many events are pending. */
  onFailed(): void;
  /** Called after entries that the store had lost are written again. `count` is the number of these entries. */
  onRestored(count: number): void;
}

/**
 * Appends the observations of this instance to the history while this instance is the recorder. Appends each change
 * only once, in order.
 */
export class EventAppender {
  #isOpen = false;
  #recordedUntil: number | null = null;
  #pending: PendingEntry[] = [];
  #flushing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #flushedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly store: EventStore,
    private readonly copy: StreamCopy,
    private readonly election: Election,
    private readonly index: EventIndex,
    private readonly deps: AppenderDeps,
  ) {}

  /**
   * The time up to which all events are recorded, in ms on the target's clock. `null` if this instance has never been
   * the recorder.
   */
  get recordedUntil(): number | null {
    return this.#recordedUntil;
  }

  /** Start of the last append (`performance.now()` in ms); `-Infinity` if there was none. */
  get flushedAt(): number {
    return this.#flushedAt;
  }

  /**
   * Starts recording after the last entry in `copy`.
   *
   * @param until time up to which the history is already recorded, in ms on the target's clock
   * @param gap a gap to record first
   * @param observed observations that are not recorded yet
   */
  open(until: number, gap: UnnumberedGap | undefined, observed: readonly ObservedEvent[]): void {
    this.#isOpen = true;
    this.#recordedUntil = until;
    this.#pending = [
      ...(gap === undefined ? [] : [{ gap }]),
      ...observed.map((observation) => ({ observation })),
    ];
  }

  /** Stops recording. Discards the pending entries, because another instance records the same changes. */
  close(): void {
    this.#isOpen = false;
    this.#pending = [];
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  add(observation: ObservedEvent): void {
    this.#pending.push({ observation });
    if (this.#pending.length > PENDING_MAX) this.deps.onFailed();
    if (this.#timer !== undefined || !this.#isOpen) return;
    const waitMs = Math.max(0, this.#flushedAt + BATCH_DELAY_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.flush().catch(() => this.deps.onFailed());
    }, waitMs);
  }

  /**
   * Appends all pending entries and stores the time up to which all events are recorded. Concurrent calls share one
   * flush.
   */
  flush(): Promise<void> {
    this.#flushing ??= this.#flushAll().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async #flushAll(): Promise<void> {
    do {
      const lead = this.election.lead;
      if (!this.#isOpen) return;
      if (lead === undefined) return this.deps.onReplaced();
      this.#flushedAt = performance.now();
      await this.#appendBatch(lead, takeBatch(this.#pending, toEntry));
    } while (this.#pending.length > 0);
  }

  async #appendBatch(lead: Leadership, batch: readonly PendingEntry[]): Promise<void> {
    const until = this.#computeRecordedUntil(batch);
    const last = this.copy.lastKnownId;
    const entries = batch.map(toEntry);
    const { cutAt, isTruncated } = this.index;
    const reply = await this.store.append(lead, { last, until, cutAt, isTruncated, entries });
    if (reply.outcome === "refused") {
      // The lock may still have this instance's token, if only its companion was deleted. Without the release, no
      // instance could become the recorder until the lease expires.
      await this.election.resign();
      return this.deps.onReplaced();
    }
    if (reply.outcome === "behind") {
      await this.#catchUp(lead, reply.last);
      return;
    }
    this.#recordedUntil = until;
    this.deps.onAppended(until);
    for (const one of batch) if ("observation" in one) this.deps.onRecorded(one.observation);
    if (this.#isOpen) this.#pending = this.#pending.slice(batch.length);
    const recorded = reply.ids.map((id, at) => toRecordedEntry(id, batch[at]));
    this.copy.applyAppended(recorded.filter((one) => one !== undefined));
  }

  /**
   * Brings this instance and the store to the same state. Writes entries again that the store has lost. Reads entries
   * of other instances, and own entries whose replies were lost, and removes them from the pending entries.
   */
  async #catchUp(lead: Leadership, last: string | null): Promise<void> {
    const { lastKnownId } = this.copy;
    if (lastKnownId !== null && (last === null || compareIds(last, lastKnownId) < 0))
      this.deps.onRestored(await this.copy.restore(lead, last));
    await this.copy.readToEnd();
    const gaps = this.#pending.filter((one) => "gap" in one);
    const own = this.#pending.flatMap((one) => ("observation" in one ? [one.observation] : []));
    const isReported = ({ gap }: { gap: UnnumberedGap }) =>
      this.index.gaps.some(({ from, to }) => from === gap.from && to === gap.to);
    this.#pending = [
      ...gaps.filter((one) => !isReported(one)),
      ...filterUnrecorded(own, this.index, gaps.length > 0).map((observation) => ({ observation })),
    ];
  }

  #computeRecordedUntil(batch: readonly PendingEntry[]): number {
    const next = this.#pending[batch.length];
    const receivedAt =
      next !== undefined && "observation" in next ? next.observation.observedAt : Number.POSITIVE_INFINITY;
    return Math.round(Math.max(this.#recordedUntil ?? 0, Math.min(this.deps.getSettledAt(), receivedAt)));
  }
}

function toEntry(pending: PendingEntry): UnnumberedEvent | UnnumberedGap {
  return "gap" in pending ? pending.gap : pending.observation.event;
}

function toRecordedEntry(id: string, pending: PendingEntry | undefined): RecordedEntry | undefined {
  if (pending === undefined) return undefined;
  if ("gap" in pending) return { entry: { id, ...pending.gap }, previousId: undefined };
  const { observation } = pending;
  const was = observation.temporaryId;
  observation.temporaryId = undefined;
  return { entry: { id, ...observation.event }, previousId: was };
}
