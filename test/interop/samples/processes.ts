import { readdirSync, readFileSync } from "node:fs";

/** The variable that marks the processes of one copy, whatever they start. */
export const RUN_VARIABLE = "LOCKKEEPER_SAMPLE_RUN";

export interface RunningProcess {
  readonly pid: number;
  readonly args: readonly string[];
}

/** The living processes that were started with `RUN_VARIABLE=run`. */
export function listProcesses(run: string): RunningProcess[] {
  const found: RunningProcess[] = [];
  for (const pid of readdirSync("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    // A process may end at any moment; a zombie has no environment.
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${RUN_VARIABLE}=${run}\0`)) continue;
      const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
      if (args.length > 0) found.push({ pid: Number(pid), args });
    } catch {}
  }
  return found;
}

/** The processes among them that write the log. */
export function listWriters(run: string, script: string): RunningProcess[] {
  return listProcesses(run).filter(({ args }) => args[1] === script);
}

/** Kills what a faulty program left behind. */
export function killProcesses(run: string): void {
  for (const { pid } of listProcesses(run)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}
