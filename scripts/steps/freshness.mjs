import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Files and folders that `next build` reads. */
export const BUILD_INPUTS = [
  "app",
  "components",
  "lib",
  "public",
  "server/global-runtime.ts",
  "next.config.js",
  "postcss.config.mjs",
  "tsconfig.json",
  "package-lock.json",
];

/**
 * Returns whether the dependencies are installed. npm writes its hidden lockfile at the end of a successful
 * installation.
 */
export function isInstalled(/** @type {string} */ root) {
  const installed = statSync(join(root, "node_modules/.package-lock.json"), { throwIfNoEntry: false });
  const wanted = statSync(join(root, "package-lock.json"), { throwIfNoEntry: false });
  return installed !== undefined && (wanted === undefined || installed.mtimeMs >= wanted.mtimeMs);
}

export function isBuilt(/** @type {string} */ root) {
  if (!statSync(join(root, ".next/BUILD_ID"), { throwIfNoEntry: false })) return false;
  return readStamp(root) === hashInputs(root);
}

/**
 * Hashes the contents of the build inputs, except tests. Modification times are not sufficient because a checkout
 * changes them.
 */
export function hashInputs(/** @type {string} */ root) {
  // The build also depends on the base path.
  const hash = createHash("sha256").update(`${process.env.LOCKKEEPER_BASE_PATH ?? ""}\0`);
  for (const input of BUILD_INPUTS) {
    for (const file of filesOf(root, input)) {
      const content = readFileSync(join(root, file));
      // Includes the length to separate the contents of consecutive files.
      hash.update(`${file}\0${content.length}\0`).update(content);
    }
  }
  return hash.digest("hex");
}

export function stampFile(/** @type {string} */ root) {
  return join(root, ".next/lockkeeper-inputs");
}

function readStamp(/** @type {string} */ root) {
  try {
    return readFileSync(stampFile(root), "utf8");
  } catch {
    return undefined;
  }
}

/**
 * @param {string} root
 * @param {string} path
 * @returns {string[]}
 */
function filesOf(root, path) {
  const stats = statSync(join(root, path), { throwIfNoEntry: false });
  if (!stats) return [];
  if (!stats.isDirectory()) return /\.test\.tsx?$/.test(path) ? [] : [path];
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => filesOf(root, `${path}/${name}`));
}
