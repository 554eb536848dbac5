import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../../test/support/test-redis.ts";
import { seconds } from "./checks.mjs";
import { countUserProcesses } from "./root-file-system.mjs";

/** Maximum time from SIGTERM until all processes have ended, in milliseconds. */
export const STOP_MS = 2000;
/** The root key of all servers that this run starts. The client example uses the same key for each of them. */
export const ROOT_KEY = `lk_${randomBytes(32).toString("base64url")}`;

/** @typedef {import("./root-file-system.mjs").RootFileSystem} RootFileSystem */
/** @typedef {ReturnType<RootFileSystem["start"]>} Started */

/**
 * Returns the match of the login link in the output, with the URL of the console and the token as groups, or `null`.
 *
 * @param {Started | undefined} started
 */
export function findLoginLink(started) {
  return /Log in \(once, within 10 minutes\): (http\S+)\/login#(\S+)/.exec(started?.output() ?? "");
}

/**
 * Starts Lockkeeper on a free port and waits until it prints a login link.
 *
 * @param {RootFileSystem} system
 * @param {string[]} command
 * @param {string} cwd
 * @param {number} withinMs
 */
export async function startServer(system, command, cwd, withinMs) {
  const began = performance.now();
  const env = { PORT: String(await findFreePort()), LOCKKEEPER_ROOT_KEY: ROOT_KEY };
  const started = system.start(command, { cwd, env });
  const gone = started.ended.then((code) => ({ code }));
  while (findLoginLink(started) === null) {
    const end = await Promise.race([gone, sleep(20)]);
    if (end) throw new Error(`it ended with exit code ${end.code}:\n${started.output()}`);
    if (performance.now() - began > withinMs) {
      await stopServer(started);
      throw new Error(`no login link after ${seconds(withinMs)}:\n${started.output()}`);
    }
  }
  return { started, ms: performance.now() - began };
}

/**
 * Sends SIGTERM only to the command, not to its child processes. Returns the time until all processes of the user have
 * ended, in milliseconds.
 *
 * @param {Started} started
 */
export async function stopServer(started) {
  const began = performance.now();
  process.kill(started.pid(), "SIGTERM");
  const late = sleep(STOP_MS * 5, true, { ref: false });
  if ((await Promise.race([started.ended, late])) === true) throw new Error("it is still running");
  while (countUserProcesses() > 0) {
    if (performance.now() - began > STOP_MS) throw new Error("the command ended, but its server did not");
    await sleep(20);
  }
  const ms = performance.now() - began;
  if (ms > STOP_MS) throw new Error(`it took ${seconds(ms)} to stop`);
  return ms;
}
