import type { Key } from "../../../lib/keys/key.ts";
import type { Observation } from "../../formats/observation.ts";
import { BusyKeys } from "./busy-keys.ts";
import { Deadlines } from "./deadlines.ts";

/** One look, with the moments (performance.now()) between which it was taken. */
export interface Look {
  readonly observation: Observation;
  readonly sentAt: number;
  readonly receivedAt: number;
}

const BATCH = 100;
const TIMER_MS_MAX = 60_000;
const RETRY_MS = 100;
/** Reading may take this share of the time, so that what a busy lock does is not looked at one by one. */
const READ_SHARE = 0.2;
const PAUSE_MS_MAX = 15;
/** While a walk goes on: small enough that Redis and we work at the same time, and filled before they are sent. */
const HURRIED = { batch: 32, waitMs: 10 };
/** More marks than this are as good as a look at everything. */
const MARKS_MAX = 250_000;

/**
 * Reads keys that may have changed, coalesced, in batches and in the order in which they were marked, and each held one
 * again when it is due.
 */
export class Reader {
  /** Reads whole batches without pauses: a walk waits for it. */
  isHurried = false;
  readonly #read: (keys: readonly Key[]) => Promise<Observation[]>;
  readonly #onLooks: (looks: readonly Look[]) => void;
  readonly #dueMsOf: (key: Key) => number | undefined;
  readonly #dirty = new Set<Key>();
  readonly #busy = new BusyKeys((key) => this.mark(key));
  #onBatch: () => void = () => undefined;
  #onDrained: (() => void)[] = [];
  readonly #waiting = new Set<{ keys: Set<Key>; resolve: () => void }>();
  #reading: readonly Key[] = [];
  readonly #deadlines = new Deadlines<Key>();
  #timer: NodeJS.Timeout | undefined;
  #draining: Promise<void> | undefined;
  #stopped = false;
  /** When (performance.now()) the next reading may begin, unless there is a whole batch. */
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(
    read: (keys: readonly Key[]) => Promise<Observation[]>,
    onLooks: (looks: readonly Look[]) => void,
    /** In how many ms after its last look a key is to be read again; undefined: not by itself. */
    dueMsOf: (key: Key) => number | undefined,
    /** So many were marked that all marks were given up. */
    private readonly onOverflow: () => void,
  ) {
    this.#read = read;
    this.#onLooks = onLooks;
    this.#dueMsOf = dueMsOf;
  }

  /** How many keys wait to be read. */
  get marked(): number {
    return this.#dirty.size;
  }

  /** The key will be read soon; many marks before that are one reading. */
  mark(key: Key): void {
    if (this.#busy.holdsBack(key)) return;
    this.#dirty.add(key);
    if (this.#dirty.size >= this.#batch) this.#onBatch();
    if (this.#dirty.size > MARKS_MAX) this.#overflow();
    this.#draining ??= this.#start();
  }

  /** Resolves when fewer than this wait to be read. */
  async room(marks: number): Promise<void> {
    while (this.#dirty.size >= marks && !this.#stopped) {
      await new Promise<void>((resolve) => this.#onDrained.push(resolve));
    }
  }

  /** Resolves when everything marked so far has been read. */
  settled(): Promise<void> {
    const keys = new Set([...this.#dirty, ...this.#reading, ...this.#busy.heldBack]);
    if (keys.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.add({ keys, resolve });
    });
  }

  /** Reads now, past the queue. */
  async look(keys: readonly Key[]): Promise<Observation[]> {
    const sentAt = performance.now();
    const observations = await this.#read(keys);
    this.#take(observations, sentAt);
    return observations;
  }

  /** @returns what was marked and not read yet */
  stop(): Key[] {
    const left = [...this.#reading, ...this.#dirty, ...this.#busy.heldBack];
    this.#stopped = true;
    this.#forgetMarks();
    clearTimeout(this.#timer);
    return left;
  }

  async #start(): Promise<void> {
    // A burst of messages arrives within one turn of the event loop: let it end first.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#dirty.size > 0 && !this.#stopped) {
      await this.#pause();
      const startedAt = performance.now();
      await this.#drainOnce();
      this.#tellDrained();
      const endedAt = performance.now();
      this.#nextAt = endedAt + Math.min(PAUSE_MS_MAX, (endedAt - startedAt) * (1 / READ_SHARE - 1));
    }
    this.#draining = undefined;
  }

  get #batch(): number {
    return this.isHurried ? HURRIED.batch : BATCH;
  }

  async #pause(): Promise<void> {
    const waitMs = this.isHurried ? HURRIED.waitMs : this.#nextAt - performance.now();
    if (waitMs <= 0 || this.#dirty.size >= this.#batch) return;
    const signal = new Promise<void>((resolve) => {
      this.#onBatch = resolve;
    });
    const timer = setTimeout(() => this.#onBatch(), waitMs);
    await signal;
    clearTimeout(timer);
  }

  async #drainOnce(): Promise<void> {
    const keys = firstOf(this.#dirty, this.#batch);
    for (const key of keys) this.#dirty.delete(key);
    this.#reading = keys;
    const sentAt = performance.now();
    let observations: Observation[];
    try {
      observations = await this.#read(keys);
    } catch {
      // Redis is away: the keys stay marked, and the watcher reads everything again when it is back.
      for (const key of keys) this.#dirty.add(key);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      return;
    }
    this.#reading = [];
    for (const key of keys) this.#busy.wasRead(key, sentAt);
    this.#take(observations, sentAt);
    this.#tellSettled(keys);
  }

  #tellDrained(): void {
    const waiting = this.#onDrained;
    this.#onDrained = [];
    for (const resolve of waiting) resolve();
  }

  #overflow(): void {
    this.#forgetMarks();
    this.onOverflow();
  }

  #forgetMarks(): void {
    this.#dirty.clear();
    this.#busy.forget();
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting.clear();
    this.#tellDrained();
  }

  #tellSettled(read: readonly Key[]): void {
    for (const waiting of this.#waiting) {
      for (const key of read) waiting.keys.delete(key);
      if (waiting.keys.size > 0) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
  }

  #take(observations: readonly Observation[], sentAt: number): void {
    const receivedAt = performance.now();
    this.#onLooks(observations.map((observation) => ({ observation, sentAt, receivedAt })));
    for (const { key } of observations) this.#schedule(key, receivedAt);
    this.#armTimer();
  }

  // Counted from the reply's arrival and one millisecond more, so that Redis's own deadline has passed by then.
  #schedule(key: Key, receivedAt: number): void {
    const dueMs = this.#dueMsOf(key);
    if (dueMs === undefined) this.#deadlines.delete(key);
    else this.#deadlines.set(key, receivedAt + dueMs + 1);
  }

  #armTimer(): void {
    clearTimeout(this.#timer);
    const next = this.#deadlines.next();
    if (next === undefined || this.#stopped) return;
    const waitMs = Math.min(TIMER_MS_MAX, Math.max(0, Math.ceil(next - performance.now())));
    this.#timer = setTimeout(() => {
      for (const key of this.#deadlines.due(performance.now())) this.mark(key);
      this.#armTimer();
    }, waitMs);
    this.#timer.unref();
  }
}

function firstOf<Item>(items: Iterable<Item>, count: number): Item[] {
  const first: Item[] = [];
  for (const item of items) {
    if (first.push(item) === count) break;
  }
  return first;
}
