// Functions that the builds of all packages share.
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
 * Reads the package.json of the repository, which has the version and the ranges of dependencies.
 *
 * @returns {{ version: string, license: string, repository?: object, dependencies: Record<string, string> }}
 */
export function readRootManifest() {
  return JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
}

/** Returns the fields that every package has in common. */
export function readSharedFields() {
  const { version, license, repository } = readRootManifest();
  // The release workflow sets the repository.
  return { version, license, ...(repository && { repository }), type: "module" };
}

/** Compiles a package. @param {string} folder with its tsconfig.json, relative to the repository */
export async function compile(folder) {
  await run(join(ROOT, "node_modules/.bin/tsc"), ["--project", folder], ROOT);
}

/**
 * Changes the imports in declaration files to `.js`, because tsc only does this for JavaScript.
 *
 * @param {readonly string[]} files only those that end with `.d.ts` are changed
 */
export function renameDeclarationImports(files) {
  for (const file of files.filter((file) => file.endsWith(".d.ts"))) {
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace(/((?:from |import\()"\.[^"]+)\.ts"/g, '$1.js"'));
  }
}

/**
 * Copies the Lua files of each folder that contains a compiled module, and of its subfolders, because a format whose
 * verbs are only Lua has no module.
 *
 * @param {string} compiled folder with the same layout as the repository
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
 * @param {readonly string[]} allowed packages that they may import
 * @throws {StepError} if they import another package
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
 * Lists the packages that compiled code imports, statically or with a literal in `import()`.
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
