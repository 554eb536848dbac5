import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { StepError } from "./child.mjs";
import { findHeadlessShell } from "./headless-shell.mjs";
import { runStep } from "./progress.mjs";

const run = promisify(execFile);
const INSTALLED = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/**
 * Returns the path of a Chromium that runs on this machine, preferably the headless shell. Installs Chromium if
 * necessary.
 *
 * @param {string} root
 * @returns {Promise<string>}
 */
export async function findChromium(root) {
  const configured = process.env.CHROMIUM_PATH;
  if (configured) {
    if (await works(configured)) return configured;
    throw new StepError(`CHROMIUM_PATH is ${configured}, which cannot be run.`);
  }
  const found = await firstWorking(root);
  if (found) return found;
  for (const way of await waysToInstall()) {
    // Another way to install may still work, so the problem is only printed if all of them fail.
    const problem = await install(way, root);
    const path = await firstWorking(root);
    if (path) return path;
    if (problem) console.error(problem);
  }
  throw new StepError(
    "The end-to-end tests require Chromium. Install it (Debian: `apt-get install chromium`) or set CHROMIUM_PATH.",
  );
}

async function firstWorking(/** @type {string} */ root) {
  const { chromium } = await import("@playwright/test");
  const shell = await findHeadlessShell(join(root, ".cache"));
  for (const path of [shell, ...INSTALLED, chromium.executablePath()]) {
    if (path && existsSync(path) && (await works(path))) return path;
  }
  return undefined;
}

/**
 * Returns whether an executable starts. On Ubuntu, /usr/bin/chromium-browser can be a script that only asks to install
 * a snap.
 */
function works(/** @type {string} */ path) {
  return run(path, ["--version", "--no-sandbox"], { timeout: 20_000 }).then(
    () => true,
    () => false,
  );
}

/** @typedef {{ title: string, command: string, args: string[] }} Way */

/** @returns {Promise<Way[]>} */
async function waysToInstall() {
  const apt = existsSync("/usr/bin/apt-get") && (await aptWay());
  const title = "Installing Chromium with Playwright";
  const playwright = { title, command: "npx", args: ["playwright", "install", "chromium"] };
  return apt ? [apt, playwright] : [playwright];
}

/** @returns {Promise<Way | undefined>} */
async function aptWay() {
  const sudo = await sudoPrefix();
  if (!sudo) return undefined;
  const packages = "chromium fonts-liberation";
  const script = `apt-get update && apt-get install -y --no-install-recommends ${packages}`;
  const all = [...sudo, "env", "DEBIAN_FRONTEND=noninteractive", "sh", "-c", script];
  return { title: "Installing Chromium with apt-get", command: all[0] ?? "", args: all.slice(1) };
}

/** Returns the command prefix for running a command as root, or `undefined` if that requires a password. */
async function sudoPrefix() {
  if (process.getuid?.() === 0) return [];
  return run("sudo", ["-n", "true"]).then(
    () => ["sudo", "-n"],
    () => undefined,
  );
}

/**
 * @param {Way} way
 * @param {string} root
 */
async function install({ title, command, args }, root) {
  try {
    await runStep(title, command, args, { cwd: root });
    return undefined;
  } catch (error) {
    if (error instanceof StepError) return error.message;
    throw error;
  }
}
