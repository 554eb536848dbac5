import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Run } from "./figure.ts";

export interface ChildOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Arguments for Node, in addition to `--import tsx`. */
  readonly execArgv?: readonly string[];
  readonly output?: "shown" | "hidden";
}

const PROCESSES = fileURLToPath(new URL("processes", import.meta.url));

/**
 * Starts a TypeScript file in a child process and waits for its first message. The child exits when this process exits,
 * because the IPC channel closes.
 *
 * @param file file name in `processes/`, or an absolute path
 */
export async function startChild(
  run: Run,
  file: string,
  args: readonly string[],
  options: ChildOptions = {},
): Promise<ChildProcess> {
  const child = fork(resolve(PROCESSES, file), args, {
    execArgv: ["--import", "tsx", ...(options.execArgv ?? [])],
    stdio: ["ignore", options.output === "hidden" ? "ignore" : 2, 2, "ipc"],
    ...(options.env === undefined ? {} : { env: options.env }),
  });
  // Sending to a child that has exited emits an error event. `sendRequest` reports the exit.
  child.on("error", () => undefined);
  run.defer(() => endChild(child));
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`${file} ended at its start with exit code ${code}`);
  });
  await Promise.race([once(child, "message"), ended]);
  ended.catch(() => undefined);
  return child;
}

/** Sends one message to the child and resolves with the next message from the child. Calls must not overlap. */
export async function sendRequest<Answer>(child: ChildProcess, words: object | string): Promise<Answer> {
  if (!child.connected) throw new Error(`A process has ended with exit code ${child.exitCode}`);
  const gone = new AbortController();
  const { signal } = gone;
  const ended = once(child, "exit", { signal }).then(([code]) => {
    throw new Error(`A process that was to answer ended with exit code ${code}`);
  });
  const answered = once(child, "message", { signal });
  child.send(words);
  try {
    const [answer] = await Promise.race([answered, ended]);
    return answer as Answer;
  } finally {
    answered.catch(() => undefined);
    ended.catch(() => undefined);
    gone.abort();
  }
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
