import { createHash } from "node:crypto";
import { mkdtemp, readFile, realpath, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Redis } from "ioredis";
import { describe, expect, it, onTestFinished } from "vitest";
import { startApiProcess } from "../test/support/api-process.ts";
import { findFreePort, findTestBinary } from "../test/support/test-redis.ts";
import { createBearerHeader, ROOT_KEY, startTestServer, waitUntil } from "../test/support/test-server.ts";
import { LoginLinks } from "./auth/login-link.ts";
import { getEmbeddedRedisDir, readConfig } from "./config/config.ts";
import { openHomeStore } from "./home/open-home-store.ts";
import { LockClient } from "./locks/client/lock-client.ts";
import { waitUntilReady } from "./redis/connect.ts";
import { readNote } from "./redis/embedded/embedded-files.ts";
import type { EmbeddedRedis } from "./redis/embedded/embedded-redis.ts";
import { isRunning, sendSignal } from "./redis/embedded/server-process.ts";
import { ServerProcess } from "./server-process.ts";
import { printStartupSummary } from "./startup-output.ts";

const RESTART_MS = 15_000;
const ROOT_HEADERS: Record<string, string> = createBearerHeader(ROOT_KEY);

/** Creates a production server with its own embedded Redis. The test stops the server at its end. */
async function createServerWithEmbeddedRedis({ isKeyGiven = true } = {}) {
  const cacheDir = await realpath(await mkdtemp(join(tmpdir(), "lockkeeper-embedded-")));
  onTestFinished(() => rm(cacheDir, { recursive: true, force: true }));
  // Also unpacks the Redis server of the tests.
  const { source, path } = await findTestBinary();
  await symlink(resolve(".cache/redis-server"), join(cacheDir, "redis-server"));
  const environment = {
    PORT: "0",
    LOCKKEEPER_LOG: "silent",
    ...(isKeyGiven ? { LOCKKEEPER_ROOT_KEY: ROOT_KEY } : {}),
    LOCKKEEPER_CACHE_DIR: cacheDir,
    LOCKKEEPER_REDIS_PORT: String(await findFreePort()),
    ...(source === "configured" ? { REDIS_SERVER_BIN: path } : {}),
  };
  const config = readConfig(environment, []);
  const service = new ServerProcess(config);
  onTestFinished(() => service.stop());
  return { cacheDir, environment, config, service };
}

/** Starts a production server with its own embedded Redis and without the console pages. */
async function startOnEmbeddedRedis({ hasTerminal = false, isKeyGiven = true } = {}) {
  const { cacheDir, environment, config, service } = await createServerWithEmbeddedRedis({ isKeyGiven });
  const lines: string[] = [];
  const output = { hasTerminal, printLine: (line: string) => void lines.push(line) };
  const started = await service.start(output);
  const { embeddedRedis, runtime } = started;
  if (embeddedRedis === undefined) throw new Error("No embedded Redis was started.");
  service.httpServer.attachPages((_incoming, outgoing) => void outgoing.writeHead(404).end());
  await waitUntil(() => runtime.readiness.ready);
  const url = `http://127.0.0.1:${service.httpServer.port}`;
  const call = async (method: string, path: string, body?: unknown, headers = ROOT_HEADERS) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        origin: url,
        ...headers,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
    return { status: response.status, headers: response.headers, body: (await response.json()) as any };
  };
  /** Logs in with a login link for `role`, and returns the session cookie. */
  const logIn = async (role: "viewer" | "operator") => {
    const home = openHomeStore(embeddedRedis.url, "test");
    onTestFinished(() => home.close());
    await waitUntilReady(home.store, AbortSignal.timeout(5000));
    const token = await new LoginLinks(home).create({ name: role, roles: { "*": role } });
    const { headers } = await call("POST", "/login", { token }, {});
    return headers.get("set-cookie")?.split(";")[0] ?? "";
  };
  const summarize = () => printStartupSummary(output, config, started, service.httpServer.port);
  return { cacheDir, environment, redis: embeddedRedis, runtime, url, lines, call, logIn, summarize };
}

