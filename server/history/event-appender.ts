import type { Election } from "./election.ts";
import { compareIds } from "./event-id.ts";
import type { EventIndex } from "./event-index.ts";
import { APPEND_MAX, type EventStore, type Lead } from "./event-store.ts";
import type { Observation } from "./observed-events.ts";
import type { Recorded, StreamCopy } from "./stream-copy.ts";
import type { Unnumbered, UnnumberedGap } from "./stream-entry.ts";
import { newsOf } from "./unrecorded-observations.ts";

/** What gathers in this time is appended in one round trip. */
const GATHER_MS = 10;

type Pending = { readonly gap: UnnumberedGap } | { readonly observation: Observation };

interface Surroundings {
  /** Until when, by the target's clock, nothing is on its way to us any more. */
  settledAt(): number;
  /** Somebody else records now. */
  replaced(): void;
  /** The home store did not take it. */
  failed(): void;
  /** The store had lost so many entries, and has them again. */
  restored(count: number): void;
}

/** Appends to the history what this instance observes, while it is the one that records: each change once, in order. */
export class Appender {
  #isOpen = false;
  #until: number | null = null;
  #pending: Pending[] = [];
  #flushing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #flushedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly store: EventStore,
    private readonly copy: StreamCopy,
    private readonly election: Election,
    private readonly index: EventIndex,
    private readonly around: Surroundings,
  ) {}

  /** Until when all is recorded; null: nothing ever was. */
  get until(): number | null {
    return this.#until;
  }

  /** When (performance.now()) something was appended last. */
  get flushedAt(): number {
    return this.#flushedAt;
  }

  /** From now on this instance records, behind the end of what the copy knows. */
  open(until: number, gap: UnnumberedGap | undefined, news: readonly Observation[]): void {
    this.#isOpen = true;
    this.#until = until;
    this.#pending = [
      ...(gap === undefined ? [] : [{ gap }]),
      ...news.map((observation) => ({ observation })),
    ];
  }

  /** What is pending is another one's to record. */
  close(): void {
    this.#isOpen = false;
    this.#pending = [];
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  add(observation: Observation): void {
    this.#pending.push({ observation });
    if (this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#flushedAt + GATHER_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.flush().catch(() => this.around.failed());
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
      if (lead === undefined) return this.around.replaced();
      this.#flushedAt = performance.now();
      await this.#append(lead, this.#pending.slice(0, APPEND_MAX));
    } while (this.#pending.length > 0);
  }

  async #append(lead: Lead, batch: readonly Pending[]): Promise<void> {
    const until = this.#untilAfter(batch);
    const last = this.copy.known;
    const entries = batch.map(entryOf);
    const reply = await this.store.append(lead, { last, until, entries });
    if (reply.outcome === "refused") {
      this.election.lost();
      return this.around.replaced();
    }
    if (reply.outcome === "behind") {
      await this.#catchUp(lead, reply.last);
      return;
    }
    this.#until = until;
    if (this.#isOpen) this.#pending = this.#pending.slice(batch.length);
    const told = reply.ids.map((id, at) => numbered(id, batch[at]));
    this.copy.appended(told.filter((one) => one !== undefined));
  }

  /** What others appended, or we ourselves without hearing the answer, is read; what the store lost is written again. */
  async #catchUp(lead: Lead, last: string | null): Promise<void> {
    const { known } = this.copy;
    if (known !== null && (last === null || compareIds(last, known) < 0))
      this.around.restored(await this.copy.restore(lead, last));
    await this.copy.readOn();
    const gaps = this.#pending.filter((one) => "gap" in one);
    const own = this.#pending.flatMap((one) => ("observation" in one ? [one.observation] : []));
    const isTold = ({ gap }: { gap: UnnumberedGap }) =>
      this.index.gaps.some(({ from, to }) => from === gap.from && to === gap.to);
    this.#pending = [
      ...gaps.filter((one) => !isTold(one)),
      ...newsOf(own, this.index, gaps.length > 0).map((observation) => ({ observation })),
    ];
  }

  #untilAfter(batch: readonly Pending[]): number {
    const next = this.#pending[batch.length];
    const heardAt =
      next !== undefined && "observation" in next ? next.observation.heardAt : Number.POSITIVE_INFINITY;
    return Math.round(Math.max(this.#until ?? 0, Math.min(this.around.settledAt(), heardAt)));
  }
}

function entryOf(pending: Pending): Unnumbered | UnnumberedGap {
  return "gap" in pending ? pending.gap : pending.observation.event;
}

function numbered(id: string, pending: Pending | undefined): Recorded | undefined {
  if (pending === undefined) return undefined;
  if ("gap" in pending) return { entry: { id, ...pending.gap }, was: undefined };
  const { observation } = pending;
  const was = observation.shownAs;
  observation.shownAs = undefined;
  return { entry: { id, ...observation.event }, was };
}
