import type { RedisOptions } from "ioredis";
import type { Logger } from "pino";
import { Election } from "./election.ts";
import { EventStore, type Store } from "./event-store.ts";
import type { Journal } from "./journal.ts";
import { Recorder, type Sight, TIMES, type Times } from "./recorder.ts";
import { TAIL_TIMEOUT_MS, Tail } from "./stream-tail.ts";

/** A connection of its own to the home store. */
export type OpenStore = (name: string, more?: RedisOptions) => Store;

export interface RecordingOptions {
  readonly openStore: OpenStore;
  readonly target: string;
  readonly journal: Journal;
  readonly sight: Sight & { onChange(listener: () => void): () => void };
  readonly times?: Times;
  readonly log?: Logger | undefined;
}

/** The part of one instance in the history of a target, from its start to its end. */
export class Recording {
  readonly recorder: Recorder;
  readonly #tail: Tail;
  readonly #home: Store;
  readonly #forgetSight: () => void;

  constructor({ openStore, target, journal, sight, times = TIMES, log }: RecordingOptions) {
    this.#home = openStore("history");
    const store = new EventStore(this.#home, target, journal.index.retention);
    const election = new Election(this.#home, store.lock, times.leaseMs);
    this.recorder = new Recorder(store, election, journal.index, sight, journal, times, log);
    const tail = openStore("history-tail", { commandTimeout: TAIL_TIMEOUT_MS });
    this.#tail = new Tail(store, this.recorder, tail);
    this.#forgetSight = sight.onChange(() => this.recorder.sightChanged());
    journal.recordWith(this.recorder);
  }

  start(): void {
    this.recorder.start();
    this.#tail.start();
  }

  /** Records what is left; another instance goes on at once. */
  async stop(): Promise<void> {
    this.#forgetSight();
    this.#tail.stop();
    await this.recorder.stop();
    this.#home.close();
  }
}
