import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Run } from "./figure.ts";

/** Starts a file of `processes/` in a process of its own. It ends with us: its channel closes. */
export async function startChild(run: Run, file: string, args: readonly string[]): Promise<ChildProcess> {
  const path = fileURLToPath(new URL(`processes/${file}`, import.meta.url));
  const child = fork(path, args, { execArgv: ["--import", "tsx"], stdio: ["ignore", 2, 2, "ipc"] });
  run.later(() => endChild(child));
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`${file} ended at its start with exit code ${code}`);
  });
  await Promise.race([once(child, "message"), ended]);
  ended.catch(() => undefined);
  return child;
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
