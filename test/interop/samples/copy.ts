import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";
import { kill, start } from "../children.ts";
import { RUN_VARIABLE } from "./processes.ts";
import type { PreparedSample, Work } from "./sample-runner.ts";

export const CHILD_SCRIPT = join(import.meta.dirname, "child.sh");

export interface CopyOptions {
  readonly run: string;
  readonly copy: 1 | 2;
  readonly url: string;
  readonly apiKey: string;
  readonly key: string;
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly work: Work;
  readonly workMs: number;
  readonly end: "complete" | "throw" | "exit3";
  readonly logFile: string;
  readonly isFenced: boolean;
}

/** A running copy of a sample program. */
export class SampleCopy {
  /** Everything that the copy has printed so far. */
  output = "";
  /** Exit status as in a shell: 128 + signal number after a signal. Undefined while the copy runs. */
  status: number | undefined;
  endedAt: number | undefined;
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;

  constructor(
    { runner, driven }: PreparedSample,
    readonly options: CopyOptions,
  ) {
    const [command, ...args] = runner.command(driven);
    this.#child = start(command, args, {
      cwd: driven,
      env: createEnvironment(options),
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.output += chunk.toString();
      });
    }
    this.ended = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("exit", (code, signal) => {
        this.endedAt = Date.now();
        this.status = code ?? 128 + constants.signals[signal ?? "SIGKILL"];
        resolve();
      });
    });
  }

  /** Sends a signal to the program, but not to its children. */
  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Kills the process group of the copy if it is still running. */
  kill(): void {
    kill(this.#child);
  }
}

function createEnvironment(options: CopyOptions): NodeJS.ProcessEnv {
  return {
    ...process.env,
    [RUN_VARIABLE]: options.run,
    LOCKKEEPER_URL: options.url,
    LOCKKEEPER_API_KEY: options.apiKey,
    KEY: options.key,
    LEASE_MS: String(options.leaseMs),
    LEASE_S: String(options.leaseMs / 1000),
    WAIT_MS: String(options.waitMs),
    WAIT_S: String(options.waitMs / 1000),
    WORK: options.work,
    WORK_MS: String(options.workMs),
    END: options.end,
    COPY: String(options.copy),
    LOG_FILE: options.logFile,
    CHILD_SCRIPT,
    ...(options.isFenced ? { FENCED: "1" } : {}),
  };
}
