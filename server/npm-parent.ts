import { readFileSync } from "node:fs";

/**
 * Returns a function that reports whether the parent npm process has ended. On some systems, a shell runs between npm
 * and this process. In that case, the function checks both the shell and its parent.
 */
export function watchNpm(): () => boolean {
  const parent = process.ppid;
  const npm = isScriptShell(parent) ? readParentPid(parent) : undefined;
  return () => process.ppid !== parent || (npm !== undefined && readParentPid(parent) !== npm);
}

function isScriptShell(pid: number): boolean {
  return readFileOrEmpty(`/proc/${pid}/cmdline`).split("\0")[1] === "-c";
}

/** Returns the pid of a process's parent, or `undefined` if there is no `/proc`. */
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
