import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runTool } from "./tools.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Files and folders whose changes make the packed tarballs outdated. */
const SOURCES = [
  "app",
  "cli",
  "components",
  "lib",
  "packages",
  "public",
  "server",
  "package.json",
  "next.config.js",
];

/** The version that all npm packages share. @type {string} */
export const version = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version;

/**
 * Runs `npm run pack` unless the tarball of `lockkeeper` is newer than the sources. Returns a text with the size of the
 * tarball, which notes if the tarball already existed.
 */
export function packIfOutdated() {
  const tarball = join(ROOT, `dist/lockkeeper-${version}.tgz`);
  const isCurrent = existsSync(tarball) && statSync(tarball).mtimeMs > findNewestChange();
  if (!isCurrent) runTool("npm", ["run", "--silent", "pack"], { cwd: ROOT });
  return `${(statSync(tarball).size / 1_000_000).toFixed(1)} MB packed${isCurrent ? ", already built" : ""}`;
}

function findNewestChange() {
  const names = runTool("git", ["ls-files", "-z", ...SOURCES], { cwd: ROOT }).split("\0");
  const files = names.filter((name) => name !== "").map((name) => join(ROOT, name));
  return Math.max(...files.filter((file) => existsSync(file)).map((file) => statSync(file).mtimeMs));
}
