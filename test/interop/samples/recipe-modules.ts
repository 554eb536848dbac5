import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../children.ts";

const MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const TSC = join(MODULES, ".bin/tsc");
const COMPILE_MS = 60_000;
const CLIENT = fileURLToPath(new URL("../../../packages/client/index.ts", import.meta.url));

/**
 * Creates the `node_modules` of a reader's project. The sources of `@lockkeeper/client` take the place of the package.
 */
export async function linkModules(dir: string): Promise<void> {
  const client = join(dir, "node_modules/@lockkeeper/client");
  await mkdir(client, { recursive: true });
  const manifest = { name: "@lockkeeper/client", type: "module", exports: "./index.ts" };
  await writeFile(join(client, "package.json"), JSON.stringify(manifest));
  await symlink(CLIENT, join(client, "index.ts"));
  await symlink(join(MODULES, "ioredis"), join(dir, "node_modules/ioredis"));
}

/**
 * Checks the types of the TypeScript files in `dir` with the strictest settings of a reader's project.
 *
 * @throws Error with the first type error
 */
export async function checkTypes(dir: string): Promise<void> {
  const compilerOptions = {
    module: "nodenext",
    target: "es2024",
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    // Required because the sources of the client import files with the extension .ts.
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ["node"],
    typeRoots: [join(MODULES, "@types")],
  };
  await writeFile(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.mts"] }));
  await run(TSC, ["-p", dir], { limitMs: COMPILE_MS });
}
