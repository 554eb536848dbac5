import { setTimeout as sleep } from "node:timers/promises";
import type { Journal } from "../history/journal.ts";
import type { AcquireRequest } from "./locking-client.ts";
import type { RecordedHold, RecordingClient } from "./recording-client.ts";
import type { ResourceClient } from "./resource-client.ts";
import type { WorkerTask } from "./task.ts";

export interface SessionOptions {
  readonly name: string;
  readonly task: WorkerTask;
  readonly client: RecordingClient;
  readonly resource: ResourceClient;
  readonly journal: Journal;
  readonly random: () => number;
  readonly stop: AbortSignal;
}

const WAIT_MS = 6000;
/** All holds have the same owner, so that a core that compares owners confuses them. */
const OWNER = "chaos";

/** One context: acquires a lock, changes the resource, and releases the lock, until it is stopped. */
export class Session {
  constructor(private readonly options: SessionOptions) {}

  async run(): Promise<void> {
    while (!this.options.stop.aborted) {
      await this.#runOnce();
      await this.#pause(this.#pickBetween(0, 30));
    }
  }

  async #runOnce(): Promise<void> {
    const { task, client: claimant } = this.options;
    const lock = task.locks[Math.floor(this.#pickBetween(0, task.locks.length))] ?? "";
    const wish: AcquireRequest = {
      owner: OWNER,
      leaseMs: Math.round(this.#pickBetween(...task.leaseMs)),
      waitMs: this.#isChosen(0.8) ? WAIT_MS : 0,
      format: task.format,
      renew: task.watchdog === "on",
    };
    const claim = await claimant.acquire(lock, wish);
    if (claim === undefined) return;
    await this.#update(claim);
    if (claim.hold.verify !== undefined && this.#isChosen(0.3)) await claimant.verify(claim);
    if (this.#isChosen(0.35)) await this.#reenter(claim);
    if (task.watchdog === "off" && this.#isChosen(0.3)) await this.#renew(claim);
    await claimant.release(claim);
  }

  async #reenter(claim: RecordedHold): Promise<void> {
    const { client: claimant } = this.options;
    const inner = await claimant.reenter(claim);
    if (inner === undefined) return;
    await this.#update(inner);
    await claimant.release(inner);
  }

  async #renew(claim: RecordedHold): Promise<void> {
    await this.options.client.renew(claim);
    await this.#pause(this.#pickWorkMs());
  }

  /** Reads, works, and writes the result, which is the purpose of a lock. */
  async #update({ hold, lock, id }: RecordedHold): Promise<void> {
    const { client: claimant, resource, journal, name } = this.options;
    if (!claimant.isHeld({ hold, lock, id })) return;
    const { fence } = hold;
    const read = await resource.ask({ ask: "read", lock, fence });
    await this.#pause(this.#pickWorkMs());
    // Half of the clients do not check, which the fence is meant to handle.
    if (this.#isChosen(0.5) && !claimant.isHeld({ hold, lock, id })) return;
    const value = `${hold.token}#${id}`;
    const bases = { unfenced: read.unfenced, fenced: read.fenced ?? 0 };
    const what = { context: name, op: "write", claim: id, lock, token: hold.token, fence, value } as const;
    journal.write({ ...what, type: "invoke" });
    const { fenced } = await resource.ask({ ask: "write", lock, fence, value, bases });
    journal.write({ ...what, type: fenced === null ? "fail" : "ok" });
  }

  /** Pauses, unless the run is ending. */
  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.options.stop }).catch(() => undefined);
  }

  #pickWorkMs(): number {
    const kind = this.options.random();
    const [, leaseMs] = this.options.task.leaseMs;
    if (kind < 0.7) return this.#pickBetween(0, 20);
    return kind < 0.9 ? this.#pickBetween(20, 200) : this.#pickBetween(0.3, 2) * leaseMs;
  }

  #isChosen(share: number): boolean {
    return this.options.random() < share;
  }

  #pickBetween(least: number, most: number): number {
    return least + this.options.random() * (most - least);
  }
}
