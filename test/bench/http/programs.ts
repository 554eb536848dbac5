import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { formatReason } from "../figure.ts";
import { reportProgress } from "../progress.ts";
import { ROOT } from "../root.ts";
import { unpackPackage } from "./debian.ts";

/** The Debian packages that contain the other lock servers, by program name. */
export const PACKAGES = { etcd: "etcd-server", webdis: "webdis" } as const;

export type Program = keyof typeof PACKAGES;

/** The path of the program, or the reason why the program is not available. */
export type Found = { readonly path: string } | { readonly missing: string };

/** Value of the environment variable that leaves a program out. */
const NONE = "none";

export const getVariable = (name: Program) => `LOCKKEEPER_BENCH_${name.toUpperCase()}`;

/**
 * Finds a program in the environment variable for it (such as `LOCKKEEPER_BENCH_ETCD`), then on PATH, then in the
 * distribution's package, which is unpacked into `.cache` without root. Never throws, so that the other contenders are
 * measured even if the program is not available.
 */
export async function findProgram(
  name: Program,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Found> {
  const named = environment[getVariable(name)];
  if (named === NONE) return { missing: `not available here: ${getVariable(name)} is ${NONE}` };
  if (named) {
    return isExecutable(named)
      ? { path: named }
      : { missing: `not available here: ${getVariable(name)} names ${named}, which cannot be executed` };
  }
  const folders = (environment.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const path = folders.map((folder) => join(folder, name)).find(isExecutable);
  if (path !== undefined) return { path };
  return await unpackProgram(name);
}

/** Returns environment variables that make the benchmarks of another checkout use the same programs. */
export async function getProgramEnvironment(): Promise<Record<string, string>> {
  const environment: Record<string, string> = {};
  for (const name of Object.keys(PACKAGES) as Program[]) {
    const found = await findProgram(name);
    if ("missing" in found) reportProgress(`${name}: ${found.missing}`);
    environment[getVariable(name)] = "path" in found ? found.path : NONE;
  }
  return environment;
}

async function unpackProgram(name: Program): Promise<Found> {
  const dir = join(ROOT, ".cache/bench", `${process.platform}-${process.arch}`, name);
  try {
    return { path: await unpackPackage({ package: PACKAGES[name], program: name, dir }) };
  } catch (error) {
    const todo = `Install ${PACKAGES[name]}, or name a program in ${getVariable(name)}.`;
    return { missing: `not available here: ${formatReason(error)} ${todo}` };
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
