import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Edit, Mutant } from "./mutant.ts";

/** Files and folders that are copied for a mutant. */
const PARTS = ["server", "lib", "package.json"];

/**
 * Creates a copy of the lock core with one fault and returns its folder. The folder is inside the project, so that
 * imports of packages resolve.
 */
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

/** Applies an edit. @throws Error unless the text to replace occurs exactly once */
export function applyEdit(text: string, { file, find, instead }: Edit): string {
  const [before, after, ...more] = text.split(find);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(
      `${file} has ${more.length === 0 ? "nothing" : "more than one place"} that reads: ${find}`,
    );
  }
  return `${before}${instead}${after}`;
}
