import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Run } from "./figure.ts";

export interface ChildOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** After `--import tsx`. */
  readonly execArgv?: readonly string[];
  readonly output?: "shown" | "hidden";
}

/**
 * Starts a file of `processes/` in a process of its own, and waits for its first word. It ends with us: its channel
 * closes.
 */
export async function startChild(
  run: Run,
  file: string,
  args: readonly string[],
  options: ChildOptions = {},
): Promise<ChildProcess> {
  const path = fileURLToPath(new URL(`processes/${file}`, import.meta.url));
  const child = fork(path, args, {
    execArgv: ["--import", "tsx", ...(options.execArgv ?? [])],
    stdio: ["ignore", options.output === "hidden" ? "ignore" : 2, 2, "ipc"],
    ...(options.env === undefined ? {} : { env: options.env }),
  });
  run.later(() => endChild(child));
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`${file} ended at its start with exit code ${code}`);
  });
  await Promise.race([once(child, "message"), ended]);
  ended.catch(() => undefined);
  return child;
}

/** One question, one answer; the child must not be asked two at once. */
export async function ask<Answer>(child: ChildProcess, words: object | string): Promise<Answer> {
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
