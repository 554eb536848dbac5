import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { guardProcess, unguardProcess } from "../../support/process-guard.ts";
import { type ApiVersionName, getApiVersion } from "./api-version.ts";
import { killProcess } from "./limited-redis.ts";
import { readResidentMemory } from "./process-memory.ts";

const START_MS_MAX = 30_000;
const WATCHDOG_MS = 100;
const LOG_CHARACTERS_MAX = 4000;

export interface LockkeeperOptions {
  /** Root folder of the checkout whose server is started. */
  readonly checkout: string;
  readonly apiVersion: ApiVersionName;
  readonly redisUrl: string;
  readonly rootKey: string;
  /** Resident memory in bytes above which the watchdog kills the process. */
  readonly rssBytesMax: number;
}

/** A Lockkeeper server without pages, in a separate process. */
export interface Lockkeeper {
  readonly url: string;
  readonly pid: number;
  readonly hasEnded: () => boolean;
  /** Returns why the process has exited. Undefined while it runs. */
  readonly describeEnd: () => string | undefined;
  stop(): Promise<void>;
}

/** Starts the server of a checkout. The server is killed if its resident memory exceeds the limit. */
export async function startLockkeeper(options: LockkeeperOptions): Promise<Lockkeeper> {
  const { checkout, apiVersion, redisUrl, rootKey, rssBytesMax } = options;
  const script = join(checkout, getApiVersion(apiVersion).serverScript);
  const child = spawn(process.execPath, ["--import", "tsx", script], {
    cwd: checkout,
    env: {
      ...process.env,
      PORT: "0",
      REDIS_URL: redisUrl,
      LOCKKEEPER_ROOT_KEY: rootKey,
      LOCKKEEPER_LOG: "error",
      NODE_ENV: "production",
    },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("Node could not be started");
  guardProcess(pid);
  let log = "";
  child.stderr?.on("data", (chunk) => {
    log = (log + chunk).slice(-LOG_CHARACTERS_MAX);
  });
  let killedAtBytes: number | undefined;
  const watchdog = setInterval(() => {
    const memory = readResidentMemory(pid);
    if (memory === undefined || memory.currentBytes <= rssBytesMax) return;
    killedAtBytes ??= memory.currentBytes;
    child.kill("SIGKILL");
  }, WATCHDOG_MS);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const describeEnd = () => {
    if (!hasEnded()) return undefined;
    if (killedAtBytes !== undefined)
      return `the watchdog killed Lockkeeper at ${Math.round(killedAtBytes / 2 ** 20)} MB`;
    return `Lockkeeper ended (${child.signalCode ?? `exit code ${child.exitCode}`}): ${log.trim().split("\n").at(-1)}`;
  };
  const stop = async () => {
    clearInterval(watchdog);
    await killProcess(child);
    unguardProcess(pid);
  };
  let port: unknown;
  child.once("message", (message) => {
    port = message;
  });
  const deadline = performance.now() + START_MS_MAX;
  while (port === undefined) {
    if (hasEnded()) throw new Error(`Lockkeeper ended at its start:\n${log}`);
    if (performance.now() > deadline) {
      await stop();
      throw new Error(`Lockkeeper did not start within ${START_MS_MAX} ms`);
    }
    await sleep(20);
  }
  return { url: `http://127.0.0.1:${port}`, pid, hasEnded, describeEnd, stop };
}
