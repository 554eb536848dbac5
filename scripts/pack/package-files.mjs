// Functions for building npm packages.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { runChild, StepError } from "../steps/child.mjs";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const DIST = join(ROOT, "dist");

/**
 * @typedef {object} Packed
 * @property {string} tarball path of the tarball
 * @property {number} modules number of compiled source files
 * @property {number} scripts number of Lua files
 * @property {number} packedBytes
 * @property {number} unpackedBytes
 * @property {number} files number of files in the tarball
 * @property {string[]} dependencies names of the packages that npm installs with it
 */

/**
 * Reads the package.json of the repository, which defines the version of all packages and the ranges of their
 * dependencies.
 *
 * @returns {{ version: string, license: string, repository?: object, dependencies: Record<string, string> }}
 */
export function readRootManifest() {
  return JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
}

/** Returns the fields of package.json that are the same in every package. */
export function readSharedFields() {
  const { version, license, repository } = readRootManifest();
  // The field "repository" is missing until the release workflow sets it.
  return { version, license, ...(repository && { repository }), type: "module" };
}

/** Compiles a package. @param {string} folder folder with the package's tsconfig.json, relative to the repository */
export async function compile(folder) {
  await run(join(ROOT, "node_modules/.bin/tsc"), ["--project", folder], ROOT);
}

/**
 * Renames the imported `.ts` files in declaration files to `.js`. tsc only does this in JavaScript files.
 *
 * @param {readonly string[]} files files of any type; only `.d.ts` files are changed
 */
export function renameDeclarationImports(files) {
  for (const file of files.filter((file) => file.endsWith(".d.ts"))) {
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace(/((?:from |import\()"\.[^"]+)\.ts"/g, '$1.js"'));
  }
}

/**
 * Copies the Lua files from each folder that contains a compiled module, including subfolders. A format that consists
 * only of Lua files has no module in its own folder.
 *
 * @param {string} compiled output folder of the compiler, with the same layout as the repository
 * @param {readonly string[]} modules
 */
export function copyScripts(compiled, modules) {
  const folders = new Set(modules.map((file) => relative(compiled, dirname(file))));
  const scripts = new Set(
    [...folders].flatMap((folder) => listFiles(join(ROOT, folder))).filter((file) => file.endsWith(".lua")),
  );
  for (const file of scripts) copyTo(file, join(compiled, relative(ROOT, file)));
  return scripts.size;
}

/**
 * Returns the packages that the modules import at run time.
 *
 * @param {string} compiled
 * @param {readonly string[]} modules
 * @param {readonly string[]} allowed packages that the modules may import
 * @throws {StepError} if a module imports any other package
 */
export function findDependencies(compiled, modules, allowed) {
  const found = new Set();
  for (const file of modules) {
    for (const specifier of listImports(readFileSync(file, "utf8"))) {
      const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
      if (!allowed.includes(name))
        throw new StepError(
          `${relative(compiled, file)} imports ${name}; the package may depend on ${allowed.join(", ")} only.`,
        );
      found.add(name);
    }
  }
  return [...found].sort();
}

/**
 * Lists the packages that compiled code imports, statically or by `import()` with a string literal.
 *
 * @param {string} code
 */
function listImports(code) {
  const matches = [
    ...code.matchAll(/^(?:import|export)\s[^"=();]*"([^"]+)"/gm),
    ...code.matchAll(/\bimport\("([^"]+)"\)/g),
  ];
  return matches
    .map(([, specifier = ""]) => specifier)
    .filter((specifier) => !specifier.startsWith(".") && !specifier.startsWith("node:"));
}

/**
 * Packs a folder into a tarball in `dist`.
 *
 * @param {string} folder
 * @returns {Promise<Pick<Packed, "tarball" | "packedBytes" | "unpackedBytes" | "files">>}
 */
export async function packFolder(folder) {
  const output = await run("npm", ["pack", "--json", "--silent", "--pack-destination", DIST], folder);
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(output.slice(output.indexOf("[")));
  return {
    tarball: join(DIST, filename),
    packedBytes: size,
    unpackedBytes: unpackedSize,
    files: entryCount,
  };
}

/** @param {string} file @param {string} copy */
export function copyTo(file, copy) {
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(file, copy);
}

/** @param {string} folder @returns {string[]} */
export function listFiles(folder) {
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
