import { readdirSync, readFileSync } from "node:fs";

/** The variable that marks the processes of one copy, whatever they start. */
export const RUN_VARIABLE = "LOCKKEEPER_SAMPLE_RUN";

/** Command lines of the living processes that were started with `RUN_VARIABLE=run`. */
export function listProcesses(run: string): string[][] {
  const found: string[][] = [];
  for (const pid of readdirSync("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    // A process may end at any moment; a zombie has no environment.
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${RUN_VARIABLE}=${run}\0`)) continue;
      found.push(readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1));
    } catch {}
  }
  return found.filter((args) => args.length > 0);
}

/** The processes among them that write the log. */
export function listWriters(run: string, script: string): string[][] {
  return listProcesses(run).filter((args) => args[1] === script);
}
