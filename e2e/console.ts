import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type BrowserContext, test as base, expect, type Page } from "@playwright/test";
import { UI_FLAGS_COOKIE } from "../components/ui/ui-flags-cookie.ts";
import type { Role } from "../lib/contract/access.ts";
import { LoginLinks } from "../server/auth/login-link.ts";
import { readConfig } from "../server/config/config.ts";
import { openHomeStore } from "../server/home/open-home-store.ts";
import { waitUntilReady } from "../server/redis/connect.ts";
import { locateHomeStore } from "../server/start-configured-redis.ts";
import { findFreePort, findTestBinary, startTestRedis, type TestRedis } from "../test/support/test-redis.ts";

export const ROOT_KEY = "root-key-of-the-e2e-tests-0123456789-0123456789";

/** The production build, started in the same way as by `npm start`, on a separate Redis. */
export interface Console {
  readonly url: string;
  readonly redis: TestRedis;
  /** Creates a one-time login link. */
  link(name?: string, role?: Role): Promise<string>;
  /** Runs the login script for `mei` and returns the login link from its output. */
  printedLink(): Promise<string>;
  api(path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }>;
  putApi(path: string, body: unknown): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Renews, releases or re-enters the hold that `api` acquired last for the lock at this path. */
  callHold(
    verb: "renew" | "release" | "reenter",
    lockPath: string,
    body?: object,
  ): Promise<{ status: number; body: Record<string, unknown> }>;
  /**
   * Resolves when `GET /events` next sends an event of this type and key. The result is the time of the event in
   * milliseconds of `performance.now()`.
   */
  nextEvent(type: string, key: string): Promise<number>;
  /** Kills the process, as in a crash. */
  kill(): Promise<void>;
  /** Starts the process again after `kill`, at the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startConsole(environment: Record<string, string> = {}): Promise<Console> {
  const redis = await startTestRedis();
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    REDIS_URL: redis.url,
    PORT: String(port),
    LOCKKEEPER_ROOT_KEY: ROOT_KEY,
    LOCKKEEPER_RUNBOOKS: "*-has-runbook*=https://wiki.example/locks?key={key}",
    ...environment,
  };
  let server = await startServerProcess(env);
  const holds = new Map<string, string>();
  return {
    url,
    redis,
    link: async (name = "mei", role = "admin") => `${url}/login#${await newToken(env, name, role)}`,
    printedLink: () => printedLink(env),
    async api(path, body) {
      const reply = await callApi(url, path, body);
      if (reply.status === 201) holds.set(path.replace(/\/acquire.*$/, ""), reply.body.holdId);
      return reply;
    },
    putApi: (path, body) => callApi(url, path, body, "PUT"),
    callHold(verb, lockPath, body = {}) {
      const holdId = holds.get(lockPath) ?? "none";
      return verb === "reenter"
        ? callApi(url, `${lockPath}/acquire`, { ...body, reenter: holdId })
        : callApi(url, `/holds/${holdId}/${verb}`, body);
    },
    nextEvent: (type, key) => nextEvent(url, type, key),
    kill: () => endProcess(server, "SIGKILL"),
    async restart() {
      server = await startServerProcess(env);
    },
    async stop() {
      await endProcess(server, "SIGTERM");
      await redis.stop();
    },
  };
}

async function startServerProcess(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const server = spawn(process.execPath, ["--import", "tsx", "server/main.ts"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await waitForOutput(server, /Lockkeeper is ready/);
  return server;
}

async function endProcess(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.kill(signal);
  await once(server, "exit");
}

/** Starts a console with its own embedded Redis. `stop` also removes the data of that Redis. */
export async function startConsoleOnEmbeddedRedis(): Promise<Console & { readonly dataDir: string }> {
  const cacheDir = await mkdtemp(join(tmpdir(), "lockkeeper-e2e-"));
  const { source, path } = await findTestBinary();
  if (source === "unpacked") await symlink(resolve(".cache/redis-server"), join(cacheDir, "redis-server"));
  const running = await startConsole({
    REDIS_URL: "",
    LOCKKEEPER_CACHE_DIR: cacheDir,
    LOCKKEEPER_REDIS_PORT: String(await findFreePort()),
    ...(source === "configured" ? { REDIS_SERVER_BIN: path } : {}),
  });
  return {
    ...running,
    dataDir: join(cacheDir, "redis"),
    async stop() {
      await running.stop();
      await rm(cacheDir, { recursive: true });
    },
  };
}

/** Starts a console whose targets are in a configuration file. `stop` also removes the file. */
export async function startConsoleOnTargets(targets: readonly object[]): Promise<Console> {
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-e2e-"));
  const path = join(dir, "lockkeeper.config.json");
  await writeFile(path, JSON.stringify({ targets }));
  const running = await startConsole({ REDIS_URL: "", LOCKKEEPER_RUNBOOKS: "", LOCKKEEPER_CONFIG: path });
  return {
    ...running,
    async stop() {
      await running.stop();
      await rm(dir, { recursive: true });
    },
  };
}

async function callApi(
  url: string,
  path: string,
  body?: unknown,
  method = body === undefined ? "GET" : "POST",
) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${ROOT_KEY}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(/\/(?:acquire|release)\b/.test(path) ? { "idempotency-key": randomUUID() } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

async function nextEvent(url: string, type: string, key: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/events`, { headers: { authorization: `Bearer ${ROOT_KEY}` } });
  let text = "";
  for await (const chunk of response.body ?? new ReadableStream<Uint8Array>()) {
    text += new TextDecoder().decode(chunk);
    const block = text
      .split("\n\n")
      .find((each) => each.includes(`event: ${type}\n`) && each.includes(JSON.stringify(key)));
    if (block !== undefined) return performance.now();
  }
  throw new Error(`The stream ended before ${type} of ${key}`);
}

/** Waits until the output of a process matches, and returns the whole output so far. */
export async function waitForOutput(process: ChildProcess, what: RegExp): Promise<string> {
  let text = "";
  return await new Promise((resolve, reject) => {
    process.stdout?.on("data", (chunk) => {
      text += chunk;
      if (what.test(text)) resolve(text);
    });
    process.once("exit", () => reject(new Error(`The process ended before it printed ${what}:\n${text}`)));
  });
}

/** Creates a login token in this process, because starting another process takes a second. */
async function newToken(env: NodeJS.ProcessEnv, name: string, role: Role): Promise<string> {
  const home = openHomeStore(await locateHomeStore(readConfig(env)), "e2e");
  try {
    await waitUntilReady(home.store, AbortSignal.timeout(60_000));
    return await new LoginLinks(home).create({ name, roles: { "*": role } });
  } finally {
    home.close();
  }
}

async function printedLink(env: NodeJS.ProcessEnv): Promise<string> {
  const login = spawn(process.execPath, ["--import", "tsx", "scripts/login.ts", "--name", "mei"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const text = await waitForOutput(login, /\S+\/login#\S+\n/);
  return /\S+\/login#\S+/.exec(text)?.[0] ?? "";
}

/**
 * The Playwright test with a running console. Each worker has its own console. Each test has its own keys and its own
 * browser context, which is logged in.
 */
export const test = base.extend<
  { page: Page; key: (name: string) => string },
  { lockkeeper: Console; loggedIn: string }
>({
  lockkeeper: [
    async ({ browserName: _ }, use) => {
      const running = await startConsole();
      await use(running);
      await running.stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  loggedIn: [
    async ({ browser, lockkeeper }, use) => {
      const context = await browser.newContext();
      await beginSession(context, lockkeeper);
      const state = JSON.stringify(await context.storageState());
      await context.close();
      await use(state);
    },
    { scope: "worker" },
  ],
  page: async ({ browser, lockkeeper, loggedIn }, use) => {
    const context = await browser.newContext({ baseURL: lockkeeper.url, storageState: JSON.parse(loggedIn) });
    const page = await context.newPage();
    const errors = collectPageErrors(page);
    await use(page);
    await context.close();
    expect(errors).toEqual([]);
  },
  key: async ({ browserName: _ }, use, info) => {
    await use((name) => `lock:${info.testId.slice(-8)}:${name}`);
  },
});

/**
 * Logs in and opens the console. Sends the login request directly, without opening the page of the login link.
 * lock-lifecycle.spec.ts tests that page.
 */
export async function logIn(
  context: BrowserContext,
  lockkeeper: Console,
  name?: string,
  role?: Role,
): Promise<Page> {
  await beginSession(context, lockkeeper, name, role);
  const page = await context.newPage();
  await page.goto(`${lockkeeper.url}/`);
  return page;
}

/**
 * Logs in at the given URL of the console, without opening a page. The name of the session cookie contains the port of
 * the URL.
 */
export async function beginSession(
  context: BrowserContext,
  lockkeeper: Pick<Console, "link" | "url">,
  name?: string,
  role?: Role,
): Promise<void> {
  const [, token] = (await lockkeeper.link(name, role)).split("#");
  const headers = { origin: lockkeeper.url };
  const answer = await context.request.post(`${lockkeeper.url}/api/v1/login`, { data: { token }, headers });
  expect(answer.status()).toBe(200);
}

/** Collapses the filter panel, so that the table has room for all columns. */
export async function foldFilters(page: Page, { url }: Console): Promise<void> {
  await page.context().addCookies([{ name: UI_FLAGS_COOKIE, value: "-facets", url }]);
}

/** Collects exceptions, hydration errors and violations of the content security policy. */
export function collectPageErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (/Content Security Policy|Hydration|hydrat/i.test(message.text())) errors.push(message.text());
  });
  return errors;
}

export { expect };
