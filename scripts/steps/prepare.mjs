import { rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { hashInputs, isBuilt, isInstalled, stampFile } from "./freshness.mjs";
import { withLock } from "./lock.mjs";
import { runStep } from "./progress.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Separate installations for benchmarks and tests, which `npm start` does not need. */
const APART = {
  bench: { dir: "test/bench/peers", title: "Installing the libraries that the benchmarks compare" },
  lint: { dir: "scripts/lint", title: "Installing the linters" },
  holders: { dir: "test/interop/holders/npm", title: "Installing the libraries whose locks the tests read" },
};

/**
 * Installs the dependencies and the requested separate installations, and builds the console, each only if it is
 * missing or out of date.
 *
 * @param {{ build: boolean, apart?: (keyof typeof APART)[], root?: string }} options
 */
export async function prepare({ build, apart = [], root = ROOT }) {
  const wanted = apart.map((name) => ({ title: APART[name].title, dir: join(root, APART[name].dir) }));
  const ready = () =>
    isInstalled(root) && wanted.every(({ dir }) => isInstalled(dir)) && (!build || isBuilt(root));
  if (ready()) return;
  await withLock(join(root, ".cache/setup.lock"), async (onStart) => {
    if (!isInstalled(root)) await install("Installing dependencies", root, onStart);
    for (const { title, dir } of wanted) if (!isInstalled(dir)) await install(title, dir, onStart);
    if (build && !isBuilt(root)) await buildConsole(root, onStart);
  });
}

/**
 * @param {string} title
 * @param {string} dir
 * @param {(pid: number) => void} onStart
 */
async function install(title, dir, onStart) {
  const npm = process.env.npm_execpath ?? "";
  // pnpm and yarn set npm_execpath to themselves.
  const [command, first] = basename(npm) === "npm-cli.js" ? [process.execPath, [npm]] : ["npm", []];
  // Both `npm --omit=dev start` and NODE_ENV=production are inherited; the build needs everything.
  // `npm --silent start` is inherited as well, and would hide why an installation fails.
  const rest = ["--include=dev", "--no-audit", "--no-fund", "--loglevel=warn"];
  await runStep(title, command, [...first, "ci", ...rest], { cwd: dir, onStart });
}

/**
 * @param {string} root
 * @param {(pid: number) => void} onStart
 */
async function buildConsole(root, onStart) {
  // Generated types of a dev server can refer to deleted pages, which would fail the build.
  rmSync(join(root, ".next/dev"), { recursive: true, force: true });
  rmSync(stampFile(root), { force: true });
  // Before the build: a file that changes meanwhile makes this build out of date.
  const hash = hashInputs(root);
  const next = join(root, "node_modules/next/dist/bin/next");
  await runStep("Building the console", process.execPath, [next, "build"], {
    cwd: root,
    onStart,
    env: { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" },
  });
  writeFileSync(stampFile(root), hash);
}
