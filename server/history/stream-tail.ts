import { setTimeout as sleep } from "node:timers/promises";
import type { EventStore, StoreConnection } from "./events/event-store.ts";
import type { Recorder } from "./recorder.ts";

const WAIT_MS = 2000;
/** Command timeout for the stream tail's connection, in ms. Longer than the maximum duration of a blocking read. */
export const TAIL_TIMEOUT_MS = WAIT_MS + 1500;
const PAUSE_MS = 100;

/** Follows the event stream while this instance is not the recorder, and passes new entries to the recorder. */
export class StreamTail {
  readonly #stopping = new AbortController();

  constructor(
    private readonly store: EventStore,
    private readonly recorder: Recorder,
    private readonly connection: StoreConnection,
  ) {}

  start(): void {
    void this.#run();
  }

  stop(): void {
    this.#stopping.abort();
    this.connection.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const after = this.recorder.readPosition;
      if (after === undefined || !(await this.#readNext(after.id))) await pause(signal);
    }
  }

  async #readNext(after: string | null): Promise<boolean> {
    try {
      this.recorder.applyPage(await this.store.waitForPage(this.connection, after, WAIT_MS));
      return true;
    } catch {
      // The error is not reported, because the recorder's own calls detect that the store is unreachable.
      return false;
    }
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
}
