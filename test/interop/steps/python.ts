import { run } from "../children.ts";
import { formatReason, Skip } from "../skip.ts";
import { provideCachedDir, readLocalFile } from "./cached-dir.ts";
import { findProgram } from "./find.ts";

const INSTALL_MS = 90_000;

export interface PythonTool {
  readonly python: string;
  /** Folder of the installed packages, used as PYTHONPATH. */
  readonly library: string;
}

/**
 * Installs redis-py.
 *
 * @throws Skip if Python is not available or the installation fails
 */
export function provideRedisPy(): Promise<PythonTool> {
  return providePackages("redis-py", "requirements.txt");
}

/**
 * Installs redis-py and the lock libraries that use it.
 *
 * @throws Skip if Python is not available or the installation fails
 */
export function providePythonLocks(): Promise<PythonTool> {
  return providePackages("python-locks", "requirements-locks.txt");
}

/**
 * Installs redis-py and the drivers of PostgreSQL and MySQL, which the recipes use.
 *
 * @throws Skip if Python is not available or the installation fails
 */
export function providePythonDatabases(): Promise<PythonTool> {
  return providePackages("python-databases", "requirements-databases.txt");
}

/**
 * Installs openapi-python-client, the dependencies of generated clients, and a type checker.
 *
 * @throws Skip if Python is not available or the installation fails
 */
export function providePythonGenerator(): Promise<PythonTool> {
  return providePackages("python-generator", "requirements-generator.txt");
}

/**
 * Installs schemathesis, which generates requests from an OpenAPI document.
 *
 * @throws Skip if Python is not available or the installation fails
 */
export function provideSchemathesis(): Promise<PythonTool> {
  return providePackages("schemathesis", "requirements-schemathesis.txt");
}

/** Installs packages into a folder in the cache, so that the Python installation of the machine does not change. */
async function providePackages(what: string, file: string): Promise<PythonTool> {
  const python = findProgram("python3");
  if (python === undefined) throw new Skip("no Python on this machine");
  const requirements = readLocalFile("python", file);
  const version = await run(python, ["--version"], { limitMs: 10_000 }).catch((error: unknown) => {
    throw new Skip(`Python does not run here: ${formatReason(error)}`);
  });
  const library = await provideCachedDir(what, [requirements, version], async (dir) => {
    const names = requirements.split("\n").filter((line) => line !== "");
    const pip = ["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", "--target"];
    await run(python, [...pip, dir, ...names], { limitMs: INSTALL_MS }).catch((error: unknown) => {
      throw new Skip(`${what} cannot be had: ${formatReason(error)}`);
    });
  });
  return { python, library };
}
