import { openSync, writeSync } from "node:fs";
import type { Entry } from "./entry.ts";

/**
 * Writes the history of one process. Each line is passed to the kernel immediately, so no lines are lost if the process
 * is killed.
 */
export class Journal {
  readonly #file: number;
  readonly #epochNs: bigint;

  constructor(
    path: string,
    epochNs: string,
    private readonly process: string,
  ) {
    this.#file = openSync(path, "a");
    this.#epochNs = BigInt(epochNs);
  }

  now(): number {
    return Number(process.hrtime.bigint() - this.#epochNs);
  }

  write(entry: Omit<Entry, "t" | "process">, t = this.now()): number {
    writeSync(this.#file, `${JSON.stringify({ t, process: this.process, ...entry })}\n`);
    return t;
  }
}
