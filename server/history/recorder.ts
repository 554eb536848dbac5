import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { HistoryEntry } from "../../lib/contract/event.ts";
import type { Key } from "../../lib/contract/key.ts";
import { keyOfFields } from "../../lib/contract/key.ts";
import type { Election } from "./election.ts";
import type { Unnumbered, UnnumberedGap } from "./entry.ts";
import { compareIds } from "./event-id.ts";
import type { EventIndex } from "./event-index.ts";
import { APPEND_MAX, type EventStore, type Lead, type Page, type Stamp } from "./event-store.ts";
import { byKey, type Observation, Observations } from "./observations.ts";
import { isSameChange, unrecorded } from "./story.ts";
import { type Recorded, StreamCopy, type Telling } from "./stream-copy.ts";

/** How this instance sees its target. */
export interface Sight {
  /** Whether everything that happens there is observed, as far as can be known. */
  isWhole(): boolean;
  /** The target's clock. */
  now(): number;
}

export interface Times {
  readonly pollMs: number;
  /** How long a recorder that says nothing is waited for. */
  readonly leaseMs: number;
  /** How long one whose own observations begin too late lets others go first. */
  readonly giveWayMs: number;
  /** What of the present is not said to be recorded yet: it may still be on its way to us. */
  readonly lagMs: number;
}

export const TIMES: Times = { pollMs: 500, leaseMs: 5000, giveWayMs: 1500, lagMs: 2000 };

/** What gathers in this time is appended in one round trip. */
const GATHER_MS = 10;
/** A recorder that has said nothing for this long may be gone, so one's own observations are shown meanwhile. */
const SILENT_MS = 2500;
/** Until connections and the first picture are there. */
const STARTING_POLL_MS = 50;
/** How long the first picture may take before what is observed is shown without it being recorded. */
const PATIENCE_MS = 2000;
const BEAT_MS = 250;
/** A process that stood still for longer has not seen what came and went meanwhile. */
const STOOD_STILL_MS = 1500;

/**
 * `leading`: this instance records. `following`: another one does, and is read. `alone`: nobody does, or the home
 * store is away: what is observed is shown at once, and recorded later.
 */
type Mode = "starting" | "leading" | "following" | "alone";

type Pending = { readonly gap: UnnumberedGap } | { readonly observation: Observation };

/** Brings what the instances observe of one target into one history, each change once. */
export class Recorder {
  #mode: Mode = "starting";
  #until: number | null = null;
  #pending: Pending[] = [];
  readonly #copy: StreamCopy;
  readonly #own = new Observations();
  #flushing: Promise<void> | undefined;
  #flushTimer: NodeJS.Timeout | undefined;
  #flushedAt = Number.NEGATIVE_INFINITY;
  #freeSince: number | undefined;
  #heard: { text: string | null; at: number } = { text: null, at: performance.now() };
  #running: Promise<void> | undefined;
  #beat = { at: performance.now(), wallAt: Date.now() };
  #wake = () => {};
  readonly #startedAt = performance.now();
  readonly #stopping = new AbortController();

  constructor(
    private readonly store: EventStore,
    private readonly election: Election,
    private readonly index: EventIndex,
    private readonly sight: Sight,
    private readonly telling: Telling,
    private readonly times: Times = TIMES,
    private readonly log?: Logger,
  ) {
    this.#copy = new StreamCopy(store, index, telling, (entry) => this.#shownAs(entry));
  }

  get isLeading(): boolean {
    return this.#mode === "leading";
  }

  /** Whether everything that happens is observed now. */
  get seesAll(): boolean {
    return this.#own.coveredSince(this.sight.now()) !== undefined;
  }

  /** Whether another instance's entries are to be read, and after which; undefined while there is nothing to read. */
  get readsAfter(): { readonly id: string | null } | undefined {
    return this.isLeading || !this.#copy.isLoaded ? undefined : { id: this.#copy.known };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Records what is left, and lets another instance go on at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#flushTimer);
    await this.#running;
    if (this.isLeading) await this.#flush().catch(() => undefined);
    await this.election.resign().catch(() => undefined);
  }

