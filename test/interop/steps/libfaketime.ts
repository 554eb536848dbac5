import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../children.ts";
import { formatReason, Skip } from "../skip.ts";
import { getPackageDir, unpackPackage } from "./packages.ts";

const NAME = "faketime/libfaketime.so.1";
const AHEAD_S = 3600;

export interface LibfaketimeTool {
  /** The library to preload into a program that needs another wall clock. */
  readonly library: string;
}

/** Provides libfaketime: that of the machine, or unpacked from the distribution. @throws Skip */
export async function provideLibfaketime(): Promise<LibfaketimeTool> {
  if (process.platform !== "linux") throw new Skip("libfaketime is used on Linux alone");
  const library = (await findHere()) ?? (await findIn(await unpackPackage("libfaketime")));
  if (library === undefined) throw new Skip(`the package libfaketime has no ${NAME}`);
  return await tryLibrary(library);
}

/** Finds libfaketime without downloading it: that of the machine, or one unpacked before. @throws Skip */
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

/** Creates the environment of a program whose wall clock is ahead. */
export function createClockAheadEnvironment(tool: LibfaketimeTool, seconds: number): Record<string, string> {
  return { ...createClockEnvironment(tool), FAKETIME: `+${seconds}s` };
}

/**
 * Creates the environment of a program whose wall clock has the offset in the file, such as `+1.5s`, which may change.
 */
export function createClockFileEnvironment(tool: LibfaketimeTool, file: string): Record<string, string> {
  return { ...createClockEnvironment(tool), FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: "1" };
}

// Durations are not affected. The C library allocates memory, because jemalloc asks for the time when it starts, while
// libfaketime needs memory before it can answer.
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
