import { setTimeout as sleep } from "node:timers/promises";
import type { Key } from "../../../lib/keys/key.ts";
import type { Master, Masters } from "../../redis/master.ts";
import type { MasterWatch } from "./master-watch.ts";

const SETTLE_TIMEOUT_MS = 500;

export interface MasterSetDeps {
  createWatch(master: Master): MasterWatch;
  /** Keys that a master which left had not read yet. */
  enqueueRead(key: Key): void;
  onStateChange(): void;
}

/** One watch for each master of a target, while masters come and go. */
export class MasterSet {
  readonly #watches = new Map<Master, MasterWatch>();
  #unsubscribe = () => undefined as unknown;
  #isRunning = false;

  constructor(
    private readonly masters: Masters,
    private readonly deps: MasterSetDeps,
  ) {}

  /** The watches of the masters that are known now. */
  get watches(): ReadonlyMap<Master, MasterWatch> {
    return this.#watches;
  }

  get list(): MasterWatch[] {
    return [...this.#watches.values()];
  }

  /** How often the connection to one of the masters broke. */
  get breaks(): number {
    return this.list.reduce((sum, { connection }) => sum + connection.breaks, 0);
  }

  /** Names the observation periods of all masters; another name means that changes may have been missed. */
  get continuityId(): string {
    return this.list.map(({ connection }) => connection.continuityId).join(" ");
  }

  start(): void {
    this.#isRunning = true;
    this.#unsubscribe = this.masters.onChange(() => this.sync());
    for (const watch of this.#watches.values()) watch.start();
  }

  /** The masters stay open: whoever opened them closes them. */
  stop(): void {
    this.#isRunning = false;
    this.#unsubscribe();
    for (const watch of this.#watches.values()) watch.stop();
  }

  /** Starts watches of new masters and stops those of masters that left. */
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

  /** Resolves when everything enqueued so far has been read, or after half a second. */
  async waitUntilSettled(): Promise<void> {
    const round = () => Promise.all(this.list.map((watch) => watch.waitUntilSettled()));
    // A key that one master turned out not to have any more is read at the next.
    const all = this.masters.routing === undefined ? round() : round().then(round);
    await Promise.race([all, sleep(SETTLE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  /** Scans every master again: what the keys mean has changed. What is known of them was not missed meanwhile. */
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
