import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect } from "vitest";

const FORMATS = new URL("../../server/formats/", import.meta.url);

/** A change to one script that a test with a model must detect. */
export interface ScriptMutant {
  readonly what: string;
  /** Path of the script, relative to server/formats. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** A second change to the same script. */
  readonly also?: { readonly from: string; readonly to: string };
}

/**
 * Copies all scripts and changes one of them.
 *
 * @returns the folder of the copies, from which a writer can load scripts, and a function that deletes the folder
 */
export async function createMutatedScripts({ file, from, to, also }: ScriptMutant) {
  const folder = await mkdtemp(join(tmpdir(), "lockkeeper-mutant-"));
  await cp(fileURLToPath(FORMATS), folder, { recursive: true, filter: (path) => !path.endsWith(".ts") });
  const path = join(folder, file);
  const source = await readFile(path, "utf8");
  expect(source).toContain(from);
  const changed = source.replace(from, to);
  await writeFile(path, also === undefined ? changed : changed.replace(also.from, also.to));
  return { scripts: pathToFileURL(`${folder}/`), remove: () => rm(folder, { recursive: true }) };
}
