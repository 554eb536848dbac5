import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { describe, expect } from "vitest";
import type { Hold } from "../../../../lib/contract/actions/verb.ts";
import { serverTest } from "../../../../test/support/fixtures.ts";
import { createTestKey, sleepMs } from "../../../../test/support/test-locks.ts";
import { ROOT_KEY, type TestServer, waitUntil } from "../../../../test/support/test-server.ts";

const it = serverTest();

type Connection = "keep-alive" | "close";

function sendAcquire(
  socket: Socket,
  key: string,
  owner: string,
  waitMs: number,
  connection: Connection = "keep-alive",
): void {
  const body = JSON.stringify({ owner, waitMs, leaseMs: 60_000 });
  socket.write(
    `POST /api/v1/locks/${encodeURIComponent(key)}/acquire HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\nAuthorization: Bearer ${ROOT_KEY}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Acquires a lock, reads the response and closes the connection immediately. */
function askAndClose(
  server: TestServer,
  key: string,
  close: "destroy" | "end",
  connection: Connection,
): Promise<void> {
  return new Promise((resolve) => {
    const socket = server.openSocket();
    socket.once("data", () => socket[close]());
    socket.on("close", () => resolve());
    sendAcquire(socket, key, "me", 0, connection);
  });
}

/**
 * Acquires a lock over a raw connection, which it closes after `afterMs`. Returns the hold if a grant was received
 * before.
 */
function requestAndDisconnect(
  server: TestServer,
  key: string,
  owner: string,
  waitMs: number,
  afterMs: number,
): Promise<Hold | undefined> {
  return new Promise((resolve) => {
    const socket = server.openSocket();
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk.toString();
    });
    socket.on("close", () => {
      const [, body] = answer.split("\r\n\r\n");
      resolve(answer.startsWith("HTTP/1.1 201") ? JSON.parse(body ?? "") : undefined);
    });
    sendAcquire(socket, key, owner, waitMs);
    setTimeout(() => socket.destroy(), afterMs);
  });
}

describe("client disconnects", () => {
  it("a client that disconnects at any moment leaves no lock held by an owner without a response", {
    timeout: 60_000,
  }, async ({ server, direct }) => {
    const keys = Array.from({ length: 20 }, () => createTestKey());
    const answered: Hold[] = [];
    for (let round = 0; round < 50; round++) {
      await Promise.all(
        keys.map(async (key) => {
          const hold = await requestAndDisconnect(server, key, `${key}/${round}`, 1000, Math.random() * 12);
          if (hold !== undefined) answered.push(hold);
        }),
      );
      for (const hold of answered.splice(0)) await server.callHold(hold, "release");
    }
    await waitUntil(async () => (await direct.exists(...keys)) === 0);
    await waitUntil(async () => (await direct.keys("lockkeeper:waiters:*")).length === 0);
  });

  // Clients that send a single request, such as Python's urllib, often send `Connection: close`. Then the server also
  // closes the connection.
  it.for([
    ["destroy", "keep-alive"],
    ["end", "keep-alive"],
    ["destroy", "close"],
    ["end", "close"],
  ] as const)(
    "a client that reads its grant and then closes keeps its lock (%s, Connection: %s)",
    async ([close, connection], { server, direct }) => {
      const keys = Array.from({ length: 20 }, () => createTestKey());
      await Promise.all(keys.map((key) => askAndClose(server, key, close, connection)));
      await sleepMs(200);
      expect(await direct.exists(...keys)).toBe(20);
    },
  );

  it("a lock granted to a retry survives the disconnect of the first attempt", async ({
    server,
    direct,
    key,
  }) => {
    const headers = { "idempotency-key": randomUUID() };
    server.redis.freeze();
    const leave = new AbortController();
    const gone = server.call(`/locks/${key}/acquire`, {
      body: { owner: "me" },
      headers,
      signal: leave.signal,
    });
    setTimeout(() => leave.abort(), 50);
    await gone.catch(() => undefined);
    const again = server.callVerb(key, "acquire", { owner: "me" }, headers);
    setTimeout(() => server.redis.thaw(), 100);
    expect((await again).body).toMatchObject({ owner: "me", count: 1 });
    await sleepMs(200);
    expect(Object.values(await direct.hgetall(key))).toEqual(["1"]);
  });

  it("a disconnected waiter lets the next one in the queue acquire the lock", async ({
    server,
    direct,
    key,
  }) => {
    const hold = await server.acquire(key, { owner: "me" });
    const gone = requestAndDisconnect(server, key, "gone", 20_000, 200);
    await gone;
    const next = server.callVerb(key, "acquire", { owner: "next", waitMs: 20_000 });
    await waitUntil(async () => (await direct.zcard(`lockkeeper:waiters:{${key}}`)) === 1);
    await server.callHold(hold, "release");
    expect((await next).body.owner).toBe("next");
  });
});

describe("waiting over HTTP", () => {
  it("a waiting acquire returns the grant on release, or timeout with the holder", async ({
    server,
    direct,
    key,
  }) => {
    const hold = await server.acquire(key, { owner: "me" });
    const late = await server.callVerb(key, "acquire", { owner: "you", waitMs: 200 });
    expect([late.status, late.body.code, late.body.holders[0].owner]).toEqual([409, "timeout", "me"]);
    const waits = server.callVerb(key, "acquire", { owner: "you", waitMs: 10_000 });
    await waitUntil(async () => (await direct.zcard(`lockkeeper:waiters:{${key}}`)) === 1);
    await server.callHold(hold, "release");
    expect((await waits).body).toMatchObject({ owner: "you", count: 1 });
  });

  it("a grant after a wait returns only the part of the lease that is left", async ({
    server,
    direct,
    key,
  }) => {
    await server.callVerb(key, "acquire", { owner: "me", leaseMs: 500 });
    const sentAt = performance.now();
    const { body } = await server.call(`/locks/${key}/acquire`, {
      body: { owner: "you", leaseMs: 5000, waitMs: 10_000 },
    });
    const deadline = sentAt + body.waitedMs + body.remainingMs;
    const beforeLook = performance.now();
    const leftMs = await direct.pttl(key);
    // `leftMs` was read between `beforeLook` and now, which limits the actual deadline on both ends. Rounding can lose
    // 1 ms.
    expect(deadline).toBeLessThanOrEqual(performance.now() + leftMs + 1);
    expect(deadline).toBeGreaterThan(beforeLook + leftMs - body.waitedMs / 2);
    expect(await server.acquire(`${key}:free`)).not.toHaveProperty("waitedMs");
  });

  it("an acquire that waits longer than a request may be held open is rejected", async ({ server }) => {
    const reply = await server.call(`/locks/lock:x/acquire`, { body: { owner: "me", waitMs: 55_001 } });
    expect([reply.status, reply.body.code]).toEqual([400, "invalid"]);
    expect(reply.body.detail).toContain("Idempotency-Key");
  });
});
