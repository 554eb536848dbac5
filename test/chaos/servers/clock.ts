import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClockFileEnvironment, type LibfaketimeTool } from "../../interop/steps/libfaketime.ts";

/** The wall clock of one server, which can be set while the server runs. */
export class ServerClock {
  readonly #folder = mkdtempSync(join(tmpdir(), "lockkeeper-clock-"));
  readonly #file = join(this.#folder, "ahead");
  #aheadMs = 0;
  /** The latest time that the clock has shown, on the scale of this process's `performance.now()`. */
  #latest = 0;

  constructor(private readonly library: LibfaketimeTool) {
    this.set(0);
  }

  /** Environment variables with which the server must be started. */
  get env(): Record<string, string> {
    return createClockFileEnvironment(this.library, this.#file);
  }

  /** How far the clock was set back, in milliseconds. Leases that began before the step last longer by this time. */
  get behindMs(): number {
    return Math.max(0, this.#latest - this.#now());
  }

  /** Sets the offset of the clock in milliseconds. Negative if the clock is behind. */
  set(aheadMs: number): void {
    this.#latest = Math.max(this.#latest, this.#now());
    // The file is written under another name and renamed, so that the server never reads an incomplete file.
    writeFileSync(
      `${this.#file}.next`,
      `${aheadMs < 0 ? "-" : "+"}${(Math.abs(aheadMs) / 1000).toFixed(6)}s\n`,
    );
    renameSync(`${this.#file}.next`, this.#file);
    this.#aheadMs = aheadMs;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #now(): number {
    return performance.now() + this.#aheadMs;
  }
}
