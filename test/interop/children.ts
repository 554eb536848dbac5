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
 * Starts a process that ends with us, however we end: it has its own group, so that its children end with it and
 * Ctrl-C reaches us first.
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

/** Runs a command to its end. @throws when it cannot be run, fails, or takes longer than its limit */
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

/** Ends a process and all that it started. */
export function kill(child: ChildProcess): void {
  try {
    if (child.pid !== undefined && children.has(child)) process.kill(-child.pid, "SIGKILL");
  } catch {
    // The whole group has ended.
  }
}

/** What is to be done before we end, also when we are interrupted; returns how to do it now. */
export function addCleanUp(cleanUp: () => Promise<unknown>): () => Promise<void> {
  cleanUps.add(cleanUp);
  return async () => {
    if (cleanUps.delete(cleanUp)) await cleanUp();
  };
}

let ending: Promise<void> | undefined;

/** Ends all that was started; nothing is left behind after it. */
export function endAll(): Promise<void> {
  ending ??= endOnce();
  return ending;
}

// In reverse: a server ends before its folder is removed.
async function endOnce(): Promise<void> {
  const work = async () => {
    for (const cleanUp of [...cleanUps].reverse()) await cleanUp().catch(() => undefined);
  };
  await Promise.race([work(), new Promise((resolve) => setTimeout(resolve, CLEAN_UP_MS).unref())]);
  for (const child of children) kill(child);
}

/** Whether all that was started is being ended: what fails from then on says nothing. */
export function isEnding(): boolean {
  return ending !== undefined;
}

/** From here on an interruption, or an error that nobody caught, ends all that was started, and then us. */
export function endWhenInterrupted(): void {
  const interrupted = (code: number) => {
    if (!isEnding()) void endAll().then(() => process.exit(code));
  };
  for (const name of SIGNALS) process.on(name, () => interrupted(128 + constants.signals[name]));
  process.on("uncaughtException", (error) => {
    console.error(error);
    interrupted(1);
  });
  // npm passes a signal on to its shell, and not every shell to us: an orphan has been told to end, too.
  setInterval(() => {
    if (process.ppid !== parent) interrupted(128 + constants.signals.SIGTERM);
  }, 500).unref();
}

/** Tools say much when they fail; the first line that speaks of an error tells most. */
function findErrorLine(output: string): string {
  const lines = stripVTControlCharacters(output)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const line = lines.find((one) => /\berror\b|^E:/i.test(one)) ?? lines.at(-1) ?? "it said nothing";
  return line.trim().slice(0, 200);
}
