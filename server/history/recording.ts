import type { RedisOptions } from "ioredis";
import type { Logger } from "pino";
import { Election } from "./election.ts";
import { EventStore, type StoreConnection } from "./events/event-store.ts";
import type { Journal } from "./journal.ts";
import { Recorder } from "./recorder.ts";
import {
  type ObservationChanges,
  type ObservationSession,
  RECORDER_TIMES,
  type RecorderTimes,
} from "./recorder-options.ts";
import { StreamTail, TAIL_TIMEOUT_MS } from "./stream-tail.ts";

/** Opens a separate connection to the home store. */
export type OpenStore = (name: string, more?: RedisOptions) => StoreConnection;

export interface RecordingOptions {
  readonly openStore: OpenStore;
  readonly target: string;
  readonly journal: Journal;
  readonly session: ObservationSession & ObservationChanges;
  readonly times?: RecorderTimes;
  readonly log?: Logger | undefined;
}

/**
 * Connects this instance to the history of one target: creates the recorder and the stream tail, and attaches the
 * recorder to the journal.
 */
export class Recording {
  readonly recorder: Recorder;
  readonly #tail: StreamTail;
  readonly #connection: StoreConnection;
  readonly #unsubscribers: readonly (() => void)[];

  constructor({ openStore, target, journal, session, times = RECORDER_TIMES, log }: RecordingOptions) {
    this.#connection = openStore("history");
    const store = new EventStore(this.#connection, target, journal.index.retention);
    const election = new Election(this.#connection, store.lockKey, times.leaseMs);
    this.recorder = new Recorder(store, election, journal.index, session, journal, times, log);
    const tail = openStore("history-tail", { commandTimeout: TAIL_TIMEOUT_MS });
    this.#tail = new StreamTail(store, this.recorder, tail);
    this.#unsubscribers = [
      session.onChange(() => this.recorder.onSessionChange()),
      session.onMiss((from) => this.recorder.recordMiss(from)),
    ];
    journal.attachRecorder(this.recorder);
  }

  start(): void {
    this.recorder.start();
    this.#tail.start();
  }

  /**
   * Stops recording. If this instance is the recorder, records the pending events and resigns, so that another instance
   * can continue immediately.
   */
  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribers) unsubscribe();
    this.#tail.stop();
    await this.recorder.stop();
    this.#connection.close();
  }
}
