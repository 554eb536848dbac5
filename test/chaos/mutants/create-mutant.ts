import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Edit, Mutant } from "./mutant.ts";

/** What the core is made of. */
const PARTS = ["server", "lib", "package.json"];

/** Makes a copy of the core with one thing wrong. It lies within the project, where its packages are found. */
export function createMutant({ name, edits }: Mutant, project: string): string {
  const folder = join(project, ".cache", "chaos-mutants", name);
  rmSync(folder, { recursive: true, force: true });
  for (const part of PARTS) cpSync(join(project, part), join(folder, part), { recursive: true });
  for (const edit of edits) {
    const path = join(folder, edit.file);
    writeFileSync(path, applyEdit(readFileSync(path, "utf8"), edit));
  }
  return folder;
}

/** @throws Error when the core has changed, so that it is not clear any more where the edit belongs */
export function applyEdit(text: string, { file, find, instead }: Edit): string {
  const [before, after, ...more] = text.split(find);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(
      `${file} has ${more.length === 0 ? "nothing" : "more than one place"} that reads: ${find}`,
    );
  }
  return `${before}${instead}${after}`;
}
