// Installs the tarball of a package in an empty folder, runs its example and compiles programs against it.
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../pack/package-files.mjs";
import { runChild } from "../steps/child.mjs";
import { check } from "./checks.mjs";
import { findNode } from "./node-binaries.mjs";

const NODE_VERSIONS = [20, 24];

const folder = realpathSync(mkdtempSync(join(tmpdir(), "lockkeeper-package-")));
process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @param {Record<string, string | undefined>} [env]
 */
async function run(command, args, cwd, env = {}) {
  const { code, output } = await runChild(command, args, {
    cwd,
    env: { NODE_OPTIONS: undefined, ...env },
    capture: true,
  });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with exit code ${code}:\n${output}`);
  return output;
}

/**
 * @param {string} dir
 * @param {string[]} packages
 */
function install(dir, packages) {
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  return run("npm", ["install", ...options, ...packages], dir);
}

/**
 * Builds a package and installs its tarball in an empty folder.
 *
 * @param {string} name name of the package's folder in `packages`
 * @param {() => Promise<import("../pack/package-files.mjs").Packed>} pack
 * @returns {Promise<string | undefined>} the folder of the installation, or `undefined` if a step failed
 */
export async function installPackage(name, pack) {
  const app = join(folder, name);
  let tarball = "";
  const isPacked = await check(`npm run pack builds packages/${name}`, async () => {
    const packed = await pack();
    tarball = packed.tarball;
    return `${packed.files} files, ${(packed.packedBytes / 1000).toFixed(0)} kB packed, ${(packed.unpackedBytes / 1000).toFixed(0)} kB unpacked`;
  });
  if (!isPacked) return undefined;
  const isInstalled = await check(`npm installs the tarball of ${name} in an empty folder`, async () => {
    mkdirSync(app);
    writeFileSync(join(app, "package.json"), JSON.stringify({ private: true }));
    await install(app, [tarball]);
    const installed = await run("npm", ["ls", "--all", "--parseable"], app);
    return `${installed.trim().split("\n").length - 1} packages, dependencies included`;
  });
  return isInstalled ? app : undefined;
}

/**
 * Runs the example of a package on each version of Node, without a loader.
 *
 * @param {string} name name of the package's folder in `packages`
 * @param {string} app in which the package is installed
 * @param {{ env: Record<string, string>, printed: RegExp, afterwards: () => Promise<void> }} options
 */
export async function proveExample(name, app, { env, printed, afterwards }) {
  copyFileSync(join(ROOT, "packages", name, "example.mjs"), join(app, "example.mjs"));
  for (const major of NODE_VERSIONS) {
    await check(`the example of ${name} runs on Node ${major} without a loader`, async () => {
      const node = await findNode(major, folder);
      const output = await run(node, ["example.mjs"], app, env);
      if (!printed.test(output)) throw new Error(`it printed:\n${output}`);
      await afterwards();
      return (await run(node, ["--version"], app)).trim();
    });
  }
}

/** Compiler options for applications with the types of Node and for applications with the types of browsers. */
const PLATFORMS = { node: { types: ["node"] }, browser: { types: [], lib: ["es2022", "dom"] } };

/**
 * Compiles a program against the installed package with the option `strict`.
 *
 * @param {string} app in which the package is installed
 * @param {string} program file name of the program in `scripts/prove`
 * @param {keyof typeof PLATFORMS} platform
 */
export function proveTypes(app, program, platform) {
  return check(`${program} compiles for ${platform} with strict and without skipLibCheck`, async () => {
    if (platform === "node") {
      const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
      await install(app, ["--save-dev", `@types/node@${devDependencies["@types/node"]}`]);
    }
    copyFileSync(join(ROOT, "scripts/prove", program), join(app, program));
    const compilerOptions = {
      target: "es2022",
      module: "nodenext",
      moduleResolution: "nodenext",
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
      ...PLATFORMS[platform],
    };
    writeFileSync(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [program] }));
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    await run(process.execPath, [tsc], app);
    return (await run(process.execPath, [tsc, "--version"], app)).trim();
  });
}
