import { run } from "../children.ts";
import { formatReason, Skip } from "../skip.ts";
import { provideCachedDir, readLocalFile } from "./cached-dir.ts";
import { findProgram } from "./find.ts";

const INSTALL_MS = 90_000;

export interface PythonTool {
  readonly python: string;
  /** For PYTHONPATH. */
  readonly library: string;
}

/** redis-py. @throws Skip */
export function provideRedisPy(): Promise<PythonTool> {
  return providePackages("redis-py", "requirements.txt");
}

/** The libraries that put locks on top of redis-py, with it. @throws Skip */
export function providePythonLocks(): Promise<PythonTool> {
  return providePackages("python-locks", "requirements-locks.txt");
}

/** Drivers of PostgreSQL and MySQL, and redis-py, which recipes use. @throws Skip */
export function providePythonDatabases(): Promise<PythonTool> {
  return providePackages("python-databases", "requirements-databases.txt");
}

/** openapi-python-client, what its clients need, and a checker of types. @throws Skip */
export function providePythonGenerator(): Promise<PythonTool> {
  return providePackages("python-generator", "requirements-generator.txt");
}

/** schemathesis, which generates requests from an OpenAPI document. @throws Skip */
export function provideSchemathesis(): Promise<PythonTool> {
  return providePackages("schemathesis", "requirements-schemathesis.txt");
}

/** Packages in a folder of their own; nothing of the machine's Python is changed. */
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
