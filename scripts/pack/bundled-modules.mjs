// Bundles the modules that the console needs into the package lockkeeper, so that npm does not install them as
// dependencies.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { copyTo, ROOT } from "./package-files.mjs";

/**
 * Fields that are removed from the package.json of a bundled package, because npm would install, link or run files that
 * were not copied.
 */
const DROPPED_FIELDS = [
  "bin",
  "dependencies",
  "devDependencies",
  "files",
  "optionalDependencies",
  "peerDependencies",
  "peerDependenciesMeta",
  "scripts",
];
export const LICENSE_FILE = /^(?:license|licence|notice|copying)(?:\.\w+)?$/i;

/**
 * Copies files of installed packages, with their licenses and a reduced package.json.
 *
 * @param {readonly string[]} files paths that begin with `node_modules/`
 * @param {{ target: string, separate: readonly string[] }} options `separate`: packages that are not copied because npm
 * installs them
 * @returns {Record<string, string>} the version of each copied package, by its name
 */
export function bundleModules(files, { target, separate }) {
  const copied = files.filter((file) => !separate.includes(getPackageName(file)));
  for (const file of copied) copyTo(join(ROOT, file), join(target, file));
  for (const folder of new Set(copied.map((file) => dirname(file)))) copyLicenses(folder, target);
  for (const folder of new Set(copied.map(getPackageFolder))) {
    copyLicenses(folder, target);
    reduceManifest(folder, target);
  }
  return Object.fromEntries(
    [...new Set(copied.map(getPackageName))].map((name) => {
      const { version } = JSON.parse(readFileSync(join(ROOT, "node_modules", name, "package.json"), "utf8"));
      return [name, version];
    }),
  );
}

/** Returns the name of the package directly in `node_modules` that contains a file. @param {string} file */
function getPackageName(file) {
  const [, first = "", second = ""] = file.split("/");
  return first.startsWith("@") ? `${first}/${second}` : first;
}

/**
 * Returns the folder of the package that contains a file. For nested packages, this is the innermost one.
 *
 * @param {string} file
 */
function getPackageFolder(file) {
  const start = file.lastIndexOf("node_modules/");
  return `${file.slice(0, start)}node_modules/${getPackageName(file.slice(start))}`;
}

/** @param {string} folder @param {string} target */
function copyLicenses(folder, target) {
  for (const name of readdirSync(join(ROOT, folder)).filter((name) => LICENSE_FILE.test(name)))
    copyTo(join(ROOT, folder, name), join(target, folder, name));
}

/** @param {string} folder @param {string} target */
function reduceManifest(folder, target) {
  const original = join(ROOT, folder, "package.json");
  if (!existsSync(original)) return;
  const manifest = JSON.parse(readFileSync(original, "utf8"));
  for (const field of DROPPED_FIELDS) delete manifest[field];
  const copy = join(target, folder, "package.json");
  copyTo(original, copy);
  writeFileSync(copy, `${JSON.stringify(manifest, null, 2)}\n`);
}
