import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type BrowserContext, test as base, expect, type Page } from "@playwright/test";
import { UI_FLAGS_COOKIE } from "../components/ui/ui-flags-cookie.ts";
import type { Role } from "../lib/contract/access.ts";
import { LoginLinks } from "../server/auth/login-link.ts";
import { readConfig } from "../server/config/config.ts";
import { openHomeStore } from "../server/home/open-home-store.ts";
import { waitUntilReady } from "../server/redis/connect.ts";
import { findHomeLocation } from "../server/start-configured-redis.ts";
import { findFreePort, startTestRedis, type TestRedis } from "../test/support/test-redis.ts";

export const ROOT_KEY = "root-key-of-the-e2e-tests-0123456789-0123456789";

/** The production build, started as `npm start` does, on a Redis of its own. */
export interface Console {
  readonly url: string;
  readonly redis: TestRedis;
  /** A fresh one-time link. */
  link(name?: string, role?: Role): Promise<string>;
  /** The same as `npm run login` prints it. */
  printedLink(): Promise<string>;
  api(path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }>;
  /** When (performance.now()) GET /events told of it. */
  nextEvent(type: string, key: string): Promise<number>;
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
  const server = spawn(process.execPath, ["--import", "tsx", "server/main.ts"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await said(server, /Lockkeeper is ready/);
  return {
    url,
    redis,
    link: async (name = "mei", role = "admin") => `${url}/login#${await newToken(env, name, role)}`,
    printedLink: () => printedLink(env),
    api: (path, body) => callApi(url, path, body),
    nextEvent: (type, key) => nextEvent(url, type, key),
    async stop() {
      server.kill("SIGTERM");
      if (server.exitCode === null) await once(server, "exit");
      await redis.stop();
    },
  };
}

async function callApi(url: string, path: string, body?: unknown) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${ROOT_KEY}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
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

async function said(process: ChildProcess, what: RegExp): Promise<string> {
  let text = "";
  return await new Promise((resolve, reject) => {
    process.stdout?.on("data", (chunk) => {
      text += chunk;
      if (what.test(text)) resolve(text);
    });
    process.once("exit", () => reject(new Error(`It ended before it said ${what}:\n${text}`)));
  });
}

/** In this very process: another one takes a second to begin. */
async function newToken(env: NodeJS.ProcessEnv, name: string, role: Role): Promise<string> {
  const where = findHomeLocation(readConfig(env));
  if (where === undefined) throw new Error("This console keeps what it knows in a Redis of its own.");
  const home = openHomeStore(where, "e2e");
  try {
    await waitUntilReady(home.store, AbortSignal.timeout(5000));
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
  const text = await said(login, /\S+\/login#\S+\n/);
  return /\S+\/login#\S+/.exec(text)?.[0] ?? "";
}

/** Each worker has its own console; each test its own browser context, logged in, and its own keys. */
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
    { scope: "worker", timeout: 30_000 },
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
    const complaints = watchComplaints(page);
    await use(page);
    await context.close();
    expect(complaints).toEqual([]);
  },
  key: async ({ browserName: _ }, use, info) => {
    await use((name) => `lock:${info.testId.slice(-8)}:${name}`);
  },
});

/** As the page behind a link does, without the page; its own tests are in journey.spec.ts. */
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

async function beginSession(
  context: BrowserContext,
  lockkeeper: Console,
  name?: string,
  role?: Role,
): Promise<void> {
  const [, token] = (await lockkeeper.link(name, role)).split("#");
  const headers = { origin: lockkeeper.url };
  const answer = await context.request.post(`${lockkeeper.url}/api/v1/login`, { data: { token }, headers });
  expect(answer.status()).toBe(200);
}

/** The table has the room of the filters: all its columns are there. */
export async function foldFilters(page: Page, { url }: Console): Promise<void> {
  await page.context().addCookies([{ name: UI_FLAGS_COOKIE, value: "-facets", url }]);
}

/** What a page must never do: throw, or break its own content security policy. */
function watchComplaints(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (/Content Security Policy|Hydration|hydrat/i.test(message.text())) complaints.push(message.text());
  });
  return complaints;
}

export { expect };
