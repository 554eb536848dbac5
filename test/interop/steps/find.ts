import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Finds an executable program by its name on PATH or in one of the folders. Undefined if there is none. */
export function findProgram(name: string, folders: readonly string[] = []): string | undefined {
  const places = [...(process.env.PATH ?? "").split(delimiter), ...folders];
  return places.map((place) => join(place, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
