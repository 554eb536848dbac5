import { existsSync, readdirSync, readFileSync } from "node:fs";

/** A line of the process table of Linux. */
export interface ProcessEntry {
  readonly pid: number;
  readonly groupId: number;
  readonly sessionId: number;
  /** Clock ticks since the machine started. Together with the id, it identifies a process. */
  readonly startedAt: string;
  /** False for a process that has exited but was not reaped by its parent. */
  readonly isLive: boolean;
}

/** Positions in /proc/PID/stat, counted from the field after the program name. */
const STATE = 0;
const GROUP = 2;
const SESSION = 3;
const THREADS = 17;
const STARTED_AT = 19;

/** Whether the process table can be read, which needs Linux and a mounted `/proc`. */
export const HAS_PROCESS_TABLE = process.platform === "linux" && existsSync("/proc/self/stat");

/** Reads one process, or returns `undefined` if it does not exist or there is no process table. */
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
      // The main thread is a zombie while other threads are still exiting.
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
