import { once } from "node:events";
import { Worker } from "node:worker_threads";

/**
 * Time limit of a call: hundreds of times the duration of a normal call, but short for one whose cost grows
 * exponentially.
 */
const LIMIT_MS = 120_000;
/**
 * Time limit of tests that call `runInWorker`. It is longer than the limit of a call, whose error names the call that
 * did not end.
 */
export const WORKER_TEST_TIMEOUT_MS = LIMIT_MS + 30_000;

/**
 * Calls an exported function of a module once per list of arguments, in a thread that can be terminated: a call that
 * blocks for hours fails the test instead of hanging it.
 */
export async function runInWorker(
  module: URL,
  name: string,
  calls: readonly (readonly unknown[])[],
): Promise<void> {
  let current: readonly unknown[] | undefined;
  const worker = new Worker(new URL("workers/call-function.mjs", import.meta.url), {
    workerData: { module: module.href, name, calls },
  });
  worker.on("message", (at: number) => {
    current = calls[at];
  });
  const timer = setTimeout(() => void worker.terminate(), LIMIT_MS);
  try {
    const [code] = await once(worker, "exit");
    if (code !== 0) throw new Error(`${name} did not end for ${JSON.stringify(current)?.slice(0, 200)}`);
  } finally {
    clearTimeout(timer);
  }
}
