import { readFileSync, writeFileSync } from "node:fs";

/** Resident memory of a process, in bytes. */
export interface ResidentMemory {
  readonly currentBytes: number;
  /** Highest value since the last `resetPeak`. */
  readonly peakBytes: number;
}

/** Reads the resident memory of a process from /proc; undefined once the process has ended. */
export function readResidentMemory(pid: number): ResidentMemory | undefined {
  try {
    return parseResidentMemory(readFileSync(`/proc/${pid}/status`, "latin1"));
  } catch {
    return undefined;
  }
}

/** Parses `/proc/<pid>/status`. A process that has ended and was not waited for has no memory lines. */
export function parseResidentMemory(status: string): ResidentMemory | undefined {
  const current = readKilobytes(status, "VmRSS");
  const peak = readKilobytes(status, "VmHWM");
  return current === undefined || peak === undefined ? undefined : { currentBytes: current, peakBytes: peak };
}

/** Sets the peak of a process to its current resident memory. */
export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // The process has ended, or the kernel does not allow it: the peak since the start is an upper limit.
  }
}

function readKilobytes(status: string, name: string): number | undefined {
  const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status);
  return match === null ? undefined : Number(match[1]) * 1024;
}