async function connectTo(url: string): Promise<Redis> {
  const client = new Redis(url, { retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on("error", () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

/** Kills the embedded Redis, as the kernel does when memory runs out. Resolves when Redis is running again. */
async function killServer(redis: EmbeddedRedis): Promise<void> {
  const { pid } = redis;
  sendSignal(pid, "SIGKILL");
  await waitUntil(() => redis.pid !== pid && isRunning(redis.pid), RESTART_MS);
}

describe("access to the embedded Redis", () => {
  it("another local account cannot forge a login, with the application's password or without one", async () => {
    const { redis, url } = await startOnEmbeddedRedis();
    const token = "forged-token";
    const key = `{lockkeeper}:login:${createHash("sha256").update(token).digest("hex")}`;
    const login = JSON.stringify({ name: "x", roles: { "*": "admin" } });
    const open = await connectTo(`redis://127.0.0.1:${redis.port}`);
    const app = await connectTo(redis.appUrl);
    await expect(open.set(key, login)).rejects.toThrow();
    await expect(app.set(key, login)).rejects.toThrow("NOPERM");
    const reply = await fetch(`${url}/api/v1/login`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: url },
      body: JSON.stringify({ token }),
    });
    expect(reply.status).toBe(401);
  });

  it("an application acquires and releases locks through the library and the console sees them", async () => {
    const { redis, runtime } = await startOnEmbeddedRedis();
    const url = (await readFile(redis.app.file, "utf8")).trim();
    const client = await LockClient.open(url);
    onTestFinished(() => client.close());
    const hold = await client.acquire("lock:orders:42", { waitMs: 1000 });
    const [{ target } = {}] = runtime.targets.connectors;
    await waitUntil(() => target?.watcher.index.get("lock:orders:42") !== undefined);
    await hold.release();
    await waitUntil(() => target?.watcher.index.get("lock:orders:42") === undefined);
  });
});

describe("a stop during the start", () => {
  it.each(["before", "after"])(
    "%s the process of the embedded Redis is created, no server is left running",
    async (when) => {
      const { config, service } = await createServerWithEmbeddedRedis();
      const dir = getEmbeddedRedisDir(config);
      const hasNote = async () => (await readNote(dir)) !== undefined;
      const starting = service
        .start({ hasTerminal: false, printLine: () => undefined })
        .catch(() => undefined);
      if (when === "after") await waitUntil(hasNote, RESTART_MS);
      await service.stop();
      await starting;
      const pid = (await readNote(dir))?.pid;
      await waitUntil(() => pid === undefined || !isRunning(pid), RESTART_MS);
    },
  );
});

describe("an embedded Redis that ends", () => {
  it("it is started again on the same port with its data, and the server recovers, as often as it is killed", async () => {
    const { redis, runtime, url } = await startOnEmbeddedRedis();
    const client = await connectTo(redis.url);
    await client.config("SET", "appendfsync", "always");
    await client.set("kept", "yes");
    for (const round of [1, 2]) {
      await killServer(redis);
      await waitUntil(async () => (await fetch(`${url}/readyz`)).status === 200, RESTART_MS);
      expect(await (await connectTo(redis.url)).get("kept"), `round ${round}`).toBe("yes");
      expect(await runtime.createLoginLink()).toMatch(/./);
    }
  });

  it("two Lockkeeper processes that share it start one server", async () => {
    const { redis, runtime, environment } = await startOnEmbeddedRedis();
    const other = await startApiProcess(environment);
    onTestFinished(() => other.stop());
    await killServer(redis);
    const isReady = async () => (await fetch(`${other.url}/readyz`)).status === 200;
    await waitUntil(async () => runtime.readiness.ready && (await isReady()), RESTART_MS);
    const client = await connectTo(redis.url);
    expect(await client.info("server")).toContain(`process_id:${redis.pid}\r\n`);
  });
});

describe("the connection of applications", () => {
  it("administrators read it without the password, and revealing the password is audited", async () => {
    const { redis, call } = await startOnEmbeddedRedis();
    const shown = await call("GET", "/app-connection");
    expect(shown.body).toEqual({ connection: redis.app });
    expect(JSON.stringify(shown.body)).not.toContain(new URL(redis.appUrl).password);
    const revealed = await call("POST", "/app-connection/url");
    expect(revealed.body).toEqual({ url: redis.appUrl });
    expect(revealed.headers.get("cache-control")).toBe("no-store");
    const { body } = await call("GET", "/audit?action=reveal_app_connection");
    expect(body.items).toMatchObject([{ action: "reveal_app_connection", who: { id: "root" } }]);
  });

  it("viewers, operators and API keys without admin are refused with 403", async () => {
    const { call, logIn } = await startOnEmbeddedRedis();
    const key = await call("POST", "/keys", { name: "shop", verbs: ["read", "lock", "force"] });
    const callers: Record<string, string>[] = [
      { cookie: await logIn("viewer") },
      { cookie: await logIn("operator") },
      { authorization: `Bearer ${key.body.secret}` },
    ];
    for (const headers of callers)
      for (const [method, path] of [
        ["GET", "/app-connection"],
        ["POST", "/app-connection/url"],
      ] as const) {
        const { status, body } = await call(method, path, undefined, headers);
        expect([status, body.code]).toEqual([403, "forbidden"]);
      }
  });

  it("there is none where every target has a URL", async () => {
    const server = await startTestServer();
    onTestFinished(() => server.stop());
    expect((await server.call("/app-connection")).body).toEqual({ connection: null });
    const { status } = await server.call("/app-connection/url", { method: "POST" });
    expect(status).toBe(404);
  });
});

describe("output of the start", () => {
  it("without a terminal, no secret is printed: a file has the API key, and a command signs in", async () => {
    const { redis, url, cacheDir, lines, summarize } = await startOnEmbeddedRedis({ isKeyGiven: false });
    await summarize();
    const text = lines.join("\n");
    expect(text).toContain(`Log in: PORT=${new URL(url).port} npm run login`);
    expect(text).toContain(`127.0.0.1:${redis.port}`);
    expect(text).toContain("app-redis-url");
    expect(text).not.toMatch(/login#|lk_/);
    for (const url of [redis.url, redis.appUrl]) expect(text).not.toContain(new URL(url).password);
    const file = join(cacheDir, "root-key");
    expect(await readFile(file, "utf8")).toMatch(/^lk_[\w-]{43}\n$/);
    expect((await stat(file)).mode & 0o077).toBe(0);
  });

  it("a terminal shows the login link and the API key, and no password of Redis", async () => {
    const { redis, lines, summarize } = await startOnEmbeddedRedis({ hasTerminal: true, isKeyGiven: false });
    await summarize();
    const text = lines.join("\n");
    expect(text).toMatch(/Log in \(once, within 10 minutes\): http:\S+\/login#[\w-]{43}/);
    expect(text).toMatch(/API key, shown only now: lk_/);
    for (const url of [redis.url, redis.appUrl]) expect(text).not.toContain(new URL(url).password);
  });

  it("a start that is interrupted before it is ready has shown the API key", async () => {
    for (const hasTerminal of [true, false]) {
      const { cacheDir, lines } = await startOnEmbeddedRedis({ hasTerminal, isKeyGiven: false });
      const shown = hasTerminal ? lines.join("\n") : await readFile(join(cacheDir, "root-key"), "utf8");
      expect(shown).toMatch(/lk_[\w-]{43}/);
    }
  });

  it("one line discourages running as root, and other accounts see no such line", async () => {
    const { lines, summarize } = await startOnEmbeddedRedis();
    await summarize();
    const count = lines.filter((line) => line.includes("running as root")).length;
    expect(count).toBe(process.getuid?.() === 0 ? 1 : 0);
  });
});
