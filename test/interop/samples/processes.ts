import { readdirSync, readFileSync } from "node:fs";

/** The variable that marks all processes of one copy. */
export const RUN_VARIABLE = "LOCKKEEPER_SAMPLE_RUN";

export interface RunningProcess {
  readonly pid: number;
  readonly args: readonly string[];
}

/** Lists the running processes that were started with `RUN_VARIABLE=run`. */
export function listProcesses(run: string): RunningProcess[] {
  const found: RunningProcess[] = [];
  for (const pid of readdirSync("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    // A process may end at any time, and a zombie has no environment.
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${RUN_VARIABLE}=${run}\0`)) continue;
      const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
      if (args.length > 0) found.push({ pid: Number(pid), args });
    } catch {}
  }
  return found;
}

/** Lists the processes that write the log. */
export function listWriters(run: string, script: string): RunningProcess[] {
  return listProcesses(run).filter(({ args }) => args[1] === script);
}

/** Kills the processes that a faulty program left behind. */
export function killProcesses(run: string): void {
  for (const { pid } of listProcesses(run)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}
