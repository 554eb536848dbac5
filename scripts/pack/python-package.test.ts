import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { readRootManifest } from "./package-files.mjs";
import { findPython, packPython, readPythonVersion } from "./python-package.mjs";

const python = findPython();

it("the Python package has the version of the product", () => {
  expect(readPythonVersion()).toBe(readRootManifest().version);
});

it.skipIf(python === undefined)(
  "the wheel and the sdist are the same bytes each time",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "lockkeeper-wheel-"));
    try {
      const builds = [];
      for (const name of ["first", "second"]) {
        const { wheel, sdist } = await packPython(python ?? "", join(folder, name));
        expect(basename(wheel)).toBe(`lockkeeper-${readPythonVersion()}-py3-none-any.whl`);
        expect(basename(sdist)).toBe(`lockkeeper-${readPythonVersion()}.tar.gz`);
        builds.push([readFileSync(wheel), readFileSync(sdist)]);
      }
      expect(builds[0]).toEqual(builds[1]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  30_000,
);
