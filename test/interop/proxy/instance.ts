import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { kill, start } from "../children.ts";

const READY_MS = 60_000;
const READY_LINE = "Lockkeeper is ready";
const OUTPUT_CHARACTERS_MAX = 4000;

/** A Lockkeeper process that was started like `npm start`. */
export interface Instance {
  /** Sends SIGTERM and waits until the process has exited. */
  stop(): Promise<void>;
  /** Sends SIGKILL. */
  kill(): void;
}

/**
 * Starts Lockkeeper and waits until it is ready.
 *
 * @param dir folder with the server and the built console
 * @throws Error with the output of the process if it exits early or is not ready in time
 */
export async function startInstance(dir: string, settings: Record<string, string>): Promise<Instance> {
  const child = start(process.execPath, ["--import", "tsx", join(dir, "server/main.ts")], {
    cwd: dir,
    env: { ...process.env, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    await waitUntilReady(child);
  } catch (error) {
    kill(child);
    throw error;
  }
  return {
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
    kill: () => kill(child),
  };
}

function waitUntilReady(child: ChildProcess): Promise<void> {
  let output = "";
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      clearTimeout(timer);
      reject(new Error(`Lockkeeper ${why}. It printed:\n${output}`));
    };
    const timer = setTimeout(() => fail(`was not ready within ${READY_MS / 1000} s`), READY_MS);
    const read = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-OUTPUT_CHARACTERS_MAX);
      if (!output.includes(READY_LINE)) return;
      clearTimeout(timer);
      resolve();
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("error", (error) => fail(`cannot be started: ${error.message}`));
    child.once("exit", (code, signal) => fail(`ended with ${signal ?? code} before it was ready`));
  });
}
