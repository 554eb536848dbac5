import { readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Indexes of fields in /proc/PID/stat, counted from the field after the program name. */
const STAT_STATE = 0;
const STAT_THREADS = 17;

/**
 * Returns whether `pid` is a running process. A zombie counts as running until its last thread has exited, because the
 * process keeps its port and files until then. Some containers never reap zombies.
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return !isZombie(pid);
}

function isZombie(pid: number): boolean {
  if (process.platform !== "linux") return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // The main thread of a killed server is a zombie while other threads are still exiting.
    return fields[STAT_STATE] === "Z" && Number(fields[STAT_THREADS]) <= 1;
  } catch {
    return true;
  }
}

export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already exited, which is what every caller wants.
  }
}

export async function waitUntilGone(pid: number, timeoutMs: number): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  while (isRunning(pid)) {
    if (performance.now() > end) return false;
    await sleep(10);
  }
  return true;
}

/**
 * Stops a Redis server with SIGTERM, so that Redis completes its append-only file before it exits. Kills the server
 * with SIGKILL if it is still running after 1 s.
 */
export async function endServer(pid: number): Promise<void> {
  sendSignal(pid, "SIGTERM");
  if (await waitUntilGone(pid, 1_000)) return;
  sendSignal(pid, "SIGKILL");
  await waitUntilGone(pid, 150);
}

/** Returns whether a server can listen on 127.0.0.1:`port` now. */
export async function isPortFree(port: number): Promise<boolean> {
  // macOS allows binding to 127.0.0.1 even if another process listens on all addresses, so the function checks for such
  // a process first.
  if (await isPortOpen(port)) return false;
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1" }, () => server.close(() => resolve(true)));
  });
}

function isPortOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const answer = (value: boolean) => {
      socket.destroy();
      resolve(value);
    };
    socket.setTimeout(500, () => answer(false));
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
  });
}
