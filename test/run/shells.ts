import { type ChildProcess, spawn } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { guardProcess, unguardProcess } from "../support/process-guard.ts";
import { readChildren } from "./run-process.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CLI = join(ROOT, "cli/main.ts");
/** Shell script that runs the command repeatedly until the file `$1` is deleted, and records the exit codes. */
const LOOP = `go=$1; shift; while [ -e "$go" ]; do "$@"; echo "$?" >> "$go.codes"; done`;

/** A shell that runs `lockkeeper run` in a loop. */
export class RunShell {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;

  private constructor(
    private readonly goFile: string,
    args: readonly string[],
    environment: Readonly<Record<string, string | undefined>>,
  ) {
    const cli = [process.execPath, "--import", "tsx", CLI, "run", ...args];
    this.#child = spawn("/bin/sh", ["-c", LOOP, "sh", goFile, ...cli], {
      cwd: ROOT,
      env: { ...process.env, ...environment },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const { pid } = this.#child;
    if (pid !== undefined) guardProcess(pid);
    this.#exited = new Promise((resolve) => {
      this.#child.once("exit", () => {
        if (pid !== undefined) unguardProcess(pid);
        resolve();
      });
    });
  }

  static async start(
    goFile: string,
    args: readonly string[],
    environment: Readonly<Record<string, string | undefined>>,
  ): Promise<RunShell> {
    await writeFile(goFile, "");
    return new RunShell(goFile, args, environment);
  }

  get stderr() {
    return this.#child.stderr;
  }

  /** Ends the loop and sends SIGTERM to the current run. */
  async stop(): Promise<void> {
    await rm(this.goFile);
    for (const pid of readChildren(this.#child.pid ?? 0)) process.kill(pid, "SIGTERM");
    await this.#exited;
  }
}
