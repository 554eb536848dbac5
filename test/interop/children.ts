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
 * Starts a process that ends with this one, for whatever reason. It has its own process group, so that its children end
 * with it and Ctrl-C reaches this process first.
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

/** Runs a command to its end. @throws if it cannot be run, fails, or exceeds its time limit */
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

/** Kills a process and all its children. */
export function kill(child: ChildProcess): void {
  try {
    if (child.pid !== undefined && children.has(child)) process.kill(-child.pid, "SIGKILL");
  } catch {
    // The whole group has ended.
  }
}

/** Registers a clean-up that also runs after an interruption. @returns a function that runs it now */
export function addCleanUp(cleanUp: () => Promise<unknown>): () => Promise<void> {
  cleanUps.add(cleanUp);
  return async () => {
    if (cleanUps.delete(cleanUp)) await cleanUp();
  };
}

let ending: Promise<void> | undefined;

/** Ends all processes that were started. Nothing is left behind. */
export function endAll(): Promise<void> {
  ending ??= endOnce();
  return ending;
}

// In reverse order: a server ends before its folder is removed.
async function endOnce(): Promise<void> {
  const work = async () => {
    for (const cleanUp of [...cleanUps].reverse()) await cleanUp().catch(() => undefined);
  };
  await Promise.race([work(), new Promise((resolve) => setTimeout(resolve, CLEAN_UP_MS).unref())]);
  for (const child of children) kill(child);
}

/** Whether the started processes are being ended. Failures from then on are meaningless. */
export function isEnding(): boolean {
  return ending !== undefined;
}

/** From now on, an interruption or an uncaught error ends all started processes, and then this one. */
export function endWhenInterrupted(): void {
  const interrupted = (code: number) => {
    if (!isEnding()) void endAll().then(() => process.exit(code));
  };
  for (const name of SIGNALS) process.on(name, () => interrupted(128 + constants.signals[name]));
  process.on("uncaughtException", (error) => {
    console.error(error);
    interrupted(1);
  });
  // npm forwards a signal to its shell, and not every shell forwards it. An orphaned process has therefore been told to
  // end, too.
  setInterval(() => {
    if (process.ppid !== parent) interrupted(128 + constants.signals.SIGTERM);
  }, 500).unref();
}

/** Returns the first line that contains an error, because tools print much when they fail. */
function findErrorLine(output: string): string {
  const lines = stripVTControlCharacters(output)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const line = lines.find((one) => /\berror\b|^E:/i.test(one)) ?? lines.at(-1) ?? "it said nothing";
  return line.trim().slice(0, 200);
}
