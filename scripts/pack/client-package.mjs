// Builds the package @lockkeeper/client from the files that packages/client/index.ts and latch.ts import.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { StepError } from "../steps/child.mjs";
import {
  compile,
  copyTo,
  DIST,
  findDependencies,
  listFiles,
  packFolder,
  ROOT,
  readSharedFields,
  renameDeclarationImports,
} from "./package-files.mjs";

const PACKAGE = join(DIST, "client");
/** The output folder of packages/client/tsconfig.json. It has the same layout as the repository. */
const COMPILED = join(PACKAGE, "esm");
const ENTRIES = "packages/client";
/** A folder of which the package uses only the types. Its compiled code is removed, because its schemas need zod. */
const TYPES_ONLY = "lib/contract";

/**
 * Compiles the client to dist/client and packs it to dist/lockkeeper-client-<version>.tgz.
 *
 * @returns {Promise<import("./package-files.mjs").Packed>}
 */
export async function packClient() {
  rmSync(PACKAGE, { recursive: true, force: true });
  await compile("packages/client");
  rmSync(join(COMPILED, TYPES_ONLY), { recursive: true, force: true });
  const compiled = listFiles(COMPILED);
  const modules = compiled.filter((file) => file.endsWith(".js"));
  for (const file of compiled) assertPortable(file);
  renameDeclarationImports(compiled);
  const dependencies = findDependencies(COMPILED, modules, []);
  writeFileSync(join(PACKAGE, "package.json"), `${JSON.stringify(createManifest(), null, 2)}\n`);
  copyTo(join(ROOT, "packages/client/README.md"), join(PACKAGE, "README.md"));
  copyTo(join(ROOT, "LICENSE"), join(PACKAGE, "LICENSE"));
  return { ...(await packFolder(PACKAGE)), modules: modules.length, scripts: 0, dependencies };
}

/** @param {string} file @throws {StepError} if the file imports a Node module or a module that is not in the package */
function assertPortable(file) {
  const [found] = /\bfrom "(?:node:[^"]*|[^"]*contract\/[^"]*)"/.exec(readFileSync(file, "utf8")) ?? [];
  if (found === undefined) return;
  throw new StepError(
    `${relative(COMPILED, file)} has an import ${found}; @lockkeeper/client runs without Node and zod.`,
  );
}

/** @param {string} entry */
function createExport(entry) {
  return { types: `./esm/${ENTRIES}/${entry}.d.ts`, default: `./esm/${ENTRIES}/${entry}.js` };
}

function createManifest() {
  return {
    name: "@lockkeeper/client",
    ...readSharedFields(),
    description:
      "Distributed locks over the HTTP API of a Lockkeeper server, with fencing tokens and automatic renewal",
    keywords: ["lock", "mutex", "distributed-lock", "redis", "valkey", "http", "fetch", "fencing-token"],
    sideEffects: false,
    engines: { node: ">=20.3" },
    exports: {
      ".": createExport("index"),
      "./latch": createExport("latch"),
      "./package.json": "./package.json",
    },
    types: `./esm/${ENTRIES}/index.d.ts`,
    files: ["esm"],
  };
}
