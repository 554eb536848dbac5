import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Journal } from "../history/journal.ts";
import type { Link } from "../servers/link.ts";
import { forkProcess, waitUntilReady } from "./fork.ts";
import type { Order } from "./task.ts";

export interface ProcessSlot {
  /** Creates the task for the nth process in this slot. */
  createTask(nth: number): object;
  /** Links to the servers that the processes in this slot call. */
  readonly links: readonly Link[];
}

/**
 * Worker or API processes. Each slot runs one process at a time, and a new process after the previous one was killed.
 */
export class ProcessGroup {
  readonly #running = new Map<number, ChildProcess>();
  readonly #started = new Map<number, number>();
  readonly #ready = new Set<ChildProcess>();
  readonly #ending = new Set<ChildProcess>();

  constructor(
    private readonly kind: "worker" | "api",
    private readonly slots: readonly ProcessSlot[],
    private readonly journal: Journal,
  ) {}

  async startAll(): Promise<void> {
    await Promise.all(this.slots.map((_, n) => this.start(n)));
  }

  async start(n: number): Promise<void> {
    // If a fault began late, the next fault may begin before its end and have started a process already.
    await this.kill(n);
    const nth = (this.#started.get(n) ?? 0) + 1;
    this.#started.set(n, nth);
    const child = forkProcess(`${this.kind}.ts`, [JSON.stringify(this.#getSlot(n).createTask(nth))]);
    this.#running.set(n, child);
    child.once("exit", (code, signal) => {
      if (this.#running.get(n) === child) this.#running.delete(n);
      if (this.#ending.has(child)) return;
      this.#recordExit(n, `${code ?? signal}`);
    });
    try {
      await waitUntilReady(child);
      this.#ready.add(child);
    } catch (error) {
      // The next fault may kill the process before it is ready.
      if (!this.#ending.has(child)) throw error;
    }
  }

  /**
   * Kills a process, like a crash. Its connections stay open in the links until they are cut, as if the host had
   * failed.
   */
  async kill(n: number): Promise<void> {
    const child = this.#running.get(n);
    if (child === undefined) return;
    this.#ending.add(child);
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  /**
   * Terminates a process like a deployment does: sends SIGTERM, and SIGKILL if the process does not exit within
   * `withinMs`.
   */
  async terminate(n: number, withinMs: number): Promise<void> {
    const child = this.#running.get(n);
    if (child === undefined) return;
    this.#ending.add(child);
    const exited = once(child, "exit", { signal: AbortSignal.timeout(withinMs) });
    child.kill("SIGTERM");
    try {
      const [code, signal] = await exited;
      // A process that is still starting does not handle SIGTERM yet.
      if (code !== 0 && this.#ready.has(child)) this.#recordExit(n, `${code ?? signal} after SIGTERM`);
    } catch {
      this.#recordExit(n, `did not end within ${withinMs} ms of SIGTERM`);
      await this.kill(n);
    }
  }

  signal(n: number, signal: "SIGSTOP" | "SIGCONT"): void {
    this.#running.get(n)?.kill(signal);
  }

  sendOrder(n: number, order: Order): void {
    this.#running.get(n)?.send(order);
  }

  getLinks(n: number): readonly Link[] {
    return this.#getSlot(n).links;
  }

  /**
   * Tells all processes to finish their work and exit.
   *
   * @returns the number of processes that did not exit within `withinMs`
   */
  async stopAll(withinMs: number): Promise<number> {
    const children = [...this.#running.values()];
    const exits = children.map((child) => {
      this.#ending.add(child);
      const exited = once(child, "exit", { signal: AbortSignal.timeout(withinMs) });
      child.send({ order: "stop" } satisfies Order);
      return exited.then(
        () => 0,
        () => 1,
      );
    });
    return (await Promise.all(exits)).reduce((sum, late) => sum + late, 0);
  }

  async terminateAll(withinMs: number): Promise<void> {
    await Promise.all([...this.#running.keys()].map((n) => this.terminate(n, withinMs)));
  }

  async killAll(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((n) => this.kill(n)));
  }

  #recordExit(n: number, code: string): void {
    this.journal.write({ op: "died", type: "info", target: `${this.kind} ${n + 1}`, code });
  }

  #getSlot(n: number): ProcessSlot {
    const slot = this.slots[n];
    if (slot === undefined) throw new Error(`there is no ${this.kind} ${n}`);
    return slot;
  }
}
