import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { reasonOf } from "../figure.ts";
import { progress } from "../progress.ts";
import { ROOT } from "../root.ts";
import { unpackPackage } from "./debian.ts";

/** Lock servers that others run, by the Debian package that has them. */
export const PACKAGES = { etcd: "etcd-server", webdis: "webdis" } as const;

export type Program = keyof typeof PACKAGES;

/** A program that can be started, or the reason why there is none. */
export type Found = { readonly path: string } | { readonly missing: string };

/** Value of a variable that leaves its program out. */
const NONE = "none";

export const variableOf = (name: Program) => `LOCKKEEPER_BENCH_${name.toUpperCase()}`;

/**
 * Finds a program: the one that its variable names (`LOCKKEEPER_BENCH_ETCD`), the one on PATH, or the one of the
 * distribution's package, unpacked into `.cache` without root. Never throws: a machine without it measures the rest.
 */
export async function findProgram(
  name: Program,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Found> {
  const named = environment[variableOf(name)];
  if (named === NONE) return { missing: `not available here: ${variableOf(name)} is ${NONE}` };
  if (named) {
    return isExecutable(named)
      ? { path: named }
      : { missing: `not available here: ${variableOf(name)} names ${named}, which cannot be executed` };
  }
  const folders = (environment.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const path = folders.map((folder) => join(folder, name)).find(isExecutable);
  if (path !== undefined) return { path };
  return await unpacked(name);
}

/** Environment that makes another checkout use the programs of this one. */
export async function programEnvironment(): Promise<Record<string, string>> {
  const environment: Record<string, string> = {};
  for (const name of Object.keys(PACKAGES) as Program[]) {
    const found = await findProgram(name);
    if ("missing" in found) progress(`${name}: ${found.missing}`);
    environment[variableOf(name)] = "path" in found ? found.path : NONE;
  }
  return environment;
}

async function unpacked(name: Program): Promise<Found> {
  const dir = join(ROOT, ".cache/bench", `${process.platform}-${process.arch}`, name);
  try {
    return { path: await unpackPackage({ package: PACKAGES[name], program: name, dir }) };
  } catch (error) {
    const todo = `Install ${PACKAGES[name]}, or name a program in ${variableOf(name)}.`;
    return { missing: `not available here: ${reasonOf(error)} ${todo}` };
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
