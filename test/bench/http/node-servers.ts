import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isBuilt } from "../../../scripts/steps/freshness.mjs";
import { findFreePort } from "../../support/test-redis.ts";
import { sendRequest, startChild } from "../child.ts";
import type { Run } from "../figure.ts";
import type { Usage } from "../processes/usage-reporter.ts";
import { ROOT } from "../root.ts";
import { EMBEDDED_FLAGS, startRedis } from "../servers.ts";
import type { NodeContender } from "./contender.ts";

const USAGE_REPORTER = [
  "--expose-gc",
  "--import",
  fileURLToPath(new URL("../processes/usage-reporter.ts", import.meta.url)),
];
const SERVER = join(ROOT, "server/main.ts");
const START_MS = 30_000;

/** Whether the console's pages are built. Without them, the benchmark cannot start the whole server or Next. */
export const arePagesBuilt = (): boolean => isBuilt(ROOT);

export async function startOurs(run: Run): Promise<NodeContender> {
  const pages = arePagesBuilt();
  const what = pages
    ? "the whole server as npm start runs it"
    : "the server without its pages, which are not built";
  return await startServer(run, {
    name: "ours",
    settings: `${what}: API key checked, keys watched, notifications as the embedded Redis sets them; no stream open`,
    file: pages ? SERVER : "api-server.ts",
    adapter: "node",
  });
}

/**
 * Starts the server without its pages, with additional environment variables.
 *
 * @param file file name in `processes/`
 */
export async function startWithoutPages(
  run: Run,
  environment: Readonly<Record<string, string>> = {},
  file = "api-server.ts",
): Promise<NodeContender> {
  const settings =
    "the server without its pages: keys watched, notifications as the embedded Redis sets them";
  return await startServer(run, {
    name: "ours",
    settings,
    file,
    adapter: "node",
    pages: "none",
    environment,
  });
}

/** Starts the whole server with Next's route handler in front of the API. */
export async function startNext(run: Run): Promise<NodeContender> {
  return await startServer(run, {
    name: "next",
    settings:
      "ours with LOCKKEEPER_HTTP_ADAPTER=next: the same dispatcher behind a route handler, production build",
    file: SERVER,
    adapter: "next",
  });
}

interface ServerSettings {
  readonly name: string;
  readonly settings: string;
  readonly file: string;
  readonly adapter: "node" | "next";
  readonly pages?: "none";
  readonly environment?: Readonly<Record<string, string>>;
}

async function startServer(run: Run, given: ServerSettings): Promise<NodeContender> {
  const { name, settings, file, adapter, pages, environment } = given;
  const { url, inspector } = await startRedis(run, EMBEDDED_FLAGS);
  const port = await findFreePort();
  const secret = randomBytes(30).toString("base64url");
  const env = {
    ...getInheritedEnvironment(),
    REDIS_URL: url,
    PORT: String(port),
    LOCKKEEPER_ROOT_KEY: secret,
    LOCKKEEPER_HTTP_ADAPTER: adapter,
    ...environment,
  };
  const child = await startChild(run, file, [], { env, execArgv: USAGE_REPORTER, output: "hidden" });
  // Without pages, /readyz never returns 200.
  const path = arePagesBuilt() && pages !== "none" ? "readyz" : "api/v1/locks";
  await waitUntilReady(child, `http://127.0.0.1:${port}/${path}`, secret);
  const target = { dialect: "lockkeeper", port, secret } as const;
  return { name, settings, inspector, redisUrl: url, target, ...createUsageReaders(child) };
}

export async function startBare(run: Run): Promise<NodeContender> {
  const { url, inspector } = await startRedis(run, EMBEDDED_FLAGS);
  const port = await findFreePort();
  const secret = randomBytes(30).toString("base64url");
  const args = [url, String(port), secret];
  const child = await startChild(run, "bare-http.ts", args, {
    env: getInheritedEnvironment(),
    execArgv: USAGE_REPORTER,
  });
  await waitUntilReady(child, `http://127.0.0.1:${port}/`, "none");
  return {
    name: "bare",
    settings:
      "node:http and ioredis with its defaults, EVALSHA of the same two scripts with the same arguments, JSON in and out, a key compared; no checks, no watching",
    inspector,
    redisUrl: url,
    target: { dialect: "lockkeeper", port, secret },
    ...createUsageReaders(child),
  };
}

/** Returns the minimal environment for a server, so that no variables of the calling process configure it. */
function getInheritedEnvironment(): NodeJS.ProcessEnv {
  const { PATH = "", HOME = "", TMPDIR = "/tmp" } = process.env;
  return { PATH, HOME, TMPDIR, NODE_ENV: "production" };
}

function createUsageReaders(child: ChildProcess): Pick<NodeContender, "cpuMicros" | "memory"> {
  return {
    cpuMicros: async () => (await sendRequest<Usage>(child, "usage")).cpuMicros,
    memory: () => sendRequest<Usage>(child, "memory"),
  };
}

/** Waits for the first response with a status below 500. */
async function waitUntilReady(child: ChildProcess, url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const deadline = performance.now() + START_MS;
  while (child.exitCode === null && performance.now() < deadline) {
    const response = await fetch(url, { headers }).catch(() => undefined);
    await response?.arrayBuffer();
    if (response !== undefined && response.status < 500) return;
    await sleep(20);
  }
  throw new Error(`The server at ${url} did not begin to answer`);
}
