import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { applyEdit } from "./create-mutant.ts";
import { SEVERAL_LOCKS_MUTANTS } from "./several-locks.ts";

const ROOT = new URL("../../../", import.meta.url);

it.each(SEVERAL_LOCKS_MUTANTS)("mutant $name applies to the current sources", ({ edits }) => {
  for (const edit of edits) {
    const text = readFileSync(new URL(edit.file, ROOT), "utf8");
    expect(applyEdit(text, edit)).not.toBe(text);
  }
});
