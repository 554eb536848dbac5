import { runChild, StepError } from "./child.mjs";

/**
 * @typedef {object} StepOptions
 * @property {string} cwd
 * @property {Record<string, string | undefined>} [env]
 * @property {(pid: number) => void} [onStart]
 */

/**
 * Runs a command and prints one line of progress, such as "Building the console … 14 s". The output of the command is
 * only printed if the command fails.
 *
 * @param {string} title
 * @param {string} command
 * @param {string[]} args
 * @param {StepOptions} options
 */
export async function runStep(title, command, args, options) {
  const started = performance.now();
  const line = openLine(title, started);
  const { code, output } = await runChild(command, args, { ...options, capture: true });
  if (code === 0) {
    line.close(elapsed(started));
    return;
  }
  line.close(`failed after ${elapsed(started)}`);
  process.stderr.write(output.endsWith("\n") ? output : `${output}\n`);
  throw new StepError(`${title} failed: see the output above.`);
}

/**
 * @param {string} title
 * @param {number} started
 */
function openLine(title, started) {
  process.stdout.write(`${title} …`);
  if (!process.stdout.isTTY)
    return { close: (/** @type {string} */ end) => process.stdout.write(` ${end}\n`) };
  const timer = setInterval(() => process.stdout.write(`\r${title} … ${elapsed(started)}`), 1_000);
  return {
    close: (/** @type {string} */ end) => {
      clearInterval(timer);
      process.stdout.write(`\r${title} … ${end}\n`);
    },
  };
}

/** @param {number} since */
export function elapsed(since) {
  const seconds = (performance.now() - since) / 1_000;
  return seconds < 10 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;
}
