import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hold } from "../../lib/contract/actions/verb.ts";
import { encodeKeyPath } from "../../lib/keys/key.ts";
import { type Config, readConfig } from "../../server/config/config.ts";
import type { HttpLimits } from "../../server/http/http-limits.ts";
import type { Runtime } from "../../server/runtime.ts";
import { ServerProcess } from "../../server/server-process.ts";
import { startTestRedis, type TestRedis, type TestRedisOptions } from "./test-redis.ts";

export const ROOT_KEY = "root-key-of-the-tests-0123456789-0123456789";

const AVAILABLE_WITHIN_MS = 10_000;

export type ApiAdapter = "node" | "next";

export interface TestServer {
  readonly redis: TestRedis;
  /** The Redis of the home store. The same as `redis` unless `hasOwnHome` is set. */
  readonly home: TestRedis;
  readonly runtime: Runtime;
  /** The lines printed to the terminal. */
  readonly terminalLines: readonly string[];
  readonly url: string;
  /**
   * Sends a request to a path below /api/v1, with the root key unless `headers` contains credentials. Does not read the
   * body of the response.
   */
  fetch(path: string, init?: CallInit): Promise<Response>;
  /** Sends a request like `fetch` and reads the response. */
  call(path: string, init?: CallInit): Promise<ApiReply>;
  /**
   * Sends a request like `call`, and repeats it for up to 10 s while the response is 503 `unavailable`. Lists of a
   * target return this error while no probe of Redis has succeeded for 1.5 s, for example after a failover.
   */
  callUntilAvailable(path: string, init?: CallInit): Promise<ApiReply>;
  /** Sends a request like `call`, with no credentials except those in `headers`. */
  callAnonymously(path: string, init?: CallInit): Promise<ApiReply>;
  /** Calls a verb or an operator action on a lock. */
  callVerb(key: string, name: string, body: unknown, headers?: Record<string, string>): Promise<ApiReply>;
  /** Acquires a lock. @throws unless the lock was granted */
  acquire(key: string, body?: object, headers?: Record<string, string>): Promise<Hold>;
  /** Re-enters a hold. */
  reenter(hold: Pick<Hold, "holdId" | "key">, body?: object): Promise<Hold>;
  callHold(
    hold: Pick<Hold, "holdId">,
    name: "renew" | "release" | "downgrade" | "answer-release-request",
    body?: object,
    headers?: Record<string, string>,
  ): Promise<ApiReply>;
  /** Reads the status of a hold. */
  readHold(hold: Pick<Hold, "holdId">, headers?: Record<string, string>): Promise<ApiReply>;
  /** Reads the lock at `key`. */
  readLock(key: string): Promise<ApiReply["body"]>;
  /** Waits until the lock list has `count` locks that match `filter`. */
  waitForLocks(filter: string, count?: number, target?: string): Promise<void>;
  /** Opens a TCP connection to the server whose errors are ignored. */
  openSocket(): Socket;
  stop(): Promise<void>;
}

export interface CallInit {
  method?: string;
  /** Body of the request, which is sent as JSON. Strings and streams are sent unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface ApiReply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  body: any;
}

export interface TestServerOptions {
  adapter?: ApiAdapter;
  redis?: TestRedisOptions;
  /** Whether the home store is on a separate Redis server. */
  hasOwnHome?: boolean;
  environment?: Record<string, string>;
  /**
   * Returns the content of the configuration file for the given Redis URL. Without this option, there is no
   * configuration file.
   */
  file?: (url: string) => object;
  /** Limits on HTTP requests that differ from the defaults. */
  limits?: HttpLimits;
  /** What to wait for before the server is returned. `ready` by default. */
  waitFor?: "ready" | "nothing";
}

