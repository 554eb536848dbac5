import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Root folder of the checkout: the nearest folder above this file that contains a lock file of npm. */
export const ROOT = findNearest(dirname(fileURLToPath(import.meta.url)));

function findNearest(dir: string): string {
  if (existsSync(join(dir, "package-lock.json"))) return dir;
  const parent = dirname(dir);
  if (parent === dir) throw new Error("No package-lock.json above the benchmarks");
  return findNearest(parent);
}
