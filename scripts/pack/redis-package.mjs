// Builds the package @lockkeeper/redis from the files that packages/redis/index.ts imports.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  compile,
  copyScripts,
  copyTo,
  DIST,
  findDependencies,
  listFiles,
  packFolder,
  ROOT,
  readRootManifest,
  readSharedFields,
  renameDeclarationImports,
} from "./package-files.mjs";

const PACKAGE = join(DIST, "redis");
/** The output folder of packages/redis/tsconfig.json. It has the same layout as the repository. */
const COMPILED = join(PACKAGE, "esm");
const ENTRY = "packages/redis/index";

/** The only packages that the library may import. Web frameworks, loggers and tracing are excluded on purpose. */
const DEPENDENCIES = ["cluster-key-slot", "ioredis", "zod"];

/**
 * Compiles the library to dist/redis and packs it to dist/lockkeeper-redis-<version>.tgz.
 *
 * @returns {Promise<import("./package-files.mjs").Packed>}
 */
export async function packRedisLibrary() {
  rmSync(PACKAGE, { recursive: true, force: true });
  await compile("packages/redis");
  const compiled = listFiles(COMPILED);
  const modules = compiled.filter((file) => file.endsWith(".js"));
  renameDeclarationImports(compiled);
  const scripts = copyScripts(COMPILED, modules);
  const dependencies = findDependencies(COMPILED, modules, DEPENDENCIES);
  writeFileSync(join(PACKAGE, "package.json"), `${JSON.stringify(createManifest(dependencies), null, 2)}\n`);
  copyTo(join(ROOT, "packages/redis/README.md"), join(PACKAGE, "README.md"));
  copyTo(join(ROOT, "LICENSE"), join(PACKAGE, "LICENSE"));
  return { ...(await packFolder(PACKAGE)), modules: modules.length, scripts, dependencies };
}

/** @param {readonly string[]} dependencies */
function createManifest(dependencies) {
  const root = readRootManifest();
  return {
    name: "@lockkeeper/redis",
    ...readSharedFields(),
    description:
      "Distributed locks in Redis for Node, with fencing tokens, automatic renewal and leader election",
    keywords: [
      "lock",
      "mutex",
      "distributed-lock",
      "redis",
      "valkey",
      "redlock",
      "redisson",
      "leader-election",
    ],
    engines: { node: ">=20" },
    exports: {
      ".": { types: `./esm/${ENTRY}.d.ts`, default: `./esm/${ENTRY}.js` },
      "./package.json": "./package.json",
    },
    types: `./esm/${ENTRY}.d.ts`,
    files: ["esm"],
    dependencies: Object.fromEntries(dependencies.map((name) => [name, root.dependencies[name]])),
  };
}
