import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClockFileEnvironment, type LibfaketimeTool } from "../../interop/steps/libfaketime.ts";

/** The wall clock of one server, which may be wrong while the server runs. */
export class ServerClock {
  readonly #folder = mkdtempSync(join(tmpdir(), "lockkeeper-clock-"));
  readonly #file = join(this.#folder, "ahead");
  #aheadMs = 0;
  /** The latest time that it has shown, as milliseconds of our own monotonic clock. */
  #latest = 0;

  constructor(private readonly library: LibfaketimeTool) {
    this.set(0);
  }

  /** What its server is started with. */
  get env(): Record<string, string> {
    return createClockFileEnvironment(this.library, this.#file);
  }

  /** By how much it has gone back: what was timed before lasts longer by as much. */
  get behindMs(): number {
    return Math.max(0, this.#latest - this.#now());
  }

  /** From here on it is ahead by this, or behind where it is below 0. */
  set(aheadMs: number): void {
    this.#latest = Math.max(this.#latest, this.#now());
    // Renamed, so that nobody reads a part of it.
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
