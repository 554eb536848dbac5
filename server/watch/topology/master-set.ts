import { setTimeout as sleep } from "node:timers/promises";
import type { Key } from "../../../lib/keys/key.ts";
import type { Master, Masters } from "../../redis/master.ts";
import type { MasterWatch } from "./master-watch.ts";

const SETTLE_TIMEOUT_MS = 500;

export interface MasterSetDeps {
  createWatch(master: Master): MasterWatch;
  /** Enqueues a key whose master was removed before the key was read. */
  enqueueRead(key: Key): void;
  onStateChange(): void;
}

/** Maintains one watch per master of a target while masters join and leave. */
export class MasterSet {
  readonly #watches = new Map<Master, MasterWatch>();
  #unsubscribe = () => undefined as unknown;
  #isRunning = false;

  constructor(
    private readonly masters: Masters,
    private readonly deps: MasterSetDeps,
  ) {}

  /** The watches of the current masters. */
  get watches(): ReadonlyMap<Master, MasterWatch> {
    return this.#watches;
  }

  get list(): MasterWatch[] {
    return [...this.#watches.values()];
  }

  /** Total number of times that a connection to a current master was lost. */
  get interruptions(): number {
    return this.list.reduce((sum, { connection }) => sum + connection.interruptions, 0);
  }

  /**
   * Identifies the current observation periods of all masters. If the value changes, changes to keys may have been
   * missed.
   */
  get continuityId(): string {
    return this.list.map(({ connection }) => connection.continuityId).join(" ");
  }

  start(): void {
    this.#isRunning = true;
    this.#unsubscribe = this.masters.onChange(() => this.sync());
    for (const watch of this.#watches.values()) watch.start();
  }

  /** Stops the watches. Does not close the masters, because they belong to another component. */
  stop(): void {
    this.#isRunning = false;
    this.#unsubscribe();
    for (const watch of this.#watches.values()) watch.stop();
  }

  /** Starts a watch for each new master and stops the watch of each removed master. */
  sync(): void {
    const unread = this.#removeLeftMasters();
    for (const master of this.masters.list) {
      if (this.#watches.has(master)) continue;
      const watch = this.deps.createWatch(master);
      this.#watches.set(master, watch);
      if (this.#isRunning) watch.start();
    }
    for (const key of unread) this.deps.enqueueRead(key);
    this.deps.onStateChange();
  }

  /** Resolves when all keys queued so far have been read, or after 500 ms. */
  async waitUntilSettled(): Promise<void> {
    const round = () => Promise.all(this.list.map((watch) => watch.waitUntilSettled()));
    // A moved key is enqueued again on its new master, which takes a second round.
    const all = this.masters.routing === undefined ? round() : round().then(round);
    await waitForReads(all);
  }

  /**
   * Starts the next batch of each master without a pause. Resolves when the queued keys have been read, or after
   * 500 ms. Does not wait for keys that change constantly.
   */
  async readQueued(): Promise<void> {
    await waitForReads(Promise.all(this.list.map((watch) => watch.readQueued())));
  }

  /** Scans every master again. Call this after the format rules have changed. The known keys stay in the index. */
  async rescan(): Promise<void> {
    await Promise.all(this.list.map(({ reconciliation }) => reconciliation.runNow()));
  }

  #removeLeftMasters(): Key[] {
    const unread: Key[] = [];
    for (const [master, watch] of this.#watches) {
      if (this.masters.list.includes(master)) continue;
      this.#watches.delete(master);
      for (const key of watch.stop()) unread.push(key);
    }
    return unread;
  }
}

async function waitForReads(reads: Promise<unknown>): Promise<void> {
  await Promise.race([reads, sleep(SETTLE_TIMEOUT_MS, undefined, { ref: false })]);
}
