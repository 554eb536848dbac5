import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { forgetProcess, watchProcess } from "../../server/testing/guard.ts";
import type { Journal } from "../history/journal.ts";
import type { Link } from "../servers/link.ts";
import type { WorkerOrder, WorkerTask } from "./worker-task.ts";

const READY_MS = 30_000;

export interface Seat {
  /** For the nth process that sits here. */
  task(nth: number): WorkerTask;
  readonly links: readonly Link[];
}

/** The worker processes: each seat has one, and a new one after it was killed. */
export class Workers {
  readonly #running = new Map<number, ChildProcess>();
  readonly #started = new Map<number, number>();
  readonly #ending = new Set<ChildProcess>();

  constructor(
    private readonly seats: readonly Seat[],
    private readonly journal: Journal,
  ) {}

  async startAll(): Promise<void> {
    await Promise.all(this.seats.map((_, n) => this.start(n)));
  }

  async start(n: number): Promise<void> {
    const nth = (this.#started.get(n) ?? 0) + 1;
    this.#started.set(n, nth);
    const child = forkProcess("worker.ts", [JSON.stringify(this.#seat(n).task(nth))]);
    this.#running.set(n, child);
    child.once("exit", (code, signal) => {
      if (this.#running.get(n) === child) this.#running.delete(n);
      if (this.#ending.has(child)) return;
      this.journal.write({ op: "died", type: "info", target: `worker ${n + 1}`, code: `${code ?? signal}` });
    });
    await untilReady(child).catch((error: unknown) => {
      // The next fault may come before it has begun.
      if (!this.#ending.has(child)) throw error;
    });
  }

  /** As a crash. Its connections stay with its links, as those of a host that is gone do, until they are cut. */
  async kill(n: number): Promise<void> {
    const child = this.#running.get(n);
    if (child === undefined) return;
    this.#ending.add(child);
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  signal(n: number, signal: "SIGSTOP" | "SIGCONT"): void {
    this.#running.get(n)?.kill(signal);
  }

  order(n: number, order: WorkerOrder): void {
    this.#running.get(n)?.send(order);
  }

  links(n: number): readonly Link[] {
    return this.#seat(n).links;
  }

  /** Lets all end what they are at. @returns how many did not within the time */
  async stopAll(withinMs: number): Promise<number> {
    const children = [...this.#running.values()];
    const exits = children.map((child) => {
      this.#ending.add(child);
      const exited = once(child, "exit", { signal: AbortSignal.timeout(withinMs) });
      child.send({ order: "stop" } satisfies WorkerOrder);
      return exited.then(
        () => 0,
        () => 1,
      );
    });
    return (await Promise.all(exits)).reduce((sum, late) => sum + late, 0);
  }

  async killAll(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((n) => this.kill(n)));
  }

  #seat(n: number): Seat {
    const seat = this.seats[n];
    if (seat === undefined) throw new Error(`there is no worker ${n}`);
    return seat;
  }
}

export function forkProcess(file: string, args: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, [...args], { execArgv: ["--import", "tsx"], stdio: ["ignore", 2, 2, "ipc"] });
  const { pid } = child;
  if (pid === undefined) return child;
  // One that is stopped does not notice that we are gone.
  watchProcess(pid);
  child.once("exit", () => forgetProcess(pid));
  return child;
}

/** @returns its first message */
export async function untilReady(child: ChildProcess): Promise<unknown> {
  const settled = new AbortController();
  const signal = AbortSignal.any([settled.signal, AbortSignal.timeout(READY_MS)]);
  try {
    const ended = once(child, "exit", { signal }).then(([code, by]) => {
      throw new Error(`a process ended at its start: ${code ?? by}`);
    });
    const [message] = await Promise.race([once(child, "message", { signal }), ended]);
    return message;
  } finally {
    settled.abort();
  }
}
