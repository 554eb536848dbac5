import { execFileSync } from "node:child_process";

/** Returns why this machine cannot create a root file system, or `undefined` if it can. */
export function findObstacle() {
  if (process.platform !== "linux") return "a root file system for Node needs Linux";
  if (process.getuid?.() !== 0) return "chroot needs root";
  for (const [tool, advice] of [
    ["mmdebstrap", "apt-get install mmdebstrap"],
    ["unshare", "apt-get install util-linux"],
    ["script", "apt-get install bsdutils"],
  ])
    if (!hasTool(tool)) return `${tool} is not installed (${advice})`;
  try {
    execFileSync("unshare", ["--mount", "true"], { stdio: "ignore" });
  } catch {
    return "this account may not create mount namespaces";
  }
  return undefined;
}

/** @param {string} tool */
function hasTool(tool) {
  try {
    execFileSync("/bin/sh", ["-c", `command -v ${tool}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
