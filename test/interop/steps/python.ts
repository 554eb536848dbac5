import { run } from "../children.ts";
import { formatReason, Skip } from "../skip.ts";
import { provideCachedDir, readLocalFile } from "./cached-dir.ts";
import { findProgram } from "./find.ts";

const INSTALL_MS = 90_000;

export interface PythonTool {
  readonly python: string;
  /** The folder for PYTHONPATH. */
  readonly library: string;
}

/** Provides redis-py. @throws Skip */
export function provideRedisPy(): Promise<PythonTool> {
  return providePackages("redis-py", "requirements.txt");
}

/** Provides the lock libraries based on redis-py, and redis-py itself. @throws Skip */
export function providePythonLocks(): Promise<PythonTool> {
  return providePackages("python-locks", "requirements-locks.txt");
}

/** Provides the drivers of PostgreSQL and MySQL, and redis-py, for recipes. @throws Skip */
export function providePythonDatabases(): Promise<PythonTool> {
  return providePackages("python-databases", "requirements-databases.txt");
}

/** Provides openapi-python-client, what its clients need, and a type checker. @throws Skip */
export function providePythonGenerator(): Promise<PythonTool> {
  return providePackages("python-generator", "requirements-generator.txt");
}

/** Provides schemathesis, which generates requests from an OpenAPI document. @throws Skip */
export function provideSchemathesis(): Promise<PythonTool> {
  return providePackages("schemathesis", "requirements-schemathesis.txt");
}

/** Installs packages into a separate folder, without changing the machine's Python. */
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
