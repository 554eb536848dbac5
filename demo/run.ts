/**
 * `npm run demo`: starts a separate Redis and console, and worker processes that use the lock API as applications do.
 * The console shows these workers. Nothing is simulated.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { StartupError } from "../server/errors/startup-error.ts";
import { type EmbeddedRedis, startEmbeddedRedis } from "../server/redis/embedded/embedded-redis.ts";
import { findRedisServer } from "../server/redis/embedded/server-binary.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const REDIS_PORT = 6398;
const LOCKKEEPER_URL_FILE = ".cache/demo/lockkeeper-redis-url";
const READY_MS = 60_000;
const RESTART_MS = 1000;
const STOP_MS = 3000;

const WORKERS = [
  ...Array.from({ length: 3 }, () => "flash-sale"),
  ...Array.from({ length: 2 }, () => "global-ids"),
  "rate-limit",
  ...Array.from({ length: 3 }, () => "price-fetcher"),
];

const children = new Set<ChildProcess>();
let redis: EmbeddedRedis | undefined;
let isStopping = false;

function start(file: string, env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, ["--import", "tsx", file], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "inherit"],
  });
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

function keepRunning(name: string, env: Record<string, string>): void {
  if (isStopping) return;
  const worker = start(`demo/workers/${name}.ts`, env);
  worker.once("exit", () => setTimeout(() => keepRunning(name, env), RESTART_MS));
}

async function waitUntilReady(url: string): Promise<void> {
  const deadline = performance.now() + READY_MS;
  while (performance.now() < deadline && !isStopping) {
    const isReady = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new StartupError("the console was not ready within 60 s; see the output above.");
}

async function stop(exitCode: number): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  setTimeout(() => process.exit(exitCode), STOP_MS);
  const gone = [...children].map((child) => new Promise((resolve) => child.once("exit", resolve)));
  for (const child of children) child.kill("SIGTERM");
  await Promise.all(gone);
  await redis?.stop();
  process.exit(exitCode);
}

async function main(): Promise<void> {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void stop(0));
  const onProgress = (line: string) => console.log(line);
  const binary = await findRedisServer({
    explicitPath: process.env.REDIS_SERVER_BIN,
    cacheDir: `${ROOT}.cache`,
    onProgress,
  });
  redis = await startEmbeddedRedis({
    binary,
    dataDir: `${ROOT}.cache/demo`,
    preferredPort: REDIS_PORT,
    onProgress,
    onUnexpectedEnd: onProgress,
  });
  const port = process.env.PORT ?? "3000";
  const url = `http://127.0.0.1:${port}`;
  const apiKey = randomBytes(32).toString("base64url");
  const server = start("server/main.ts", {
    PORT: port,
    HOST: "127.0.0.1",
    REDIS_URL: redis.url,
    LOCKKEEPER_TARGET: "demo",
    LOCKKEEPER_NOTIFICATIONS: "set",
    LOCKKEEPER_ROOT_KEY: apiKey,
  });
  server.once("exit", (code) => void stop(code ?? 1));
  await waitUntilReady(url);
  const env = { DEMO_API_URL: url, DEMO_API_KEY: apiKey, DEMO_REDIS_URL: redis.appUrl };
  for (const name of WORKERS) keepRunning(name, env);
  // The server prints `npm run login`, which does not use the demo's Redis.
  if (!process.stdout.isTTY)
    console.log(`  For the demo: REDIS_URL="$(cat ${LOCKKEEPER_URL_FILE})" PORT=${port} npm run login`);
  console.log(`  ${WORKERS.length} workers are running. Press Ctrl-C to stop the demo.\n`);
}

main().catch(async (error: unknown) => {
  if (!isStopping) {
    console.error(error instanceof StartupError ? `The demo cannot start: ${error.message}` : error);
  }
  await stop(1);
});
