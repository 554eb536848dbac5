import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import type { Hold } from "../../../../lib/contract/actions/verb.ts";
import { serverTest } from "../../../../test/support/fixtures.ts";
import { RedissonFixture } from "../../../../test/support/redisson-fixture.ts";
import { sleepMs } from "../../../../test/support/test-locks.ts";
import { ROOT_KEY as ROOT, type TestServer, waitUntil } from "../../../../test/support/test-server.ts";

const it = serverTest();

const FAIR = { kind: "fair", leaseMs: 60_000 };

const waitForWaiters = (server: TestServer, key: string, count: number) =>
  waitUntil(async () => (await server.readLock(key)).waiters?.count === count);

const readWaiters = async (server: TestServer, key: string) =>
  (await server.call(`/locks/${encodeURIComponent(key)}/waiters`)).body;

describe("fair locks over HTTP", () => {
  it("waiting requests are granted the lock in the order in which they came, and are listed in it", async ({
    server,
    direct,
    key,
  }) => {
    const hold = await server.acquire(key, FAIR);
    expect(hold.kind).toBe("fair");
    expect((await server.readLock(key)).holders[0].holdId).toBe(hold.holdId);
    const served: string[] = [];
    const waits: Promise<unknown>[] = [];
    const theirs = new RedissonFixture(direct);
    for (const [at, owner] of ["first", "second", "third"].entries()) {
      waits.push(
        server.acquire(key, { ...FAIR, owner, waitMs: 20_000 }).then(async (granted) => {
          served.push(owner);
          await server.callHold(granted, "release");
        }),
      );
      await waitForWaiters(server, key, at + 1);
    }
    await theirs.acquireFair(key);
    const listed = await readWaiters(server, key);
    expect(listed).toMatchObject({ named: 4, order: "queue", waiters: { count: 4 } });
    expect(
      listed.items.map(({ owner, by, place }: { owner: string; by: string; place: number }) => [
        owner,
        by,
        place,
      ]),
    ).toEqual([
      ["first", "lockkeeper", 1],
      ["second", "lockkeeper", 2],
      ["third", "lockkeeper", 3],
      [theirs.getOwner(), "library", 4],
    ]);
    expect(listed.items[0].since).toBeGreaterThan(listed.asOf - 10_000);
    const startedAt = performance.now();
    await server.callHold(hold, "release");
    await Promise.all(waits);
    // Waiters poll at most once per second, so each of them must have been woken.
    expect(performance.now() - startedAt).toBeLessThan(1500);
    expect(served).toEqual(["first", "second", "third"]);
  });

  it("a request that is repeated after its connection broke keeps its place, on another instance too", async ({
    server,
    other,
    direct,
    key,
  }) => {
    const hold = await server.acquire(key, FAIR);
    const id = { "Idempotency-Key": randomUUID() };
    const leave = new AbortController();
    const body = JSON.stringify({ ...FAIR, owner: "returning", waitMs: 20_000 });
    const path = `/api/v1/locks/${encodeURIComponent(key)}/acquire`;
    const broken = fetch(`${server.url}${path}`, {
      ...{ method: "POST", body, signal: leave.signal },
      headers: { Authorization: `Bearer ${ROOT}`, "Content-Type": "application/json", ...id },
    }).catch(() => undefined);
    await waitForWaiters(server, key, 1);
    const behind = server.acquire(key, { ...FAIR, owner: "behind", waitMs: 20_000 });
    await waitForWaiters(server, key, 2);
    leave.abort();
    await broken;
    await sleepMs(100);
    const again = other.acquire(key, { ...FAIR, owner: "returning", waitMs: 20_000 }, id);
    await sleepMs(300);
    const theirs = new RedissonFixture(direct);
    expect(await direct.llen(theirs.getQueueKey(key))).toBe(2);
    const order: string[] = [];
    const note = async (pending: Promise<Hold>, name: string) => {
      const granted = await pending;
      order.push(name);
      await server.callHold(granted, "release");
    };
    const both = [note(again, "returning"), note(behind, "behind")];
    await server.callHold(hold, "release");
    await Promise.all(both);
    expect(order).toEqual(["returning", "behind"]);
  });

  it("a request whose client disconnects lets the next one acquire the lock", async ({ server, key }) => {
    const hold = await server.acquire(key, FAIR);
    const socket = server.openSocket();
    const body = JSON.stringify({ ...FAIR, owner: "gone", waitMs: 20_000 });
    socket.write(
      `POST /api/v1/locks/${encodeURIComponent(key)}/acquire HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ROOT}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    await waitForWaiters(server, key, 1);
    const next = server.acquire(key, { ...FAIR, owner: "next", waitMs: 20_000 });
    await waitForWaiters(server, key, 2);
    socket.destroy();
    await waitForWaiters(server, key, 1);
    const startedAt = performance.now();
    await server.callHold(hold, "release");
    expect((await next).owner).toBe("next");
    expect(performance.now() - startedAt).toBeLessThan(800);
    await server.callHold(await next, "release");
  });

  it("other formats and several locks have no fair locks", async ({ server, key }) => {
    const one = await server.callVerb(key, "acquire", { ...FAIR, format: "token" });
    expect(one).toMatchObject({ status: 400, body: { code: "invalid" } });
  });
});
