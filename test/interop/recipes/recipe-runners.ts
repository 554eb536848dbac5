import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT_KEY, type TestServer } from "../../support/test-server.ts";
import { addCleanUp } from "../children.ts";
import { linkModules } from "../samples/recipe-modules.ts";
import { readRecipe } from "../samples/recipe-texts.ts";
import { startProgram } from "../samples/running-program.ts";
import type { NpmTool } from "../steps/npm.ts";
import type { PythonTool } from "../steps/python.ts";

const PYTHON_PACKAGE = join(import.meta.dirname, "../../../packages/python/src");
const TSX = import.meta.resolve("tsx");
/** Folders of packages in test/interop/npm, by package name. */
const NPM_PACKAGES = { pg: "pg", mysql2: "mysql2", redlock: "redlock5" };

interface Ended {
  readonly status: number | string;
  readonly output: string;
}

/** Runs a program from docs/recipes.md unchanged, with additional environment variables. */
export type RunRecipe = (name: string, server: TestServer, env: Record<string, string>) => Promise<Ended>;

export function createPythonRunner({ python, library }: PythonTool): RunRecipe {
  return async (name, server, env) => {
    const path = await writeRecipe(name, "py");
    const paths = { PYTHONPATH: `${PYTHON_PACKAGE}:${library}`, PYTHONDONTWRITEBYTECODE: "1" };
    return await runProgram([python, path], server, { ...env, ...paths });
  };
}

export function createNodeRunner(npm: NpmTool): RunRecipe {
  return async (name, server, env) => {
    const path = await writeRecipe(name, "js");
    const dir = join(path, "..");
    await linkModules(dir);
    for (const [wanted, installed] of Object.entries(NPM_PACKAGES))
      await symlink(join(npm.dir, "node_modules", installed), join(dir, "node_modules", wanted));
    return await runProgram([process.execPath, "--import", TSX, path], server, env);
  };
}

async function writeRecipe(name: string, language: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-recipe-"));
  addCleanUp(() => rm(dir, { recursive: true, force: true }));
  const path = join(dir, name);
  await writeFile(path, readRecipe(`${language} title=${name}`));
  return path;
}

async function runProgram(
  command: [string, ...string[]],
  { url }: TestServer,
  env: Record<string, string>,
): Promise<Ended> {
  const variables = { LOCKKEEPER_URL: url, LOCKKEEPER_API_KEY: ROOT_KEY };
  const program = startProgram(command, {
    cwd: join(command.at(-1) ?? "", ".."),
    env: { ...process.env, ...env, ...variables },
  });
  const status = await program.ended;
  return { status, output: program.readOutput() + program.readComplaints() };
}