/**
 * Starts an instance without the console on a temporary Redis. `adapter` selects the HTTP adapter: Node's or the
 * web-standard one.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const redis = await startTestRedis(options.redis);
  const home = options.hasOwnHome ? await startTestRedis() : redis;
  const dir = options.file && (await mkdtemp(join(tmpdir(), "lockkeeper-config-")));
  if (dir !== undefined) await writeFile(join(dir, "config.json"), JSON.stringify(options.file?.(redis.url)));
  const config: Config = readConfig(
    {
      ...(dir === undefined ? { REDIS_URL: redis.url } : { LOCKKEEPER_CONFIG: join(dir, "config.json") }),
      PORT: "0",
      LOCKKEEPER_ROOT_KEY: ROOT_KEY,
      LOCKKEEPER_LOG: "error",
      // Tests send far more requests without credentials than clients do.
      LOCKKEEPER_RATE_LIMIT_UNAUTHENTICATED: "off",
      ...(home === redis ? {} : { LOCKKEEPER_HOME_URL: home.url }),
      ...options.environment,
    },
    [],
  );
  const service = new ServerProcess(config, options.limits);
  const said: string[] = [];
  const { runtime } = await service.start({ hasTerminal: true, printLine: (line) => said.push(line) });
  if (options.waitFor !== "nothing") await waitUntil(() => runtime.readiness.ready);
  const url = `http://127.0.0.1:${service.httpServer.port}`;
  const send = (path: string, init: CallInit = {}) => {
    const request = createRequest(`${url}/api/v1${path}`, init);
    return options.adapter === "next" ? runtime.handleWebRequest(request) : fetch(request);
  };
  const sendWithKey = (path: string, init: CallInit = {}) =>
    send(path, { ...init, headers: { ...createBearerHeader(ROOT_KEY), ...init.headers } });
  const call = async (path: string, init?: CallInit) => await readReply(await sendWithKey(path, init));
  return {
    redis,
    home,
    runtime,
    terminalLines: said,
    url,
    fetch: sendWithKey,
    call,
    async callUntilAvailable(path, init) {
      let reply = await call(path, init);
      await waitUntil(async () => {
        if (reply.status !== 503 || reply.body.code !== "unavailable") return true;
        reply = await call(path, init);
        return false;
      }, AVAILABLE_WITHIN_MS);
      return reply;
    },
    callAnonymously: async (path, init) => await readReply(await send(path, init)),
    callVerb: (key, name, body, headers = {}) =>
      call(`/locks/${encodeKeyPath(key)}/${name}`, { body, headers }),
    async acquire(key, body = {}, headers = {}) {
      const reply = await call(`/locks/${encodeKeyPath(key)}/acquire`, { body, headers });
      if (reply.status === 201 || reply.status === 200) return reply.body;
      throw new Error(`${key} was not acquired: ${reply.status} ${JSON.stringify(reply.body)}`);
    },
    async reenter({ holdId, key }, body = {}) {
      const headers = { "idempotency-key": randomUUID() };
      return (
        await call(`/locks/${encodeKeyPath(key)}/acquire`, { body: { ...body, reenter: holdId }, headers })
      ).body;
    },
    callHold: ({ holdId }, name, body = {}, headers = {}) =>
      call(`/holds/${holdId}/${name}`, { body, headers }),
    readHold: ({ holdId }, headers = {}) => call(`/holds/${holdId}`, { headers }),
    readLock: async (key) => (await call(`/locks/${encodeKeyPath(key)}`)).body,
    async waitForLocks(filter, count = 1, target) {
      const query = new URLSearchParams({ filter, ...(target === undefined ? {} : { target }) });
      await waitUntil(async () => (await call(`/locks?${query}`)).body.total === count);
    },
    openSocket() {
      const { hostname, port } = new URL(url);
      return connect(Number(port), hostname).on("error", () => undefined);
    },
    async stop() {
      await service.stop();
      await redis.stop();
      if (home !== redis) await home.stop();
      if (dir !== undefined) await rm(dir, { recursive: true });
    },
  };
}

/** Creates the header that sends `secret` as an API key. */
export const createBearerHeader = (secret: string) => ({ authorization: `Bearer ${secret}` });

function createRequest(url: string, init: CallInit): Request {
  const { method = init.body === undefined ? "GET" : "POST", body, headers } = init;
  const isStream = body instanceof ReadableStream;
  const content = typeof body === "string" || isStream ? body : JSON.stringify(body);
  return new Request(url, {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: content }),
    ...(isStream ? { duplex: "half" } : {}),
    ...(init.signal === undefined ? {} : { signal: init.signal }),
  });
}

async function readReply(response: Response): Promise<ApiReply> {
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== "" ? JSON.parse(text) : text,
  };
}

/** Waits until a condition holds. @throws if the condition does not hold within `withinMs` */
export async function waitUntil(holds: () => boolean | Promise<boolean>, withinMs = 5000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`It did not happen within ${withinMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
