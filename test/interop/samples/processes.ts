import { readdirSync, readFileSync } from "node:fs";

/** Environment variable that identifies all processes of one copy. */
export const RUN_VARIABLE = "LOCKKEEPER_SAMPLE_RUN";

export interface RunningProcess {
  readonly pid: number;
  readonly args: readonly string[];
}

/** Lists the running processes whose environment contains `RUN_VARIABLE` with the value `run`. */
export function listProcesses(run: string): RunningProcess[] {
  const found: RunningProcess[] = [];
  for (const pid of readdirSync("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    // A process may exit at any time, and the environment of a zombie is empty.
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${RUN_VARIABLE}=${run}\0`)) continue;
      const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
      if (args.length > 0) found.push({ pid: Number(pid), args });
    } catch {}
  }
  return found;
}

/** Lists the processes of a run that execute the script, which writes the log. */
export function listWriters(run: string, script: string): RunningProcess[] {
  return listProcesses(run).filter(({ args }) => args[1] === script);
}

/** Kills the processes that a faulty program has left running. */
export function killProcesses(run: string): void {
  for (const { pid } of listProcesses(run)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The process has already exited.
    }
  }
}
