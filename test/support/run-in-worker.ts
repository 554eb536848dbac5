import { once } from "node:events";
import { Worker } from "node:worker_threads";

/**
 * Maximum duration of a call, in milliseconds. Hundreds of times longer than a normal call takes, but much shorter than
 * a call with exponential cost.
 */
const LIMIT_MS = 120_000;
/**
 * Timeout of tests that call `runInWorker`, in milliseconds. Longer than the maximum duration of a call, because the
 * error of `runInWorker` names the call that did not end.
 */
export const WORKER_TEST_TIMEOUT_MS = LIMIT_MS + 30_000;

/**
 * Calls an exported function of a module once for each list of arguments, in a worker thread. The thread can be
 * terminated, so a call that blocks fails the test instead of hanging it.
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
