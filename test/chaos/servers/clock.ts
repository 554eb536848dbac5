import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClockFileEnvironment, type LibfaketimeTool } from "../../interop/steps/libfaketime.ts";

/** The wall clock of one server, which can be wrong while the server runs. */
export class ServerClock {
  readonly #folder = mkdtempSync(join(tmpdir(), "lockkeeper-clock-"));
  readonly #file = join(this.#folder, "ahead");
  #aheadMs = 0;
  /** The latest time that it has shown, in milliseconds of this process's monotonic clock. */
  #latest = 0;

  constructor(private readonly library: LibfaketimeTool) {
    this.set(0);
  }

  /** The environment of the server. */
  get env(): Record<string, string> {
    return createClockFileEnvironment(this.library, this.#file);
  }

  /** How far the clock was set back. Leases that began before last longer by this time. */
  get behindMs(): number {
    return Math.max(0, this.#latest - this.#now());
  }

  /** Sets the offset of the clock from now on; negative if it is behind. */
  set(aheadMs: number): void {
    this.#latest = Math.max(this.#latest, this.#now());
    // Written and renamed, so that no process reads an incomplete file.
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
