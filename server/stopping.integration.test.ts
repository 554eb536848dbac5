import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import type { Hold } from "../lib/contract/actions/verb.ts";
import { redisTest } from "../test/support/fixtures.ts";
import { createTestKey } from "../test/support/test-locks.ts";
import { createBearerHeader, ROOT_KEY, waitUntil } from "../test/support/test-server.ts";
import { parseCompanion } from "./formats/companion.ts";
import { buildCompanionKey } from "./formats/keys.ts";

const SERVER = fileURLToPath(new URL("../test/support/workers/api-server.ts", import.meta.url));

const buildWaitersKey = (key: string) => `lockkeeper:waiters:{${key}}`;

async function readOwner(direct: Redis, key: string): Promise<string | undefined> {
  return parseCompanion((await direct.get(String(buildCompanionKey(key)))) ?? "")?.owner;
}

interface RunningServer {
  readonly child: ChildProcess;
  readonly url: string;
  readonly ended: Promise<unknown[]>;
  acquire(key: string, body: object, headers?: Record<string, string>): Promise<Response>;
  release(holdId: string): Promise<Response>;
}

const it = redisTest().extend("startServer", ({ redis }, { onCleanup }) => {
  const started: ChildProcess[] = [];
  onCleanup(() => {
    for (const child of started) child.kill("SIGKILL");
  });
  return async (environment: Record<string, string> = {}): Promise<RunningServer> => {
    const settings = {
      PORT: "0",
      REDIS_URL: redis.url,
      LOCKKEEPER_ROOT_KEY: ROOT_KEY,
      LOCKKEEPER_LOG: "error",
    };
    const env = { NODE_ENV: "production" as const, ...settings, ...environment };
    const child = fork(SERVER, { env, execArgv: ["--import", "tsx"] });
    started.push(child);
    return await connectToServer(child);
  };
});

async function connectToServer(child: ChildProcess): Promise<RunningServer> {
  const ended = once(child, "exit");
  const [port] = await once(child, "message");
  const url = `http://127.0.0.1:${port}`;
  const post = (path: string, body: object, more = {}) => {
    const headers = { ...createBearerHeader(ROOT_KEY), "content-type": "application/json", ...more };
    return fetch(`${url}/api/v1${path}`, { method: "POST", body: JSON.stringify(body), headers });
  };
  return {
    child,
    url,
    ended,
    acquire: (key, body, headers) => post(`/locks/${key}/acquire`, body, headers),
    release: (holdId) => post(`/holds/${holdId}/release`, {}),
  };
}

describe("stopping server", () => {
  it("a stopping server ends all waits, keeps places of requests with an id and leaves no lock behind", async ({
    direct,
    key,
    startServer,
  }) => {
    const server = await startServer();
    await server.acquire(key, { owner: "me" });
    const events = await fetch(`${server.url}/api/v1/events`, { headers: createBearerHeader(ROOT_KEY) });
    const read = events.text();
    const waits = Array.from({ length: 50 }, (_, n) =>
      server.acquire(
        key,
        { owner: `w${n}`, waitMs: 30_000 },
        n < 25 ? { "idempotency-key": `stop-${n}` } : {},
      ),
    );
    await waitUntil(async () => (await direct.zcard(buildWaitersKey(key))) === 50);
    const toldAt = performance.now();
    server.child.kill("SIGTERM");
    for (const wait of waits) {
      const reply = await wait;
      expect([reply.status, reply.headers.get("retry-after"), reply.headers.get("connection")]).toEqual([
        503,
        "1",
        "close",
      ]);
      expect(await reply.json()).toMatchObject({ code: "unavailable", reason: "stopping" });
    }
    expect(await read).toContain("hello");
    expect((await server.ended)[0]).toBe(0);
    expect(performance.now() - toldAt).toBeLessThan(1500);
    expect(Object.values(await direct.hgetall(key))).toEqual(["1"]);
    const waiting = await direct.zrange(buildWaitersKey(key), "0", "-1");
    const owners = waiting.map((name) => name.split("\t")[2] ?? "").sort();
    expect(owners).toEqual(Array.from({ length: 25 }, (_, n) => `w${n}`).sort());
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  });

  it("a stopping server grants exactly what it reports, even for locks released at that moment", async ({
    direct,
    startServer,
  }) => {
    const server = await startServer();
    const keys = Array.from({ length: 40 }, () => createTestKey());
    const holds: Hold[] = await Promise.all(
      keys.map(async (key) => (await server.acquire(key, { owner: "me" })).json()),
    );
    const waits = keys.map((key) => server.acquire(key, { owner: "next", waitMs: 30_000 }));
    for (const key of keys) await waitUntil(async () => (await direct.exists(buildWaitersKey(key))) === 1);
    const releases = holds.map(({ holdId }) => server.release(holdId).catch(() => undefined));
    server.child.kill("SIGTERM");
    const granted = await Promise.all(waits.map(async (wait) => (await wait).status === 201));
    await Promise.all([...releases, server.ended]);
    const owners = await Promise.all(keys.map((key) => readOwner(direct, key)));
    expect(owners.map((owner) => owner === "next")).toEqual(granted);
  });

  it("a draining server keeps serving but is not ready, and a second signal ends the drain", async ({
    direct,
    key,
    startServer,
  }) => {
    const server = await startServer({ LOCKKEEPER_DRAIN_MS: "60000" });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    server.child.kill("SIGTERM");
    await waitUntil(async () => (await fetch(`${server.url}/readyz`)).status === 503);
    expect(await (await fetch(`${server.url}/readyz`)).text()).toBe("draining\n");
    const reply = await server.acquire(key, { owner: "me" });
    expect([reply.status, reply.headers.get("connection")]).toEqual([201, "close"]);
    const wait = server.acquire(key, { owner: "you", waitMs: 30_000 });
    await waitUntil(async () => (await direct.exists(buildWaitersKey(key))) === 1);
    server.child.kill("SIGTERM");
    expect(await (await wait).json()).toMatchObject({ code: "unavailable", reason: "stopping" });
    expect((await server.ended)[0]).toBe(0);
  });
});
