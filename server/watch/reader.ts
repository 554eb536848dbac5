import type { Key } from "../../lib/contract/key.ts";
import type { Observation } from "../formats/observation.ts";
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
const PAUSE_MS_MAX = 25;

/** Reads keys that may have changed, coalesced and in batches, and each held one again when it is due. */
export class Reader {
  readonly #read: (keys: readonly Key[]) => Promise<Observation[]>;
  readonly #onLooks: (looks: readonly Look[]) => void;
  readonly #dueMsOf: (key: Key) => number | undefined;
  readonly #dirty = new Set<Key>();
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
  ) {
    this.#read = read;
    this.#onLooks = onLooks;
    this.#dueMsOf = dueMsOf;
  }

  /** The key will be read soon; many marks before that are one reading. */
  mark(key: Key): void {
    this.#dirty.add(key);
    this.#draining ??= this.#start();
  }

  /** Resolves when everything marked so far has been read. */
  settled(): Promise<void> {
    const keys = new Set([...this.#dirty, ...this.#reading]);
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
    const left = [...this.#reading, ...this.#dirty];
    this.#stopped = true;
    this.#dirty.clear();
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
      const endedAt = performance.now();
      this.#nextAt = endedAt + Math.min(PAUSE_MS_MAX, (endedAt - startedAt) * (1 / READ_SHARE - 1));
    }
    this.#draining = undefined;
  }

  async #pause(): Promise<void> {
    const waitMs = this.#nextAt - performance.now();
    if (waitMs > 0 && this.#dirty.size < BATCH) await new Promise((resolve) => setTimeout(resolve, waitMs));
  }

  async #drainOnce(): Promise<void> {
    const keys = firstOf(this.#dirty, BATCH);
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
    this.#take(observations, sentAt);
    this.#tellSettled(keys);
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
