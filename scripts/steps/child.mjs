import { spawn } from "node:child_process";
import { constants } from "node:os";

const SIGNALS = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);
const FORCE_AFTER_MS = 1_500;

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
const parent = process.ppid;
let ending = false;

/** An error whose message is printed to the user without a stack trace. */
export class StepError extends Error {
  name = "StepError";
}

/**
 * Runs a command in a separate process group. The whole group is terminated together with this process, so that no
 * descendant keeps running.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env?: Record<string, string | undefined>, capture?: boolean, onStart?: (pid: number) => void
 * }} options
 * @returns {Promise<{ code: number, output: string }>}
 */
export function runChild(command, args, { cwd, env = {}, capture = false, onStart }) {
  const stdio = capture ? "pipe" : "inherit";
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ["ignore", stdio, stdio],
  });
  watch(child);
  if (child.pid !== undefined) onStart?.(child.pid);
  let output = "";
  const collect = (/** @type {Buffer} */ chunk) => {
    output += chunk.toString();
  };
  child.stdout?.on("data", collect);
  child.stderr?.on("data", collect);
  return new Promise((resolve) => {
    const done = (/** @type {number} */ code) => {
      running.delete(child);
      if (!ending) resolve({ code, output });
    };
    child.once("error", (error) => {
      output += `${command} cannot be run: ${error.message}\n`;
      done(127);
    });
    child.once("close", (code) => done(code ?? 1));
  });
}

/** @param {import("node:child_process").ChildProcess} child */
function watch(child) {
  if (running.size === 0) startWatching();
  running.add(child);
}

let watching = false;
function startWatching() {
  if (watching) return;
  watching = true;
  for (const name of SIGNALS) process.on(name, () => endAll(name));
  // npm forwards signals to its shell, but not every shell forwards them to this process. Therefore, this process also
  // exits when its parent has exited.
  setInterval(() => {
    if (process.ppid !== parent) endAll("SIGTERM");
  }, 500).unref();
}

/** @param {(typeof SIGNALS)[number]} name */
function endAll(name) {
  if (ending) return;
  ending = true;
  const code = 128 + constants.signals[name];
  if (running.size === 0) process.exit(code);
  for (const child of running) {
    signalGroup(child, "SIGTERM");
    child.once("close", () => {
      signalGroup(child, "SIGKILL");
      if (running.size === 0) process.exit(code);
    });
  }
  setTimeout(() => {
    for (const child of running) signalGroup(child, "SIGKILL");
    process.exit(code);
  }, FORCE_AFTER_MS);
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @param {NodeJS.Signals} name
 */
function signalGroup(child, name) {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, name);
  } catch {
    // All processes of the group have already ended.
  }
}
