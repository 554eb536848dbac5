import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { constants } from "node:os";
import { basename } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { guardProcess, unguardProcess } from "../support/process-guard.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const CLEAN_UP_MS = 5000;
const OUTPUT_CHARACTERS_MAX = 20_000;

const children = new Set<ChildProcess>();
const cleanUps = new Set<() => Promise<unknown>>();
const parent = process.ppid;

/**
 * Starts a process that is killed when this process exits for any reason. The child has its own process group, so that
 * its own children are killed as well and Ctrl-C reaches only this process.
 */
export function start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, { ...options, detached: true });
  children.add(child);
  const { pid } = child;
  if (pid !== undefined) guardProcess(-pid);
  const ended = () => {
    children.delete(child);
    if (pid !== undefined) unguardProcess(-pid);
  };
  child.once("exit", ended).once("error", ended);
  return child;
}

export interface Ended {
  readonly code: number;
  readonly output: string;
}

export interface RunOptions extends SpawnOptions {
  readonly limitMs: number;
}

/**
 * Runs a command and returns its output, standard error included.
 *
 * @throws if the command cannot be started, fails, or exceeds its time limit
 */
export async function run(command: string, args: readonly string[], options: RunOptions): Promise<string> {
  const child = start(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const collect = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-OUTPUT_CHARACTERS_MAX);
  };
  child.stdout?.on("data", collect);
  child.stderr?.on("data", collect);
  const timer = setTimeout(() => kill(child), options.limitMs);
  const startedAt = performance.now();
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", (error) => reject(new Error(`${command} cannot be run: ${error.message}`)));
    child.once("close", resolve);
  }).finally(() => clearTimeout(timer));
  if (code === 0) return output;
  const isLate = performance.now() - startedAt >= options.limitMs;
  const why = isLate ? `took longer than ${options.limitMs / 1000} s` : `failed: ${findErrorLine(output)}`;
  throw new Error(`${basename(command)} ${why}`, { cause: output });
}

/** Kills a process group started by `start`. */
export function kill(child: ChildProcess): void {
  try {
    if (child.pid !== undefined && children.has(child)) process.kill(-child.pid, "SIGKILL");
  } catch {
    // The process group has already exited.
  }
}

/**
 * Registers a clean-up function that `endAll` calls.
 *
 * @returns a function that runs the clean-up now, unless it has already run
 */
export function addCleanUp(cleanUp: () => Promise<unknown>): () => Promise<void> {
  cleanUps.add(cleanUp);
  return async () => {
    if (cleanUps.delete(cleanUp)) await cleanUp();
  };
}

let ending: Promise<void> | undefined;

/** Runs all registered clean-ups and kills all processes that are still running. */
export function endAll(): Promise<void> {
  ending ??= endOnce();
  return ending;
}

// Reverse order stops a server before its folder is removed.
async function endOnce(): Promise<void> {
  const work = async () => {
    for (const cleanUp of [...cleanUps].reverse()) await cleanUp().catch(() => undefined);
  };
  await Promise.race([work(), new Promise((resolve) => setTimeout(resolve, CLEAN_UP_MS).unref())]);
  for (const child of children) kill(child);
}

/** Whether `endAll` has been called. Failures after that are expected and mean nothing. */
export function isEnding(): boolean {
  return ending !== undefined;
}

/** Makes an interruption or an uncaught error call `endAll` and then exit this process. */
export function endWhenInterrupted(): void {
  const interrupted = (code: number) => {
    if (!isEnding()) void endAll().then(() => process.exit(code));
  };
  for (const name of SIGNALS) process.on(name, () => interrupted(128 + constants.signals[name]));
  process.on("uncaughtException", (error) => {
    console.error(error);
    interrupted(1);
  });
  // npm forwards a signal to its shell, and not every shell forwards it to this process. If the shell exits, this
  // process gets a new parent, which counts as an interruption.
  setInterval(() => {
    if (process.ppid !== parent) interrupted(128 + constants.signals.SIGTERM);
  }, 500).unref();
}

/** Returns the first line that contains an error, otherwise the last line. Tools print a lot when they fail. */
function findErrorLine(output: string): string {
  const lines = stripVTControlCharacters(output)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const line = lines.find((one) => /\berror\b|^E:/i.test(one)) ?? lines.at(-1) ?? "it said nothing";
  return line.trim().slice(0, 200);
}
