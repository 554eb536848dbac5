import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packPython } from "../../../scripts/pack/python-package.mjs";
import { addCleanUp, run } from "../children.ts";
import { Skip } from "../skip.ts";
import { findProgram } from "../steps/find.ts";

const LIMIT_MS = 120_000;

/**
 * Builds the Python package and installs it in an empty environment, without network access.
 *
 * @param archive `sdist` makes pip build the package from its sources
 * @returns the path of Python in the environment
 * @throws Skip if Python is not available
 */
export async function installPythonPackage(archive: "wheel" | "sdist" = "wheel"): Promise<string> {
  const base = findProgram("python3");
  if (base === undefined) throw new Skip("no Python on this machine");
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-python-"));
  addCleanUp(() => rm(dir, { recursive: true, force: true }));
  const packed = await packPython(base, dir);
  await run(base, ["-m", "venv", join(dir, "venv")], { limitMs: LIMIT_MS });
  const python = join(dir, "venv/bin/python");
  const install = ["-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check"];
  await run(python, [...install, packed[archive]], { cwd: dir, limitMs: LIMIT_MS });
  return python;
}
