import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../children.ts";
import { formatReason, Skip } from "../skip.ts";
import { getPackageDir, unpackPackage } from "./packages.ts";

const NAME = "faketime/libfaketime.so.1";
const AHEAD_S = 3600;

export interface LibfaketimeTool {
  /** Path of the library, which is preloaded into a program to change its wall clock. */
  readonly library: string;
}

/**
 * Finds libfaketime on this machine, or else unpacks it from the distribution's package.
 *
 * @throws Skip if libfaketime is not available or does not work
 */
export async function provideLibfaketime(): Promise<LibfaketimeTool> {
  if (process.platform !== "linux") throw new Skip("libfaketime is used on Linux alone");
  const library = (await findHere()) ?? (await findIn(await unpackPackage("libfaketime")));
  if (library === undefined) throw new Skip(`the package libfaketime has no ${NAME}`);
  return await tryLibrary(library);
}

/**
 * Finds libfaketime on this machine or in the cache, without downloading it.
 *
 * @throws Skip if libfaketime is not available or does not work
 */
export async function findLibfaketime(): Promise<LibfaketimeTool> {
  const library = process.platform === "linux" ? await findHere() : undefined;
  if (library === undefined) throw new Skip("libfaketime is not on this machine");
  return await tryLibrary(library);
}

async function tryLibrary(library: string): Promise<LibfaketimeTool> {
  const env = { ...process.env, ...createClockAheadEnvironment({ library }, AHEAD_S) };
  const said = await run("date", ["+%s"], { limitMs: 5000, env }).catch((error: unknown) => {
    throw new Skip(`libfaketime does not work here: ${formatReason(error)}`);
  });
  const aheadS = Number(said.trim()) - Date.now() / 1000;
  if (Math.abs(aheadS - AHEAD_S) > 60) throw new Skip("libfaketime changes no clock here");
  return { library };
}

/** Creates environment variables for a program whose wall clock is `seconds` ahead. */
export function createClockAheadEnvironment(tool: LibfaketimeTool, seconds: number): Record<string, string> {
  return { ...createClockEnvironment(tool), FAKETIME: `+${seconds}s` };
}

/**
 * Creates environment variables for a program whose wall clock has the offset in a file, such as `+1.5s`. The content
 * of the file may change while the program runs.
 */
export function createClockFileEnvironment(tool: LibfaketimeTool, file: string): Record<string, string> {
  return { ...createClockEnvironment(tool), FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: "1" };
}

// The monotonic clock stays real. libc is preloaded so that it allocates memory instead of jemalloc: jemalloc reads the
// time when it starts, but libfaketime must allocate memory before it can return the time.
function createClockEnvironment({ library }: LibfaketimeTool): Record<string, string> {
  return { LD_PRELOAD: `${library} libc.so.6`, FAKETIME_DONT_FAKE_MONOTONIC: "1" };
}

async function findHere(): Promise<string | undefined> {
  return (await findIn("/")) ?? (await findIn(getPackageDir("libfaketime")));
}

async function findIn(root: string): Promise<string | undefined> {
  for (const parent of [join(root, "usr/lib"), join(root, "lib"), join(root, "usr/lib64")]) {
    const names = existsSync(parent) ? await readdir(parent) : [];
    const places = ["", ...names.filter((name) => name.includes("-linux-"))];
    const found = places.map((place) => join(parent, place, NAME)).find((path) => existsSync(path));
    if (found !== undefined) return found;
  }
  return undefined;
}
