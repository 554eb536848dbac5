import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { FAULTS } from "../faults/catalog.ts";
import { applyEdit, createMutant } from "./create-mutant.ts";
import { MUTANTS } from "./known.ts";

const ROOT = new URL("../../../", import.meta.url);

describe("chaos mutants", () => {
  it("there are 31 mutants with different names", () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(31);
  });

  it.each(MUTANTS)(
    "mutant $name applies to the current sources and runs with existing faults",
    ({ edits, run, noticedBy }) => {
      for (const edit of edits) {
        const text = readFileSync(new URL(edit.file, ROOT), "utf8");
        expect(applyEdit(text, edit)).not.toBe(text);
      }
      expect(noticedBy).not.toEqual([]);
      for (const fault of run.faults ?? []) expect(FAULTS.has(fault)).toBe(true);
    },
  );

  it.each(MUTANTS)("mutant $name can be loaded", async (mutant) => {
    const sources = mutant.edits.map(({ file }) => file).filter((file) => file.endsWith(".ts"));
    const folder = createMutant({ ...mutant, name: `loaded-${mutant.name}` }, fileURLToPath(ROOT));
    try {
      for (const file of sources) await import(pathToFileURL(join(folder, file)).href);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("a mutant edit is rejected unless its search text occurs exactly once", () => {
    const edit = { file: "a", find: "x", instead: "y" };
    expect(applyEdit("axb", edit)).toBe("ayb");
    for (const text of ["ab", "axbx"]) expect(() => applyEdit(text, edit)).toThrow("that reads: x");
  });
});
