import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const COMMAND = ["--import", "tsx", "cli/main.ts"];
/** Environment variables of the test machine that could change the behavior of `lockkeeper`. */
const REMOVED = ["LOCKKEEPER_URL", "LOCKKEEPER_API_KEY", "REDIS_URL", "NO_COLOR", "LOCKKEEPER_WATCH"];

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Variables = Readonly<Record<string, string>>;

/**
 * Starts `lockkeeper` as a child process without a terminal. Variables that select a server are only passed if given.
 */
export function spawnCli(
  words: readonly string[],
  variables: Variables = {},
): ChildProcessWithoutNullStreams {
  const environment = Object.entries(process.env).filter(([name]) => !REMOVED.includes(name));
  return spawn(process.execPath, [...COMMAND, ...words], {
    cwd: ROOT,
    env: { ...Object.fromEntries(environment), ...variables } as NodeJS.ProcessEnv,
  });
}

/** Runs `lockkeeper` until it exits. */
export async function runCli(words: readonly string[], variables: Variables = {}): Promise<CliResult> {
  const child = spawnCli(words, variables);
  child.stdin.end();
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  await once(child, "close");
  return { code: child.exitCode, stdout, stderr };
}

/** The output of a running command. */
export interface CliOutput {
  readonly child: ChildProcessWithoutNullStreams;
  read(): string;
  stop(): Promise<void>;
}

/** Starts `lockkeeper` and collects its output. */
export function startCli(words: readonly string[], variables: Variables = {}): CliOutput {
  const child = spawnCli(words, variables);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
  }
  const closed = once(child, "close");
  return {
    child,
    read: () => text,
    async stop() {
      child.kill("SIGTERM");
      await closed;
    },
  };
}
