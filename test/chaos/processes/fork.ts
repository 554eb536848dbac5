import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { guardProcess, unguardProcess } from "../../support/process-guard.ts";

const READY_MS = 30_000;

/** Starts a file of this folder in a process of its own. */
export function forkProcess(file: string, args: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, [...args], { execArgv: ["--import", "tsx"], stdio: ["ignore", 2, 2, "ipc"] });
  const { pid } = child;
  if (pid === undefined) return child;
  // One that is stopped does not notice that we are gone.
  guardProcess(pid);
  child.once("exit", () => unguardProcess(pid));
  return child;
}

/** @returns its first message */
export async function waitUntilReady(child: ChildProcess): Promise<unknown> {
  const settled = new AbortController();
  const signal = AbortSignal.any([settled.signal, AbortSignal.timeout(READY_MS)]);
  try {
    const ended = once(child, "exit", { signal }).then(([code, by]) => {
      throw new Error(`a process ended at its start: ${code ?? by}`);
    });
    const [message] = await Promise.race([once(child, "message", { signal }), ended]);
    return message;
  } finally {
    settled.abort();
  }
}
