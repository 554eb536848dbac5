import type { Entry, Op } from "../history/entry.ts";
import type { Journal } from "../history/journal.ts";
import { describeFailure } from "./failure.ts";
import type { LatchUnderTest } from "./locking-client.ts";

/** Makes the calls of one context on a latch and records each call before it is sent and after its reply. */
export class RecordingLatch {
  // Starts above the numbers that `RecordingClient` uses for calls on locks.
  static #calls = 1_000_000_000;

  constructor(
    private readonly latch: LatchUnderTest,
    private readonly key: string,
    private readonly journal: Journal,
    private readonly context: string,
    private readonly stop: AbortSignal,
  ) {}

  async trySetCount(count: number): Promise<void> {
    await this.#record("set_count", { count }, async () => ({
      code: (await this.latch.trySetCount(count)) ? "set" : "already_set",
    }));
  }

  async countDown(): Promise<void> {
    await this.#record("count_down", {}, async () => ({ count: await this.latch.countDown() }));
  }

  async wait(waitMs: number): Promise<void> {
    await this.#record("await", { waitMs }, async () => {
      await this.latch.await({ waitMs, signal: this.stop });
      return {};
    });
  }

  async #record(
    op: Op,
    asked: Pick<Entry, "count" | "waitMs">,
    call: () => Promise<Pick<Entry, "code" | "count">>,
  ): Promise<void> {
    const what = {
      context: this.context,
      op,
      call: ++RecordingLatch.#calls,
      lock: this.key,
      ...asked,
    } as const;
    this.journal.write({ ...what, type: "invoke" });
    try {
      this.journal.write({ ...what, type: "ok", ...(await call()) });
    } catch (error) {
      this.journal.write({ ...what, ...describeFailure(error) });
    }
  }
}
