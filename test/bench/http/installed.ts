import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** A program by its variable (`LOCKKEEPER_BENCH_ETCD`), or of that name on PATH. */
export function installed(name: string): string | undefined {
  const named = process.env[variableOf(name)];
  const folders = (process.env.PATH ?? "").split(delimiter);
  return [...(named ? [named] : []), ...folders.map((folder) => join(folder, name))].find(isExecutable);
}

export const variableOf = (name: string) => `LOCKKEEPER_BENCH_${name.toUpperCase()}`;

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