  observed(event: Unnumbered): void {
    const observation = this.#own.add(event, this.sight.now());
    if (this.#mode === "alone") observation.shownAs = this.telling.early(event);
    if (this.#mode !== "leading") return;
    this.#pending.push({ observation });
    this.#flushSoon();
  }

  /** What of a key this instance observed last, oldest first, be it recorded or not. */
  observedOf(key: Key): readonly Observation[] {
    return this.#own.all(this.sight.now()).filter((one) => one.key === key);
  }

  /** Takes in what was read after an entry. */
  read(page: Page): void {
    this.#copy.read(page);
  }

  /** To be told whenever the sight changes, also for a moment. */
  sightChanged(): void {
    const now = { at: performance.now(), wallAt: Date.now() };
    // The monotonic clock stands still while a machine is suspended.
    const stoodStillMs = Math.max(now.at - this.#beat.at, now.wallAt - this.#beat.wallAt);
    this.#beat = now;
    if (stoodStillMs > STOOD_STILL_MS) this.#own.inSight(false, this.sight.now());
    if (this.#own.inSight(this.sight.isWhole(), this.sight.now())) this.#wake();
  }

  async #run(): Promise<void> {
    const beats = setInterval(() => this.sightChanged(), BEAT_MS);
    beats.unref();
    while (!this.#stopping.signal.aborted) {
      try {
        this.sightChanged();
        if (!this.#copy.isLoaded) await this.#copy.load();
        if (this.isLeading) await this.#lead();
        else await this.#follow();
      } catch (error) {
        this.log?.debug(
          { err: error },
          "the home store does not answer; events are shown without being kept",
        );
        this.#goAlone();
      }
      await this.#pause();
    }
    clearInterval(beats);
  }

  async #pause(): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const signal = AbortSignal.any([woken.signal, this.#stopping.signal]);
    const pauseMs =
      this.#mode === "starting" ? Math.min(STARTING_POLL_MS, this.times.pollMs) : this.times.pollMs;
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
  }

  async #lead(): Promise<void> {
    const covered = this.#own.coveredSince(this.sight.now());
    // Another instance may have seen what we have missed.
    if (covered === undefined || (this.#until !== null && covered > this.#until)) {
      await this.#flush();
      this.#mode = "following";
      await this.election.resign();
      return;
    }
    if (!(await this.election.renew())) return this.#stepDown();
    if (performance.now() - this.#flushedAt > this.times.pollMs) await this.#flush();
  }

  async #follow(): Promise<void> {
    const stamp = await this.store.stamp();
    const now = performance.now();
    if (stamp.text !== this.#heard.text) this.#heard = { text: stamp.text, at: now };
    if (stamp.ledBy !== null && stamp.ledBy !== this.election.owner) {
      this.#freeSince = undefined;
      if (now - this.#heard.at > SILENT_MS) this.#goAlone();
      else this.#mode = "following";
      return;
    }
    this.#freeSince ??= now;
    const covered = this.#own.coveredSince(this.sight.now());
    const leavesGap = covered !== undefined && stamp.until !== null && covered > stamp.until;
    const mayLead = covered !== undefined && (!leavesGap || now - this.#freeSince >= this.times.giveWayMs);
    if (mayLead && (await this.election.campaign())) await this.#takeOver(stamp);
    else this.#goAlone();
  }

  /** Nobody else appends from now on. What stands there is read to its end, and the story goes on behind it. */
  async #takeOver(before: Stamp): Promise<void> {
    await this.#copy.readOn();
    const covered = this.#own.coveredSince(this.sight.now());
    if (covered === undefined) return;
    const { target } = this.store;
    const from = before.until;
    const gap =
      from !== null && covered > from
        ? { target, type: "gap" as const, at: covered, from, to: covered }
        : undefined;
    const news = this.#newsOf(this.#own.all(this.sight.now()), gap !== undefined);
    this.#pending = [
      ...(gap === undefined ? [] : [{ gap }]),
      ...news.map((observation) => ({ observation })),
    ];
    this.#until = gap === undefined && from !== null ? from : covered;
    this.#freeSince = undefined;
    this.#mode = "leading";
    await this.#flush();
  }

  #newsOf(observations: readonly Observation[], isAfterGap: boolean): Observation[] {
    const news = new Set<Unnumbered>();
    for (const [key, own] of byKey(observations)) {
      const events = own.map(({ event }) => event);
      for (const event of unrecorded(events, this.index.storyOf(key), isAfterGap)) news.add(event);
    }
    return observations.filter(({ event }) => news.has(event));
  }

  #stepDown(): void {
    this.#mode = "following";
    this.#pending = [];
  }

  #goAlone(): void {
    if (this.#mode === "starting" && performance.now() - this.#startedAt < PATIENCE_MS) return;
    const wasAlone = this.#mode === "alone";
    this.#mode = "alone";
    this.#pending = [];
    if (wasAlone) return;
    for (const observation of this.#newsOf(this.#own.all(this.sight.now()), false))
      observation.shownAs ??= this.telling.early(observation.event);
  }

  #flushSoon(): void {
    if (this.#flushTimer !== undefined) return;
    const waitMs = Math.max(0, this.#flushedAt + GATHER_MS - performance.now());
    this.#flushTimer = setTimeout(() => {
      this.#flushTimer = undefined;
      this.#flush().catch(() => this.#goAlone());
    }, waitMs);
  }

  /** Appends all that is pending; one at a time. */
  #flush(): Promise<void> {
    this.#flushing ??= this.#flushAll().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async #flushAll(): Promise<void> {
    do {
      const lead = this.election.lead;
      if (!this.isLeading) return;
      if (lead === undefined) return this.#stepDown();
      this.#flushedAt = performance.now();
      await this.#append(lead, this.#pending.slice(0, APPEND_MAX));
    } while (this.#pending.length > 0);
  }

  async #append(lead: Lead, batch: readonly Pending[]): Promise<void> {
    const until = this.#untilAfter(batch);
    const last = this.#copy.known;
    const entries = batch.map(entryOf);
    const reply = await this.store.append(lead, { last, until, entries });
    if (reply.outcome === "refused") {
      this.election.lost();
      return this.#stepDown();
    }
    if (reply.outcome === "behind") {
      await this.#catchUp(lead, reply.last);
      return;
    }
    this.#until = until;
    if (this.isLeading) this.#pending = this.#pending.slice(batch.length);
    const told = reply.ids.map((id, at) => numbered(id, batch[at]));
    this.#copy.appended(told.filter((one) => one !== undefined));
  }

  /** What others appended, or we ourselves without hearing the answer, is read; what the store lost is written again. */
  async #catchUp(lead: Lead, last: string | null): Promise<void> {
    const { known } = this.#copy;
    if (known !== null && (last === null || compareIds(last, known) < 0)) {
      const count = await this.#copy.restore(lead, last);
      this.log?.warn(
        { target: this.store.target, events: count },
        "the home store had lost events; they are written again",
      );
    }
    await this.#copy.readOn();
    const gaps = this.#pending.filter((one) => "gap" in one);
    const own = this.#pending.flatMap((one) => ("observation" in one ? [one.observation] : []));
    const isTold = ({ gap }: { gap: UnnumberedGap }) =>
      this.index.gaps.some(({ from, to }) => from === gap.from && to === gap.to);
    this.#pending = [
      ...gaps.filter((one) => !isTold(one)),
      ...this.#newsOf(own, gaps.length > 0).map((observation) => ({ observation })),
    ];
  }

  #untilAfter(batch: readonly Pending[]): number {
    const next = this.#pending[batch.length];
    const heardAt =
      next !== undefined && "observation" in next ? next.observation.heardAt : Number.POSITIVE_INFINITY;
    return Math.round(Math.max(this.#until ?? 0, Math.min(this.sight.now() - this.times.lagMs, heardAt)));
  }

  #shownAs(entry: HistoryEntry): string | undefined {
    if (entry.type === "gap") return undefined;
    const key = keyOfFields(entry);
    const shown = this.#own
      .all(this.sight.now())
      .find((one) => one.shownAs !== undefined && one.key === key && isSameChange(one.event, entry));
    const was = shown?.shownAs;
    if (shown !== undefined) shown.shownAs = undefined;
    return was;
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
