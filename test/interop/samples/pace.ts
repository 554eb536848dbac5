import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 50;

/** Waits for something outside this process, without keeping the processor busy. @throws when it takes too long */
export async function poll(holds: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`It did not happen within ${withinMs} ms: ${holds}`);
    await sleep(POLL_MS);
  }
}

/** Runs at most `count` tasks at once; the others wait in order. */
export class Limiter {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
