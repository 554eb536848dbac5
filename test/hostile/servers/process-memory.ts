import { readFileSync, writeFileSync } from "node:fs";

/** Resident memory of a process, in bytes. */
export interface ResidentMemory {
  readonly currentBytes: number;
  /** Highest value since the start of the process or the last `resetPeak`. */
  readonly peakBytes: number;
}

/** Reads the resident memory of a process from /proc. Undefined if the process has exited. */
export function readResidentMemory(pid: number): ResidentMemory | undefined {
  try {
    return parseResidentMemory(readFileSync(`/proc/${pid}/status`, "latin1"));
  } catch {
    return undefined;
  }
}

/** Parses `/proc/<pid>/status`. Undefined for a zombie process, whose status contains no memory lines. */
export function parseResidentMemory(status: string): ResidentMemory | undefined {
  const current = readKilobytes(status, "VmRSS");
  const peak = readKilobytes(status, "VmHWM");
  return current === undefined || peak === undefined ? undefined : { currentBytes: current, peakBytes: peak };
}

/** Resets the peak of a process to its current resident memory. */
export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // The process has exited, or the kernel does not allow the reset. The peak since the start is then an upper bound.
  }
}

function readKilobytes(status: string, name: string): number | undefined {
  const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status);
  return match === null ? undefined : Number(match[1]) * 1024;
}
