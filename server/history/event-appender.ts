import type { Election } from "./election.ts";
import { compareIds } from "./events/event-id.ts";
import type { EventIndex } from "./events/event-index.ts";
import { type EventStore, type Leadership, takeBatch } from "./events/event-store.ts";
import type { RecordedEntry, StreamCopy } from "./events/stream-copy.ts";
import type { UnnumberedEvent, UnnumberedGap } from "./events/stream-entry.ts";
import { OBSERVED_EVENTS_MAX, type ObservedEvent } from "./observed-events.ts";
import { filterUnrecorded } from "./unrecorded-observations.ts";

/** What gathers in this time is appended in one round trip. */
const BATCH_DELAY_MS = 10;

/** The store falls behind: what is observed is shown without being kept, and recorded from what is remembered. */
const PENDING_MAX = OBSERVED_EVENTS_MAX;

type PendingEntry = { readonly gap: UnnumberedGap } | { readonly observation: ObservedEvent };

interface AppenderDeps {
  /** Until when, by the target's clock, nothing is on its way to us any more. */
  getSettledAt(): number;
  /** Everything until then is recorded. */
  onAppended(until: number): void;
  /** Somebody else records now. */
  onReplaced(): void;
  /** The home store did not take it. */
  onFailed(): void;
  /** The store had lost so many entries, and has them again. */
  onRestored(count: number): void;
}

/** Appends to the history what this instance observes, while it is the one that records: each change once, in order. */
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

  /** Until when all is recorded; null: nothing ever was. */
  get recordedUntil(): number | null {
    return this.#recordedUntil;
  }

  /** When (performance.now()) something was appended last. */
  get flushedAt(): number {
    return this.#flushedAt;
  }

  /** From now on this instance records, behind the end of what the copy knows. */
  open(until: number, gap: UnnumberedGap | undefined, observed: readonly ObservedEvent[]): void {
    this.#isOpen = true;
    this.#recordedUntil = until;
    this.#pending = [
      ...(gap === undefined ? [] : [{ gap }]),
      ...observed.map((observation) => ({ observation })),
    ];
  }

  /** What is pending is another one's to record. */
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

  /** Appends all that is pending, and until when all is recorded; one at a time. */
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
      this.election.markLost();
      return this.deps.onReplaced();
    }
    if (reply.outcome === "behind") {
      await this.#catchUp(lead, reply.last);
      return;
    }
    this.#recordedUntil = until;
    this.deps.onAppended(until);
    if (this.#isOpen) this.#pending = this.#pending.slice(batch.length);
    const recorded = reply.ids.map((id, at) => toRecordedEntry(id, batch[at]));
    this.copy.applyAppended(recorded.filter((one) => one !== undefined));
  }

  /** What others appended, or we ourselves without hearing the answer, is read; what the store lost is written again. */
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
      next !== undefined && "observation" in next ? next.observation.heardAt : Number.POSITIVE_INFINITY;
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
  const was = observation.shownAs;
  observation.shownAs = undefined;
  return { entry: { id, ...observation.event }, previousId: was };
}
