import { existsSync, readdirSync, readFileSync } from "node:fs";

/** A process in the Linux process table (`/proc`). */
export interface ProcessEntry {
  readonly pid: number;
  readonly groupId: number;
  readonly sessionId: number;
  /** Start time in clock ticks since the machine booted. The start time and `pid` together identify a process. */
  readonly startedAt: string;
  /** Whether the process is running. False if the process has exited but its parent has not reaped it. */
  readonly isLive: boolean;
}

/** Indexes of fields in /proc/PID/stat, counted from the field after the program name. */
const STATE = 0;
const GROUP = 2;
const SESSION = 3;
const THREADS = 17;
const STARTED_AT = 19;

/** Whether the process table can be read, which requires Linux and a mounted `/proc`. */
export const HAS_PROCESS_TABLE = process.platform === "linux" && existsSync("/proc/self/stat");

/** Reads one process. Returns `undefined` if the process does not exist or there is no process table. */
export function readProcess(pid: number): ProcessEntry | undefined {
  if (!HAS_PROCESS_TABLE) return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program name may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return {
      pid,
      groupId: Number(fields[GROUP]),
      sessionId: Number(fields[SESSION]),
      startedAt: fields[STARTED_AT] ?? "",
      // The main thread can be a zombie while other threads are still running.
      isLive: !(fields[STATE] === "Z" || fields[STATE] === "X") || Number(fields[THREADS]) > 1,
    };
  } catch {
    return undefined;
  }
}

/** Reads the live processes of a session. The list is empty if there is no process table. */
export function readSessionProcesses(sessionId: number): ProcessEntry[] {
  if (!HAS_PROCESS_TABLE) return [];
  const found: ProcessEntry[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const entry = readProcess(Number(name));
    if (entry?.sessionId === sessionId && entry.isLive) found.push(entry);
  }
  return found;
}
