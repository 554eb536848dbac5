import { type ChildProcess, spawn } from "node:child_process";

/** Time in ms that a command may take to stop its children before the process group is killed. */
const END_MS = 8000;

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs commands one at a time, each in its own process group, and can stop the running one. */
export class Processes {
  #running: ChildProcess | undefined;
  #isEnded = false;

  /** Runs a command and resolves when it has exited, whatever its exit code. Rejects if `end()` was called. */
  async run({ program, args, cwd, env = {} }: Command): Promise<Finished> {
    if (this.#isEnded) throw new Error("The comparison was interrupted");
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#running = child;
    const text = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text.stdout += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      text.stderr += chunk;
    });
    const code = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (status) => resolve(status ?? 1));
    });
    if (this.#isEnded) throw new Error("The comparison was interrupted");
    return { code, ...text };
  }

  /** Stops the running command and all its children. Further commands are rejected. */
  async end(): Promise<void> {
    this.#isEnded = true;
    const child = this.#running;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    const timer = setTimeout(() => signalGroup(child, "SIGKILL"), END_MS);
    signalGroup(child, "SIGTERM");
    await exited;
    clearTimeout(timer);
    signalGroup(child, "SIGKILL");
  }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The process group has already exited.
  }
}
