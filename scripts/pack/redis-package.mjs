// Builds the package @lockkeeper/redis from the files that packages/redis/index.ts imports.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { runChild, StepError } from "../steps/child.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DIST = join(ROOT, "dist");
const PACKAGE = join(DIST, "redis");
/** The same as in packages/redis/tsconfig.json. Files in it have the same layout as in the repository. */
const COMPILED = join(PACKAGE, "esm");
const ENTRY = "packages/redis/index";

/** The only packages that the library may import: no web framework, logger or tracing. */
const DEPENDENCIES = ["cluster-key-slot", "ioredis", "zod"];

/**
 * @typedef {object} Packed
 * @property {string} tarball path of the tarball
 * @property {number} modules number of compiled source files
 * @property {number} scripts number of Lua files
 * @property {number} packedBytes
 * @property {number} unpackedBytes
 * @property {number} files number of files in the tarball
 * @property {string[]} dependencies
 */

/**
 * Compiles the library to dist/redis and packs it to dist/lockkeeper-redis-<version>.tgz.
 *
 * @returns {Promise<Packed>}
 */
export async function packRedisLibrary() {
  rmSync(PACKAGE, { recursive: true, force: true });
  await run(join(ROOT, "node_modules/.bin/tsc"), ["--project", "packages/redis"], ROOT);
  const compiled = listFiles(COMPILED);
  const modules = compiled.filter((file) => file.endsWith(".js"));
  for (const file of compiled.filter((file) => file.endsWith(".d.ts"))) renameImports(file);
  const scripts = copyScripts(modules);
  const dependencies = findDependencies(modules);
  writeFileSync(join(PACKAGE, "package.json"), `${JSON.stringify(createManifest(dependencies), null, 2)}\n`);
  copyFileSync(join(ROOT, "packages/redis/README.md"), join(PACKAGE, "README.md"));
  copyFileSync(join(ROOT, "LICENSE"), join(PACKAGE, "LICENSE"));
  const output = await run("npm", ["pack", "--json", "--silent", "--pack-destination", DIST], PACKAGE);
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(output.slice(output.indexOf("[")));
  return {
    tarball: join(DIST, filename),
    modules: modules.length,
    scripts,
    packedBytes: size,
    unpackedBytes: unpackedSize,
    files: entryCount,
    dependencies,
  };
}

/**
 * Changes the imports in a declaration file to `.js`, because tsc only does this for JavaScript. @param {string} file
 */
function renameImports(file) {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/((?:from |import\()"\.[^"]+)\.ts"/g, '$1.js"'));
}

/**
 * Copies the Lua files of each folder that contains a compiled module, and of its subfolders, because a format whose
 * verbs are only Lua has no module.
 *
 * @param {readonly string[]} modules
 */
function copyScripts(modules) {
  const folders = new Set(modules.map((file) => relative(COMPILED, dirname(file))));
  const scripts = new Set(
    [...folders].flatMap((folder) => listFiles(join(ROOT, folder))).filter((file) => file.endsWith(".lua")),
  );
  for (const file of scripts) {
    const copy = join(COMPILED, relative(ROOT, file));
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(file, copy);
  }
  return scripts.size;
}

/**
 * Returns the packages that the modules import at run time.
 *
 * @param {readonly string[]} modules
 * @throws {StepError} if a package is not in DEPENDENCIES
 */
function findDependencies(modules) {
  const found = new Set();
  for (const file of modules) {
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(
      /^(?:import|export)\s[^"=();]*"([^"]+)";/gm,
    )) {
      if (name.startsWith(".") || name.startsWith("node:")) continue;
      if (!DEPENDENCIES.includes(name))
        throw new StepError(
          `${relative(COMPILED, file)} imports ${name}; @lockkeeper/redis may depend on ${DEPENDENCIES.join(", ")} only.`,
        );
      found.add(name);
    }
  }
  return [...found].sort();
}

/** @param {readonly string[]} dependencies */
function createManifest(dependencies) {
  const root = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return {
    name: "@lockkeeper/redis",
    version: root.version,
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
    license: root.license,
    type: "module",
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

/** @param {string} folder @returns {string[]} */
function listFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 */
async function run(command, args, cwd) {
  const { code, output } = await runChild(command, args, { cwd, capture: true });
  if (code !== 0) throw new StepError(`${command} ${args.join(" ")} failed:\n${output}`);
  return output;
}
