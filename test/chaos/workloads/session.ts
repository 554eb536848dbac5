import { isLibraryOnly, type LockUnderTest } from "../locks-under-test.ts";
import type { LockingClient } from "../processes/locking-client.ts";
import { RecordingLatch } from "../processes/recording-latch.ts";
import { runCondition } from "./condition.ts";
import { runExclusive } from "./exclusive.ts";
import { runLatch } from "./latch.ts";
import { runReadWrite } from "./read-write.ts";
import { runSemaphore } from "./semaphore.ts";
import { Workload, type WorkloadOptions } from "./workload.ts";

/**
 * Runs one context: uses randomly chosen locks one after another with the workload for their kind, until the run stops.
 */
export class Session {
  readonly #workload: Workload;
  readonly #locks: readonly LockUnderTest[];

  constructor(
    private readonly options: WorkloadOptions,
    private readonly locking: LockingClient,
  ) {
    this.#workload = new Workload(options);
    this.#locks = options.task.locks.filter(
      ({ kind }) => !isLibraryOnly(kind) || locking.latch !== undefined,
    );
  }

  async run(): Promise<void> {
    const { stop } = this.options;
    while (!stop.aborted) {
      const lock = this.#locks[Math.floor(this.#workload.pickBetween(0, this.#locks.length))];
      if (lock === undefined) throw new Error("There is no lock that this client can use.");
      await this.#runOn(lock);
      await this.#workload.pause(this.#workload.pickBetween(0, 30));
    }
  }

  async #runOn({ key, kind }: LockUnderTest): Promise<void> {
    switch (kind) {
      case "lock":
      case "fair":
        return await runExclusive(this.#workload, key, kind);
      case "read-write":
        return await runReadWrite(this.#workload, key);
      case "semaphore":
        return await runSemaphore(this.#workload, key, "semaphore");
      case "plain-semaphore":
        return await runSemaphore(this.#workload, key, "plain_semaphore");
      case "condition":
        return await runCondition(this.#workload, key);
      case "latch":
        return await this.#runLatchCalls(key);
    }
  }

  async #runLatchCalls(key: string): Promise<void> {
    const { journal, name, stop } = this.options;
    const latch = this.locking.latch?.(key);
    if (latch !== undefined)
      await runLatch(this.#workload, new RecordingLatch(latch, key, journal, name, stop));
  }
}
