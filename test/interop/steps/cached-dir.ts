import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isRunning } from "../../../server/redis/embedded/server-process.ts";

export const HERE = fileURLToPath(new URL("..", import.meta.url));
export const CACHE = join(HERE, "../../.cache/interop");

const STAMP = ".made-from";

/**
 * Returns a folder in the cache, and creates it with `make` if it does not exist or if `from` has changed. A folder
 * whose creation failed is never visible under its name.
 *
 * @param from texts that determine the content of the folder, such as a lock file
 */
export function provideCachedDir(
  name: string,
  from: readonly string[],
  make: (dir: string) => Promise<void>,
): Promise<string> {
  return provideDir(join(CACHE, name), from, make);
}

/** Does the same as `provideCachedDir` for a folder at any path. */
export async function provideDir(
  dir: string,
  from: readonly string[],
  make: (dir: string) => Promise<void>,
): Promise<string> {
  const stamp = createHash("sha256").update(from.join("\n")).digest("hex");
  if (existsSync(join(dir, STAMP)) && readFileSync(join(dir, STAMP), "utf8") === stamp) return dir;
  await mkdir(dirname(dir), { recursive: true });
  await removeLeftovers(dirname(dir));
  const making = await mkdtemp(join(dirname(dir), `making-${process.pid}-`));
  try {
    await make(making);
    await writeFile(join(making, STAMP), stamp);
    await rm(dir, { recursive: true, force: true });
    await rename(making, dir);
    return dir;
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

export function readLocalFile(...path: string[]): string {
  return readFileSync(join(HERE, ...path), "utf8");
}

async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = /^making-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    await rm(join(parent, name), { recursive: true, force: true });
  }
}
