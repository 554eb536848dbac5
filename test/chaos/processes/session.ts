import { setTimeout as sleep } from "node:timers/promises";
import type { Journal } from "../history/journal.ts";
import type { Claim, Claimant } from "./claimant.ts";
import type { Wish } from "./locking.ts";
import type { Resource } from "./resource-ask.ts";
import type { WorkerTask } from "./task.ts";

export interface SessionOptions {
  readonly name: string;
  readonly task: WorkerTask;
  readonly claimant: Claimant;
  readonly resource: Resource;
  readonly journal: Journal;
  readonly random: () => number;
  readonly stop: AbortSignal;
}

const WAIT_MS = 6000;

/** One context: takes a lock, changes what it protects, and gives it back, until it is stopped. */
export class Session {
  #turn = 0;

  constructor(private readonly options: SessionOptions) {}

  async run(): Promise<void> {
    while (!this.options.stop.aborted) {
      await this.#once();
      await this.#pause(this.#between(0, 30));
    }
  }

  async #once(): Promise<void> {
    const { task, claimant, name } = this.options;
    const lock = task.locks[Math.floor(this.#between(0, task.locks.length))] ?? "";
    const wish: Wish = {
      // A new one each time: what an earlier hold left behind must not be entered by chance.
      owner: `${task.name}/${name}/${++this.#turn}`,
      leaseMs: Math.round(this.#between(...task.leaseMs)),
      waitMs: this.#chance(0.8) ? WAIT_MS : 0,
      format: task.format,
      renew: task.watchdog === "on",
    };
    const claim = await claimant.acquire(lock, wish);
    if (claim === undefined) return;
    await this.#update(claim);
    if (claim.hold.verify !== undefined && this.#chance(0.3)) await claimant.verify(claim);
    if (this.#chance(0.35)) await this.#enterAgain(lock, wish);
    if (task.watchdog === "off" && this.#chance(0.3)) await this.#renew(claim);
    await claimant.release(claim);
  }

  async #enterAgain(lock: string, wish: Wish): Promise<void> {
    const { claimant } = this.options;
    const inner = await claimant.acquire(lock, { ...wish, waitMs: 0 });
    if (inner === undefined) return;
    await this.#update(inner);
    await claimant.release(inner);
  }

  async #renew(claim: Claim): Promise<void> {
    await this.options.claimant.renew(claim);
    await this.#pause(this.#workMs());
  }

  /** Reads, thinks, writes what it made of it: what a lock is for. */
  async #update({ hold, lock, id }: Claim): Promise<void> {
    const { claimant, resource, journal, name } = this.options;
    if (!claimant.isHeld({ hold, lock, id })) return;
    const { fence } = hold;
    const read = await resource.ask({ ask: "read", lock, fence });
    await this.#pause(this.#workMs());
    // Half of them are of the careless kind, that the fence is for.
    if (this.#chance(0.5) && !claimant.isHeld({ hold, lock, id })) return;
    const value = `${hold.owner}#${id}`;
    const bases = { unfenced: read.unfenced, fenced: read.fenced ?? 0 };
    const what = { context: name, op: "write", claim: id, lock, owner: hold.owner, fence, value } as const;
    journal.write({ ...what, type: "invoke" });
    const { fenced } = await resource.ask({ ask: "write", lock, fence, value, bases });
    journal.write({ ...what, type: fenced === null ? "fail" : "ok" });
  }

  /** Nobody thinks on when all is to end. */
  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.options.stop }).catch(() => undefined);
  }

  #workMs(): number {
    const kind = this.options.random();
    const [, leaseMs] = this.options.task.leaseMs;
    if (kind < 0.7) return this.#between(0, 20);
    return kind < 0.9 ? this.#between(20, 200) : this.#between(0.3, 2) * leaseMs;
  }

  #chance(share: number): boolean {
    return this.options.random() < share;
  }

  #between(least: number, most: number): number {
    return least + this.options.random() * (most - least);
  }
}
