import { spawnSync } from "node:child_process";

/**
 * Returns the path of a program, or `undefined` if this machine does not have it.
 *
 * @param {string} name
 * @param {readonly string[]} [folders] searched in addition to PATH
 */
export function findTool(name, folders = []) {
  const path = [process.env.PATH, ...folders, "/usr/sbin", "/sbin"].join(":");
  const { status, stdout } = spawnSync("sh", ["-c", 'command -v "$1"', "sh", name], {
    encoding: "utf8",
    env: { ...process.env, PATH: path },
  });
  return status === 0 ? stdout.trim() : undefined;
}

/**
 * Runs a program to its end and returns its standard output.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, input?: string, env?: Record<string, string | undefined> }} [options]
 * @throws {Error} with the last lines of the output if the exit code is not 0
 */
export function runTool(command, args, { cwd, input = "", env = {} } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    input,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    env: { ...process.env, ...env },
  });
  if (error) throw error;
  if (status === 0) return stdout;
  const lines = `${stdout}\n${stderr}`.trim().split("\n").slice(-30).join("\n");
  throw new Error(`${command} ended with exit code ${status}:\n${lines}`);
}

/**
 * Prints that this machine cannot run a check. The check counts neither as passed nor as failed.
 *
 * @param {string} name
 * @param {string} reason
 */
export function skip(name, reason) {
  console.log(`skip  ${name}: ${reason}`);
}
