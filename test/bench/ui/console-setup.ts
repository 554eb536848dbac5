import { type Browser, type BrowserContext, chromium, type Page } from "@playwright/test";
import settings from "../../../playwright.config.ts";
import { findChromium } from "../../../scripts/steps/chromium.mjs";
import { LoginLinks } from "../../../server/auth/login-link.ts";
import { readConfig } from "../../../server/config/config.ts";
import { openHomeStore } from "../../../server/home/open-home-store.ts";
import { waitUntilReady } from "../../../server/redis/connect.ts";
import { findHomeLocation } from "../../../server/start-configured-redis.ts";
import { sendRequest, startChild } from "../child.ts";
import type { Facts, Run } from "../figure.ts";
import type { NodeContender } from "../http/contender.ts";
import { arePagesBuilt, startOurs } from "../http/node-servers.ts";
import { readLoad, readMachineFacts } from "../machine.ts";
import { reportProgress } from "../progress.ts";
import { ROOT } from "../root.ts";
import type { ChangesRequest, ChangesResponse } from "../watch/changes-messages.ts";
import { acquireLocks } from "../watch/keyspace.ts";

const VIEW = { width: 1440, height: 900 };
/** Number of lock names that other clients acquire, renew and release. */
const CHANGED_NAMES = 2000;
const KNOWN_WITHIN_MS = 180_000;

/** A console started like `npm start` with locks that change, and a browser with a session. */
export interface ConsoleSetup {
  readonly server: NodeContender;
  readonly url: string;
  readonly browser: Browser;
  /** Opens a browser context with empty caches and a session. */
  newContext(): Promise<BrowserContext>;
  /** Reads facts about the machine, the browser and the changes, which every line contains. */
  facts(): Promise<Facts>;
}

interface Fleet {
  readonly locks: number;
  readonly changesPerSecond: number;
}

export async function openConsoleSetup(run: Run, fleet: Fleet): Promise<ConsoleSetup> {
  const server = await openServer(run);
  const url = `http://127.0.0.1:${server.target.port}`;
  reportProgress(`${fleet.locks} locks, ${fleet.changesPerSecond} changes a second`);
  await acquireLocks(run, server.redisUrl, server.inspector, fleet.locks);
  await waitUntilWatched(server, url, fleet.locks);
  const changes = await startChild(run, "changes.ts", [server.redisUrl]);
  const tell = (words: ChangesRequest) => sendRequest<ChangesResponse>(changes, words);
  if (fleet.changesPerSecond > 0)
    await tell({ do: "change", perSecond: fleet.changesPerSecond, names: CHANGED_NAMES });
  const executablePath = await findChromium(ROOT);
  const browser = await chromium.launch({ ...settings.use?.launchOptions, executablePath });
  run.defer(() => browser.close());
  const state = await logIn(browser, url, server);
  return {
    ...{ server, url, browser },
    newContext: () => browser.newContext({ storageState: state, viewport: VIEW }),
    async facts() {
      const { changes: made, seconds, failed } = await tell({ do: "report" });
      return {
        ...(await readMachineFacts(server.inspector, run.effort)),
        ...{ loadAtEnd: readLoad(), chromium: browser.version(), locks: fleet.locks },
        changesPerSecond: Math.round(made / seconds),
        changesFailed: failed,
      };
    },
  };
}

export async function openServer(run: Run): Promise<NodeContender> {
  if (!arePagesBuilt()) throw new Error("The console's pages are not built: npm run bench builds them.");
  return await startOurs(run);
}

/**
 * Opens the list of locks and waits for its first row.
 *
 * @throws if no row appears in time
 */
export async function openLocks(context: BrowserContext, url: string, query = ""): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${url}/${query}`);
  await page.locator("tr[data-path]").first().waitFor();
  return page;
}

async function waitUntilWatched(server: NodeContender, url: string, locks: number): Promise<void> {
  const headers = { authorization: `Bearer ${server.target.secret}` };
  const deadline = performance.now() + KNOWN_WITHIN_MS;
  while (performance.now() < deadline) {
    const response = await fetch(`${url}/api/v1/locks?limit=1`, { headers });
    const { total }: { total?: number } = await response.json();
    if ((total ?? 0) >= locks) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`The console did not come to know of ${locks} locks.`);
}

/** Logs in with a one-time token, as the page for one-time links does, and returns the browser's storage state. */
async function logIn(browser: Browser, url: string, server: NodeContender) {
  const token = await createToken(server);
  const context = await browser.newContext();
  const headers = { origin: url };
  const answer = await context.request.post(`${url}/api/v1/login`, { data: { token }, headers });
  if (!answer.ok()) throw new Error(`POST /login answered ${answer.status()}`);
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Creates a session and returns the value of its `Cookie` header. */
export async function createSessionCookie(url: string, server: NodeContender): Promise<string> {
  const response = await fetch(`${url}/api/v1/login`, {
    method: "POST",
    headers: { origin: url, "content-type": "application/json" },
    body: JSON.stringify({ token: await createToken(server) }),
  });
  if (!response.ok) throw new Error(`POST /login returned ${response.status}`);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
}

async function createToken({ redisUrl }: NodeContender): Promise<string> {
  const where = findHomeLocation(readConfig({ REDIS_URL: redisUrl, PORT: "0" }, []));
  if (where === undefined) throw new Error("This console keeps what it knows in a Redis of its own.");
  const home = openHomeStore(where, "bench");
  try {
    await waitUntilReady(home.store, AbortSignal.timeout(5000));
    return await new LoginLinks(home).create({ name: "mei", roles: { "*": "admin" } });
  } finally {
    home.close();
  }
}
