// Collects the licenses of packages whose code is in the built console and whose license files are not in the tarball
// already.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LICENSE_FILE } from "./bundled-modules.mjs";
import { ROOT, readRootManifest } from "./package-files.mjs";

/** Dependencies whose code is not in the built console. */
const BUILD_TOOLS = ["@tailwindcss/postcss", "tsx"];

/**
 * Returns the text of THIRD-PARTY-LICENSES.txt.
 *
 * @param {readonly string[]} present packages to omit: npm installs them, or the tarball already contains them with
 * their licenses
 */
export function formatThirdPartyLicenses(present) {
  const left = [...BUILD_TOOLS, ...present];
  const roots = Object.keys(readRootManifest().dependencies).filter((name) => !left.includes(name));
  /** @type {Map<string, string>} */
  const entries = new Map();
  const wanted = roots;
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    const folder = join(ROOT, "node_modules", name);
    if (entries.has(name) || left.includes(name) || !existsSync(folder)) continue;
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    entries.set(name, formatEntry(folder, manifest));
    wanted.push(...Object.keys(manifest.dependencies ?? {}));
  }
  const texts = [...entries].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text);
  return `The console in this package contains code of these packages.\n\n${texts.join("\n")}`;
}

/**
 * @param {string} folder
 * @param {{ name: string, version: string, license?: string }} manifest
 */
function formatEntry(folder, { name, version, license = "see below" }) {
  const texts = readdirSync(folder)
    .filter((file) => LICENSE_FILE.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
  return `${"-".repeat(80)}\n${name} ${version}, ${license}\n\n${texts.join("\n\n")}\n`;
}
