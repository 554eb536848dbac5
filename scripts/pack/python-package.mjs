// Builds the wheel and the sdist of the Python package, without network access or other packages.
import { accessSync, constants, mkdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { runChild, StepError } from "../steps/child.mjs";
import { DIST, ROOT } from "./package-files.mjs";

export const PYTHON_PACKAGE = join(ROOT, "packages/python");

/** Returns the path of `python3`, or `undefined` if this machine does not have it. */
export function findPython() {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "python3"))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Returns the version of the Python package. */
export function readPythonVersion() {
  const text = readFileSync(join(PYTHON_PACKAGE, "src/lockkeeper/_version.py"), "utf8");
  return /"(.+)"/.exec(text)?.[1];
}

/**
 * Writes the wheel and the sdist. Identical files produce identical bytes.
 *
 * @param {string} python
 * @param {string} [folder]
 * @returns {Promise<{ wheel: string, sdist: string }>} the paths of the files
 * @throws {StepError} if the build fails
 */
export async function packPython(python, folder = DIST) {
  mkdirSync(folder, { recursive: true });
  const builder = join(PYTHON_PACKAGE, "build_backend.py");
  const { code, output } = await runChild(python, [builder, folder], { cwd: PYTHON_PACKAGE, capture: true });
  if (code !== 0) throw new StepError(`${python} ${builder} failed:\n${output}`);
  const [wheel = "", sdist = ""] = output.trim().split("\n");
  return { wheel: join(folder, wheel), sdist: join(folder, sdist) };
}
