import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { another } from "../redis/connect.ts";
import { Election } from "./election.ts";
import { EventStore } from "./event-store.ts";
import type { Journal } from "./journal.ts";
import { Recorder, type Sight, TIMES, type Times } from "./recorder.ts";
import { TAIL_TIMEOUT_MS, Tail } from "./tail.ts";

export interface RecordingOptions {
  /** A connection to the home store; it is not used, but others like it are made. */
  readonly home: Redis;
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
  readonly #connections: readonly Redis[];
  readonly #forgetSight: () => void;

  constructor({ home, target, journal, sight, times = TIMES, log }: RecordingOptions) {
    const redis = another(home, "history");
    const tail = another(home, "history-tail", { commandTimeout: TAIL_TIMEOUT_MS });
    this.#connections = [redis, tail];
    const store = new EventStore(redis, target, journal.index.retention);
    const election = new Election(redis, store.lock, times.leaseMs);
    this.recorder = new Recorder(store, election, journal.index, sight, journal, times, log);
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
    for (const connection of this.#connections) connection.disconnect();
  }
}
