import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { findRedisServer, type RedisServerBinary } from "../../server/redis/embedded/server-binary.ts";
import { type LaunchedServer, launchServer } from "../../server/redis/embedded/server-launch.ts";
import {
  endServer,
  isPortFree,
  sendSignal,
  waitUntilGone,
} from "../../server/redis/embedded/server-process.ts";
import { guardProcess, unguardProcess } from "./process-guard.ts";
import { runRedisCli } from "./redis-cli.ts";

const CACHE = fileURLToPath(new URL("../../.cache", import.meta.url));
const DEFAULTS = { save: "", appendonly: "no", "notify-keyspace-events": "Kghszxe$" };

export interface TestRedisOptions {
  /** Arguments of redis-server. They override the default arguments for tests. */
  args?: string[];
  port?: number;
  password?: string;
  /**
   * Working folder of the server, which `stop()` does not remove. The default is a temporary folder, which is removed.
   */
  dir?: string;
  /** Environment variables that are added for the server. */
  env?: Readonly<Record<string, string>>;
}

export interface TestRedis {
  readonly port: number;
  readonly url: string;
  /** PID of the server process. Changes with `restart()`. */
  readonly pid: number;
  stop(): Promise<void>;
  /** Kills the server with SIGKILL, like a crash. `restart()` starts the server again. */
  kill(): Promise<void>;
  /** Stops the server with SIGSTOP. The server keeps its connections but does not reply until `thaw()`. */
  freeze(): void;
  thaw(): void;
  /** Starts the server again on the same port. The data is lost unless `args` enable persistence. */
  restart(): Promise<void>;
  /** Creates a plain connection, which `stop()` closes. */
  createClient(): Redis;
  /** Runs a command and returns what redis-cli prints when its output is not a terminal. */
  runCli(...args: string[]): Promise<string>;
}

/** Starts a Redis server for one test file on a free port of 127.0.0.1. */
export async function startTestRedis(options: TestRedisOptions = {}): Promise<TestRedis> {
  const binary = await findTestBinary();
  const dir = options.dir ?? (await realpath(await mkdtemp(join(tmpdir(), "lockkeeper-redis-"))));
  const { port, server } = await launchFirst(binary, dir, options);
  return new TestRedisServer({ binary, dir, port, options, server });
}

const PORTS = 200;
let lastPort = Math.floor(Math.random() * PORTS);

/**
 * Finds a free port of 127.0.0.1, below the range of ports for outgoing connections. Each process has a separate range,
 * so that no server of another test file can use the port of a killed server before its restart. Successive calls
 * return different ports. If two callers got the same port, the second server would fail to start and its test would
 * use the first server.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    lastPort = (lastPort + 1) % PORTS;
    const port = 20_000 + (process.pid % 60) * PORTS + lastPort;
    if (await isPortFree(port)) return port;
  }
}

let binarySearch: Promise<RedisServerBinary> | undefined;

/** Finds the Redis server for the tests, once per process. */
export function findTestBinary(): Promise<RedisServerBinary> {
  const explicitPath = process.env.REDIS_SERVER_BIN;
  binarySearch ??= findRedisServer({ cacheDir: CACHE, ...(explicitPath ? { explicitPath } : {}) }).catch(
    (error: unknown) => {
      // Retries in the next call, so that one failed search does not fail all later test files of this process.
      binarySearch = undefined;
      throw error;
    },
  );
  return binarySearch;
}

async function launchFirst(binary: RedisServerBinary, dir: string, options: TestRedisOptions) {
  for (let left = options.port === undefined ? 5 : 1; ; left--) {
    const port = options.port ?? (await findFreePort());
    try {
      return { port, server: await launchOn(port, { binary, dir, options }) };
    } catch (error) {
      // Another test file may have taken the port since the search.
      const taken = error instanceof Error && error.message.includes("Address already in use");
      if (taken && left > 1) continue;
      if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
      throw error;
    }
  }
}

interface ServerSetup {
  binary: RedisServerBinary;
  dir: string;
  options: TestRedisOptions;
}

async function launchOn(port: number, { binary, dir, options }: ServerSetup): Promise<LaunchedServer> {
  const settings = {
    port: String(port),
    bind: "127.0.0.1",
    ...DEFAULTS,
    ...(options.password === undefined ? {} : { requirepass: options.password }),
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const server = await launchServer({
    binary,
    cwd: dir,
    args: [...args, ...(options.args ?? [])],
    port,
    logFile: join(dir, "redis.log"),
    env: options.env,
  });
  guardProcess(server.pid);
  return server;
}

class TestRedisServer implements TestRedis {
  readonly port: number;
  readonly url: string;
  #setup: ServerSetup;
  #server: LaunchedServer;
  #clients = new Set<Redis>();

  constructor({ port, server, ...setup }: ServerSetup & { port: number; server: LaunchedServer }) {
    this.port = port;
    const { password } = setup.options;
    this.url = `redis://${password === undefined ? "" : `:${encodeURIComponent(password)}@`}127.0.0.1:${port}`;
    this.#setup = setup;
    this.#server = server;
  }

  get pid(): number {
    return this.#server.pid;
  }

  createClient(): Redis {
    const client = new Redis(this.url);
    // Connection errors are expected when a test freezes or kills the server.
    client.on("error", () => {});
    this.#clients.add(client);
    return client;
  }

  runCli(...args: string[]): Promise<string> {
    const { binary, options } = this.#setup;
    return runRedisCli({ binary, port: this.port, url: this.url, password: options.password }, args);
  }

  freeze(): void {
    sendSignal(this.pid, "SIGSTOP");
  }

  thaw(): void {
    sendSignal(this.pid, "SIGCONT");
  }

  async kill(): Promise<void> {
    sendSignal(this.pid, "SIGKILL");
    await waitUntilGone(this.pid, 2_000);
    unguardProcess(this.pid);
  }

  async restart(): Promise<void> {
    await this.#shutDown();
    this.#server = await launchOn(this.port, this.#setup);
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.disconnect();
    const { dir, options } = this.#setup;
    // An orderly shutdown is only necessary if the folder is kept.
    await (options.dir === undefined ? this.kill() : this.#shutDown());
    if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
  }

  async #shutDown(): Promise<void> {
    this.thaw();
    await endServer(this.pid);
    unguardProcess(this.pid);
  }
}
