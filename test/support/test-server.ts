import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, readConfig } from "../../server/config/config.ts";
import type { HttpLimits } from "../../server/http/http-limits.ts";
import type { Runtime } from "../../server/runtime.ts";
import { ServerProcess } from "../../server/server-process.ts";
import { startTestRedis, type TestRedis, type TestRedisOptions } from "./test-redis.ts";

export const ROOT_KEY = "root-key-of-the-tests-0123456789-0123456789";

export type ApiAdapter = "fast" | "next";

export interface TestServer {
  readonly redis: TestRedis;
  readonly runtime: Runtime;
  /** What was said to the terminal. */
  readonly terminalLines: readonly string[];
  readonly url: string;
  /** A call under /api/v1 with the root key, unless other headers are given. */
  call(path: string, init?: CallInit): Promise<ApiReply>;
  stop(): Promise<void>;
}

export interface CallInit {
  method?: string;
  /** JSON's content, or a text or a stream that is sent as it is. */
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
  door?: ApiAdapter;
  redis?: TestRedisOptions;
  environment?: Record<string, string>;
  /** What the configuration file says, with the URL of the Redis; without it there is no file. */
  file?: (url: string) => object;
  /** What clients may send, where that is not as ever. */
  limits?: HttpLimits;
  /** `ready` by default. */
  waitFor?: "ready" | "nothing";
}

/** The API on a throwaway Redis, without pages: through Node's door over HTTP, or through the web-standard one. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const redis = await startTestRedis(options.redis);
  const dir = options.file && (await mkdtemp(join(tmpdir(), "lockkeeper-config-")));
  if (dir !== undefined) await writeFile(join(dir, "config.json"), JSON.stringify(options.file?.(redis.url)));
  const config: Config = readConfig(
    {
      ...(dir === undefined ? { REDIS_URL: redis.url } : { LOCKKEEPER_CONFIG: join(dir, "config.json") }),
      PORT: "0",
      LOCKKEEPER_ROOT_KEY: ROOT_KEY,
      LOCKKEEPER_LOG: "error",
      // Tests come without credentials far more often than anybody else.
      LOCKKEEPER_RATE_LIMIT_UNKNOWN: "off",
      ...options.environment,
    },
    [],
  );
  const service = new ServerProcess(config, options.limits);
  const said: string[] = [];
  const { runtime } = await service.start((line) => said.push(line));
  if (options.waitFor !== "nothing") await waitUntil(() => runtime.readiness.ready);
  const url = `http://127.0.0.1:${service.httpServer.port}`;
  const send =
    options.door === "next"
      ? (request: Request) => runtime.handleWebRequest(request)
      : (request: Request) => fetch(request);
  return {
    redis,
    runtime,
    terminalLines: said,
    url,
    call: (path, init) => sendCall(send, `${url}/api/v1${path}`, init),
    async stop() {
      await service.stop();
      await redis.stop();
      if (dir !== undefined) await rm(dir, { recursive: true });
    },
  };
}

async function sendCall(
  send: (request: Request) => Promise<Response>,
  url: string,
  init: CallInit = {},
): Promise<ApiReply> {
  const { method = init.body === undefined ? "GET" : "POST", body, headers } = init;
  const isStream = body instanceof ReadableStream;
  const content = typeof body === "string" || isStream ? body : JSON.stringify(body);
  const response = await send(
    new Request(url, {
      method,
      headers: {
        ...(headers?.authorization === undefined ? { authorization: `Bearer ${ROOT_KEY}` } : {}),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: content }),
      ...(isStream ? { duplex: "half" } : {}),
      ...(init.signal === undefined ? {} : { signal: init.signal }),
    }),
  );
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== "" ? JSON.parse(text) : text,
  };
}

/** Waits for something that happens by itself. @throws when it does not within the time */
export async function waitUntil(holds: () => boolean | Promise<boolean>, withinMs = 5000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`It did not happen within ${withinMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
