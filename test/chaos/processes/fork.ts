import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { guardProcess, unguardProcess } from "../../support/process-guard.ts";

/**
 * Maximum time for a process to start, in milliseconds. Even on a machine with ten times more work than its capacity,
 * nine processes start within a minute.
 */
const READY_MS = 90_000;

/** Starts a module of this folder in a separate process. */
export function forkProcess(file: string, args: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, [...args], { execArgv: ["--import", "tsx"], stdio: ["ignore", 2, 2, "ipc"] });
  const { pid } = child;
  if (pid === undefined) return child;
  // A stopped process does not notice that its parent has exited, so it must be killed.
  guardProcess(pid);
  child.once("exit", () => unguardProcess(pid));
  return child;
}

/**
 * Waits for the first message of a process and returns it.
 *
 * @throws Error if the process exits first or is not ready within 90 s
 */
export async function waitUntilReady(child: ChildProcess): Promise<unknown> {
  const settled = new AbortController();
  const late = AbortSignal.timeout(READY_MS);
  const signal = AbortSignal.any([settled.signal, late]);
  try {
    const ended = once(child, "exit", { signal }).then(([code, by]) => {
      throw new Error(`a process ended at its start: ${code ?? by}`);
    });
    const [message] = await Promise.race([once(child, "message", { signal }), ended]);
    return message;
  } catch (error) {
    throw late.aborted ? new Error(`a process was not ready within ${READY_MS / 1000} s`) : error;
  } finally {
    settled.abort();
  }
}
