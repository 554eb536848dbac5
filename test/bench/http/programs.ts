import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { formatReason } from "../figure.ts";
import { reportProgress } from "../progress.ts";
import { ROOT } from "../root.ts";
import { unpackPackage } from "./debian.ts";

/** Other lock servers, by the Debian package that contains them. */
export const PACKAGES = { etcd: "etcd-server", webdis: "webdis" } as const;

export type Program = keyof typeof PACKAGES;

/** A program that can be started, or why there is none. */
export type Found = { readonly path: string } | { readonly missing: string };

/** Value of the variable that leaves the program out. */
const NONE = "none";

export const getVariable = (name: Program) => `LOCKKEEPER_BENCH_${name.toUpperCase()}`;

/**
 * Finds a program: the one that its variable names (`LOCKKEEPER_BENCH_ETCD`), the one on PATH, or the one of the
 * distribution's package, unpacked into `.cache` without root. Never throws: a machine without it measures the rest.
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

/** Returns the variables with which another checkout uses the programs of this one. */
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
