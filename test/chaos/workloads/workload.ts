import { setTimeout as sleep } from "node:timers/promises";
import type { HoldKind } from "../history/entry.ts";
import type { Journal } from "../history/journal.ts";
import type { AcquireRequest } from "../processes/locking-client.ts";
import type { RecordedHold, RecordingClient } from "../processes/recording-client.ts";
import type { ResourceClient, ResourceReply } from "../processes/resource-client.ts";
import type { WorkerTask } from "../processes/task.ts";

export interface WorkloadOptions {
  /** Name of the context in the history. */
  readonly name: string;
  readonly task: WorkerTask;
  readonly client: RecordingClient;
  readonly resource: ResourceClient;
  readonly journal: Journal;
  readonly random: () => number;
  readonly stop: AbortSignal;
}

export const WAIT_MS = 6000;
/** The owner label of all holds. With a shared label, a core that identifies holds by their label fails. */
const OWNER = "chaos";

/** The operations on holds from which the workloads of all kinds are composed. */
export class Workload {
  readonly client: RecordingClient;

  constructor(readonly options: WorkloadOptions) {
    this.client = options.client;
  }

  async acquire(
    lock: string,
    kind: HoldKind,
    more: Pick<AcquireRequest, "permits" | "limit"> = {},
  ): Promise<RecordedHold | undefined> {
    const { task } = this.options;
    return await this.client.acquire(lock, {
      owner: OWNER,
      leaseMs: Math.round(this.pickBetween(...task.leaseMs)),
      waitMs: this.isChosen(0.8) ? WAIT_MS : 0,
      format: task.format,
      ...(kind === "lock" ? {} : { kind }),
      ...more,
      renew: task.watchdog === "on",
    });
  }

  /** Verifies the hold on the server in some cases, if the client supports this. */
  async inspect(held: RecordedHold): Promise<void> {
    if (held.hold.verify !== undefined && this.isChosen(0.3)) await this.client.verify(held);
  }

  /** Renews the hold in some cases, unless the watchdog is on. */
  async renew(held: RecordedHold): Promise<void> {
    if (this.options.task.watchdog === "on" || !this.isChosen(0.3)) return;
    await this.client.renew(held);
    await this.pause(this.pickWorkMs());
  }

  async reenter(held: RecordedHold, work: (inner: RecordedHold) => Promise<void>): Promise<void> {
    const inner = await this.client.reenter(held);
    if (inner === undefined) return;
    await work(inner);
    await this.client.release(inner);
  }

  /** Reads the resource, waits, and writes a new value. */
  async update(held: RecordedHold): Promise<void> {
    if (!this.client.isHeld(held)) return;
    const { hold, lock } = held;
    const read = await this.options.resource.ask({ ask: "read", lock, fence: hold.fence });
    await this.pause(this.pickWorkMs());
    // Half of the holders do not check their hold first. The fenced register must reject their late writes.
    if (this.isChosen(0.5) && !this.client.isHeld(held)) return;
    await this.write(held, read);
  }

  /** Writes a new value after the resource was read. @param by 1 puts an item into the buffer, and -1 takes one out */
  async write({ hold, lock, id, token }: RecordedHold, read: ResourceReply, by?: 1 | -1): Promise<void> {
    const { resource, journal, name } = this.options;
    const { fence } = hold;
    const value = `${token}#${id}`;
    const bases = { unfenced: read.unfenced, fenced: read.fenced ?? 0 };
    const what = { context: name, op: "write", claim: id, lock, token, fence, value } as const;
    journal.write({ ...what, type: "invoke" });
    const change = by === undefined ? {} : { by };
    const { fenced } = await resource.ask({ ask: "write", lock, fence, value, bases, ...change });
    journal.write({ ...what, type: fenced === null ? "fail" : "ok" });
  }

  /** Reads the resource twice, with a pause between the reads. */
  async look(held: RecordedHold): Promise<void> {
    const { lock, hold } = held;
    for (const pauseMs of [this.pickWorkMs(), 0]) {
      if (!this.client.isHeld(held)) return;
      await this.options.resource.ask({ ask: "read", lock, fence: hold.fence });
      await this.pause(pauseMs);
    }
  }

  /** Works for a random time, and checks before and after whether the hold is lost. */
  async work(held: RecordedHold): Promise<void> {
    if (!this.client.isHeld(held)) return;
    await this.pause(this.pickWorkMs());
    this.client.isHeld(held);
  }

  /** Pauses for `ms`, or until the run ends. */
  async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.options.stop }).catch(() => undefined);
  }

  pickWorkMs(): number {
    const kind = this.options.random();
    const [, leaseMs] = this.options.task.leaseMs;
    if (kind < 0.7) return this.pickBetween(0, 20);
    return kind < 0.9 ? this.pickBetween(20, 200) : this.pickBetween(0.3, 2) * leaseMs;
  }

  isChosen(share: number): boolean {
    return this.options.random() < share;
  }

  pickBetween(least: number, most: number): number {
    return least + this.options.random() * (most - least);
  }

  pickInteger(least: number, most: number): number {
    return least + Math.floor(this.options.random() * (most - least + 1));
  }
}
