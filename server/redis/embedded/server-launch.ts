import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, statSync, truncateSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { StartupError } from "../../errors/startup-error.ts";
import { type ProbeLogin, probeReadiness } from "./embedded-probe.ts";
import { buildServerEnvironment, type RedisServerBinary } from "./server-binary.ts";

const ANSWER_WITHIN_MS = 20_000;
const LOG_LIMIT_BYTES = 4 * 1024 * 1024;

export interface LaunchOptions {
  binary: Pick<RedisServerBinary, "path" | "libraryPath">;
  /** The working directory of the server. The directory contains the server's files, so the arguments need no paths. */
  cwd: string;
  args: string[];
  port: number;
  logFile: string;
  /**
   * Environment variables of the server. For an unpacked server, these variables are added to a minimal environment.
   * For any other server, they replace Lockkeeper's own environment.
   */
  env?: Readonly<Record<string, string>> | undefined;
  onProgress?: ((line: string) => void) | undefined;
  /**
   * The credentials for the readiness check. Without credentials, a server that requires authentication counts as ready
   * while it is loading.
   */
  login?: ProbeLogin;
  /** Whether to deny other accounts access to the files that the server creates. */
  isPrivate?: boolean;
  /** Called synchronously with the pid when the process is created. */
  onSpawn?: (pid: number) => void;
  /** Aborting this signal cancels the start and kills the server. */
  signal?: AbortSignal;
}

export interface LaunchedServer {
  pid: number;
  child: ChildProcess;
}

/**
 * Starts a Redis server and waits until it has loaded its data and replies.
 *
 * @throws StartupError if the server exits or does not reply for 20 s, or if the start is canceled
 */
export async function launchServer(options: LaunchOptions): Promise<LaunchedServer> {
  const logStart = getLogSize(options.logFile);
  const { child, ended } = spawnServer(options);
  const problem = await Promise.race([ended, waitForAnswer(options, child), waitForAbort(options.signal)]);
  if (problem === undefined && child.pid !== undefined) return { pid: child.pid, child };
  child.kill("SIGKILL");
  const lastLines = readLastLines(options.logFile, logStart);
  const details = lastLines ? `: ${lastLines}` : "";
  throw new StartupError(`The Redis server ${problem}${details}. Its log: ${options.logFile}`);
}

function buildLaunchEnvironment({ binary, env }: LaunchOptions): NodeJS.ProcessEnv | undefined {
  const own = buildServerEnvironment(binary);
  return env === undefined ? own : ({ ...own, ...env } as NodeJS.ProcessEnv);
}

function spawnServer(options: LaunchOptions) {
  const log = openLog(options.logFile);
  const start = () =>
    spawn(options.binary.path, options.args, {
      cwd: options.cwd,
      env: buildLaunchEnvironment(options),
      // The server has its own process group. Ctrl-C in the terminal therefore reaches only Lockkeeper, which then
      // shuts the server down gracefully.
      detached: true,
      stdio: ["ignore", log, log],
    });
  const child = options.isPrivate ? runWithUmask(0o077, start) : start();
  closeSync(log);
  child.unref();
  if (child.pid !== undefined) options.onSpawn?.(child.pid);
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`cannot be run (${error.message})`));
    child.once("exit", (code, by) => resolve(`ended at its start (${by ?? `exit code ${code}`})`));
  });
  return { child, ended };
}

/**
 * Calls `run` with this umask, which child processes inherit. The call is synchronous, so no other code runs with the
 * umask.
 */
function runWithUmask<T>(mask: number, run: () => T): T {
  const before = process.umask(mask);
  try {
    return run();
  } finally {
    process.umask(before);
  }
}

/** Resolves when the signal cancels the start. Never resolves without a signal. */
function waitForAbort(signal: AbortSignal | undefined): Promise<string> {
  return new Promise((resolve) => {
    const abort = () => resolve("was stopped while it started");
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
  });
}

async function waitForAnswer(options: LaunchOptions, child: ChildProcess): Promise<string | undefined> {
  let end = performance.now() + ANSWER_WITHIN_MS;
  let hasReported = false;
  while (performance.now() < end && child.exitCode === null && child.signalCode === null) {
    const state = await probeReadiness(options.port, options.login);
    if (state === "ready") return undefined;
    if (state === "loading") {
      end = performance.now() + ANSWER_WITHIN_MS;
      if (!hasReported) options.onProgress?.("Redis is loading its data …");
      hasReported = true;
    }
    await sleep(15);
  }
  return `did not answer on port ${options.port} within ${ANSWER_WITHIN_MS / 1000} s`;
}

function openLog(file: string): number {
  if (getLogSize(file) > LOG_LIMIT_BYTES) truncateSync(file);
  return openSync(file, "a", 0o600);
}

function getLogSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function readLastLines(file: string, from: number): string {
  const whole = readFileSync(file);
  const text = whole.subarray(from <= whole.length ? from : 0).toString("utf8");
  const lines = text
    .split("\n")
    .map((line) => line.replace(/^\d+:\w \d+ \w+ \d+ [\d:.]+ [-.*#] /, "").trim())
    .filter((line) => line !== "");
  return lines.slice(-3).join(" | ").replace(/\.$/, "");
}
