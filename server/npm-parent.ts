import { readFileSync } from "node:fs";

/**
 * Tells whether npm, which started us, has ended. Between npm and us stands a shell that some systems keep until we
 * end and others replace by us: of one that stays, the parent counts.
 */
export function watchNpm(): () => boolean {
  const parent = process.ppid;
  const npm = isScriptShell(parent) ? readParentPid(parent) : undefined;
  return () => process.ppid !== parent || (npm !== undefined && readParentPid(parent) !== npm);
}

function isScriptShell(pid: number): boolean {
  return readFileOrEmpty(`/proc/${pid}/cmdline`).split("\0")[1] === "-c";
}

/** undefined where there is no /proc to tell. */
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
