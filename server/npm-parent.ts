import { readFileSync } from "node:fs";

/**
 * Returns a function that reports whether the parent npm process has ended. On some systems, a shell remains between
 * npm and this process. If so, the parent of the shell is watched.
 */
export function watchNpm(): () => boolean {
  const parent = process.ppid;
  const npm = isScriptShell(parent) ? readParentPid(parent) : undefined;
  return () => process.ppid !== parent || (npm !== undefined && readParentPid(parent) !== npm);
}

function isScriptShell(pid: number): boolean {
  return readFileOrEmpty(`/proc/${pid}/cmdline`).split("\0")[1] === "-c";
}

/** Reads the parent of a process, or `undefined` without `/proc`. */
function readParentPid(pid: number): number | undefined {
  const status = /^PPid:\s*(\d+)$/m.exec(readFileOrEmpty(`/proc/${pid}/status`))?.[1];
  return status === undefined ? undefined : Number(status);
}

function readFileOrEmpty(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
