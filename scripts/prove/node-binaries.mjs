import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runChild } from "../steps/child.mjs";

/**
 * Returns the path of a Node executable with the given major version: the Node that runs this script if the version
 * matches, otherwise one installed from npm.
 *
 * @param {number} major
 * @param {string} folder folder in which Node is installed if necessary
 */
export async function findNode(major, folder) {
  if (Number.parseInt(process.versions.node, 10) === major) return process.execPath;
  const dir = join(folder, `node-${major}`);
  const name = `node-${process.platform}-${process.arch}`;
  const binary = join(dir, "node_modules", name, "bin/node");
  if (existsSync(binary)) return binary;
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true }));
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { code, output } = await runChild("npm", ["install", ...options, `${name}@${major}`], {
    cwd: dir,
    env: { NODE_OPTIONS: undefined },
    capture: true,
  });
  if (code !== 0) throw new Error(`npm could not install Node ${major}:\n${output}`);
  return binary;
}
