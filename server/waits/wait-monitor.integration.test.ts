import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { Waits } from "../../lib/contract/waits/waits.ts";
import { decodeKey, encodeKey, encodeKeyPath, toKeyFields } from "../../lib/keys/key.ts";
import { serverTest } from "../../test/support/fixtures.ts";
import { createTestKey } from "../../test/support/test-locks.ts";
import { createBearerHeader, waitUntil } from "../../test/support/test-server.ts";
import { LockClient } from "../locks/client/lock-client.ts";

const it = serverTest()
  .extend("client", { scope: "file" }, async ({ server }, { onCleanup }) => {
    const client = await LockClient.open(server.redis.url);
    onCleanup(() => client.close());
    return client;
  })
  .extend("readWaits", { scope: "file" }, ({ server }) => async (key?: string) => {
    const { status, body } = await server.callUntilAvailable(
      key === undefined ? "/waits" : `/waits?key=${encodeURIComponent(key)}`,
    );
    expect(status).toBe(200);
    return Waits.parse(body);
  });

const LEASE = { leaseMs: 60_000 };
const WAIT = { ...LEASE, waitMs: 40_000 };

describe("deadlocks", () => {
  it("a ring of the library, the HTTP API and Redisson is reported, and disappears when one lock is released", async ({
    server,
    client,
    readWaits,
  }) => {
    const [a, b, c] = [createTestKey("lock:a"), createTestKey("lock:b"), createTestKey("lock:c")];
    const thread = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff:37";
    const redis = server.redis.createClient();
    // Stores a holder and a queue in the way of Redisson's RFairLock.
    await redis.multi().hset(c, thread, 1).pexpire(c, 60_000).exec();
    const held = await server.acquire(b, { owner: "http", ...LEASE });
    const stop = new AbortController();
    const library = client.withLock(a, LEASE, () =>
      client.withLock(b, { ...WAIT, owner: "library", signal: stop.signal }, () => Promise.resolve()),
    );
    const ended = library.catch((error: unknown) => error);
    await waitUntil(async () => (await server.readLock(a)).state === "held");
    const http = server.call(`/locks/${c}/acquire`, {
      body: { owner: "http", ...WAIT, holding: [held.holdId] },
      signal: stop.signal,
    });
    const httpEnded = http.catch(() => undefined);
    const end = Date.now() + 300_000;
    await redis
      .multi()
      .rpush(`redisson_lock_queue:{${a}}`, thread)
      .zadd(`redisson_lock_timeout:{${a}}`, end, thread)
      .exec();
    const closedAt = performance.now();
    await waitUntil(async () => (await readWaits(a)).deadlocks.length === 1);
    expect(performance.now() - closedAt).toBeLessThan(10_000);
    const { deadlocks, roots, position } = await readWaits(a);
    const [deadlock] = deadlocks;
    expect(new Set(deadlock?.cycle.map(({ key, owner, holdKey }) => `${holdKey} ${owner} ${key}`))).toEqual(
      new Set([`${a} library ${b}`, `${b} http ${c}`, `${c} ${thread} ${a}`]),
    );
    expect([roots, position?.deadlockId, deadlock?.others]).toEqual([[], deadlock?.id, 0]);
    await server.callHold(held, "release");
    await waitUntil(async () => (await readWaits()).deadlocks.length === 0);
    await redis.del(c, a, `redisson_lock_queue:{${a}}`, `redisson_lock_timeout:{${a}}`);
    stop.abort();
    await Promise.all([ended, httpEnded]);
    redis.disconnect();
  });

  it("in a ring, the youngest wait that chose it is refused, with the cycle in its error", async ({
    client,
  }) => {
    const [a, b, c] = [createTestKey("lock:a"), createTestKey("lock:b"), createTestKey("lock:c")];
    const pairs: [string, string, string][] = [
      [a, b, "one"],
      [b, c, "two"],
      [c, a, "three"],
    ];
    let ready = 0;
    const outcomes = await Promise.all(
      pairs.map(([first, second, owner], at) =>
        client
          .withLock(first, LEASE, async () => {
            ready++;
            await waitUntil(() => Promise.resolve(ready === 3));
            const onDeadlock = at === 1 ? "refuse" : "report";
            return await client.withLock(second, { ...WAIT, owner, onDeadlock }, () =>
              Promise.resolve("done"),
            );
          })
          .catch((error: unknown) => error),
      ),
    );
    expect([outcomes[0], outcomes[2]]).toEqual(["done", "done"]);
    expect(outcomes[1]).toMatchObject({ code: "deadlock", facts: { key: c } });
    const { cycle } = (outcomes[1] as { facts: { cycle: { owner: string; key: string }[] } }).facts;
    expect(new Set(cycle.map(({ owner, key }) => owner + key))).toEqual(
      new Set([`one${b}`, `two${c}`, `three${a}`]),
    );
  });

  it.for(["library", "http"] as const)(
    "in a ring of the library and the HTTP API, a wait that chose it is refused, even if it is the oldest (%s)",
    async (refusing, { server, client, readWaits }) => {
      const [a, b] = [createTestKey("lock:a"), createTestKey("lock:b")];
      const [own, held] = [await client.acquire(a, LEASE), await server.acquire(b, LEASE)];
      const optionsOf = (owner: string) => ({
        ...{ ...WAIT, owner },
        onDeadlock: owner === refusing ? ("refuse" as const) : ("report" as const),
      });
      const waits = {
        async library() {
          const wait = client.acquire(b, { ...optionsOf("library"), holding: [own] });
          const outcome = await wait.then(
            () => "granted",
            (error: unknown) => Reflect.get(error as object, "code"),
          );
          await own.release();
          return outcome;
        },
        async http() {
          const body = { ...optionsOf("http"), holding: [held.holdId] };
          const reply = await server.call(`/locks/${a}/acquire`, { body });
          await server.callHold(held, "release");
          return reply.status === 201 ? "granted" : reply.body.code;
        },
      };
      const other = refusing === "library" ? "http" : "library";
      const first = waits[refusing]();
      await waitUntil(async () => (await readWaits(refusing === "library" ? b : a)).roots.length === 1);
      expect(await Promise.all([first, waits[other]()])).toEqual(["deadlock", "granted"]);
    },
  );

  it("over HTTP, a refused wait is answered with 409 deadlock", async ({ server, readWaits }) => {
    const [a, b] = [createTestKey("lock:a"), createTestKey("lock:b")];
    const [one, two] = [await server.acquire(a, LEASE), await server.acquire(b, LEASE)];
    const first = server.call(`/locks/${b}/acquire`, { body: { ...WAIT, holding: [one.holdId] } });
    await waitUntil(async () => (await readWaits(b)).roots.length === 1);
    const second = await server.call(`/locks/${a}/acquire`, {
      body: { ...WAIT, holding: [two.holdId], onDeadlock: "refuse" },
    });
    expect([second.status, second.body]).toMatchObject([
      409,
      { code: "deadlock", cycle: [{ key: a }, { key: b }] },
    ]);
    await server.callHold(two, "release");
    expect((await first).status).toBe(201);
  });

  it("holds that another caller declares make no deadlock", async ({ server, readWaits }) => {
    const [a, b] = [createTestKey("lock:a"), createTestKey("lock:b")];
    const [victim, own] = [await server.acquire(a, LEASE), await server.acquire(b, LEASE)];
    const { body: made } = await server.call("/keys", {
      body: { name: `other-${randomUUID()}`, verbs: ["read", "lock"] },
    });
    const stop = new AbortController();
    const wait = (key: string, holdId: string, headers?: Record<string, string>) =>
      server
        .call(`/locks/${key}/acquire`, {
          body: { ...WAIT, holding: [holdId] },
          signal: stop.signal,
          ...(headers === undefined ? {} : { headers }),
        })
        .catch(() => undefined);
    // Another caller declares that it holds both locks, whose hold ids any reader can see.
    const other = createBearerHeader(made.secret);
    const waits = [wait(b, victim.holdId, other), wait(a, own.holdId, other)];
    await waitUntil(
      async () => (await readWaits()).roots.filter(({ key }) => key === a || key === b).length === 2,
    );
    await sleep(1500);
    const { deadlocks, roots } = await readWaits(a);
    expect([deadlocks, roots]).toMatchObject([[], [{ key: a, waiting: 1, rows: [{ holds: [] }] }]]);
    // Now the caller that acquired the locks makes the same declarations.
    waits.push(wait(b, victim.holdId), wait(a, own.holdId));
    await waitUntil(async () => (await readWaits(a)).deadlocks.length === 1);
    expect((await readWaits(a)).deadlocks[0]?.cycle).toHaveLength(2);
    stop.abort();
    await Promise.all(waits);
  });

  it("the error of a refused wait omits clients that wait for locks its caller may not see", async ({
    server,
    client,
    readWaits,
  }) => {
    const [a, b] = [createTestKey("lock:seen"), createTestKey("lock:hidden")];
    const { body: made } = await server.call("/keys", {
      body: { name: `worker-${randomUUID()}`, verbs: ["lock"], keys: ["lock:seen*"] },
    });
    const headers = createBearerHeader(made.secret);
    const own = await server.acquire(a, LEASE, headers);
    const second = createTestKey("lock:seen");
    const library = client.withLock(b, LEASE, () =>
      client.withLock(a, { ...WAIT, owner: "hidden-waiter" }, () => Promise.resolve()),
    );
    // This client holds the lock that the worker waits for, and waits for the hidden lock.
    const middle = client.withLock(second, LEASE, () =>
      client.withLock(b, { ...WAIT, owner: "secret" }, () => Promise.resolve()),
    );
    await waitUntil(async () => (await readWaits(b)).waiting >= 2);
    const refused = await server.call(`/locks/${second}/acquire`, {
      headers,
      body: { ...WAIT, owner: "worker", holding: [own.holdId], onDeadlock: "refuse" },
    });
    expect([refused.status, refused.body.cycle]).toEqual([
      409,
      expect.arrayContaining([
        { owner: "worker", key: second },
        { owner: "hidden-waiter", key: a },
      ]),
    ]);
    expect(refused.body.cycle).toHaveLength(2);
    expect(JSON.stringify(refused.body)).not.toMatch(/secret|lock:hidden/);
    await server.callHold(own, "release", {}, headers);
    await Promise.all([library, middle]);
  });

  it("workers with one owner label are never reported", async ({ client, readWaits }) => {
    const keys = Array.from({ length: 6 }, (_, at) => createTestKey(`lock:shared:${at}`));
    const until = performance.now() + 4000;
    let rounds = 0;
    const work = async (worker: number) => {
      for (let round = worker; performance.now() < until; round++) {
        // Every worker acquires its locks in the same order, so there is no deadlock.
        const [first, second] = [round % 6, (round + 1 + (worker % 4)) % 6].sort((x, y) => x - y);
        const options = { ...WAIT, owner: "worker" };
        await client.withLock(keys[first ?? 0] ?? "", options, async () => {
          if (first !== second) await client.withLock(keys[second ?? 0] ?? "", options, () => sleep(3));
        });
        rounds++;
      }
    };
    const workers = Promise.all(Array.from({ length: 50 }, (_, at) => work(at)));
    let waiting = 0;
    while (performance.now() < until) {
      const seen = await readWaits();
      const own = seen.deadlocks.filter(({ cycle }) => cycle.some(({ key }) => keys.includes(key ?? "")));
      expect(own).toEqual([]);
      waiting = Math.max(waiting, seen.waiting);
      await sleep(100);
    }
    await workers;
    expect(waiting).toBeGreaterThan(10);
    expect(rounds).toBeGreaterThan(50);
  });
});

describe("root blockers", () => {
  it("everyone behind a root blocker is listed as a tree, by total time waited", async ({
    server,
    client,
    readWaits,
  }) => {
    const [root, inner, other] = [
      createTestKey("lock:root"),
      createTestKey("lock:inner"),
      createTestKey("lock:x"),
    ];
    await server.acquire(root, { owner: "billing", ...LEASE });
    await server.acquire(other, { owner: "fulfil", ...LEASE });
    const stop = new AbortController();
    const options = { ...WAIT, signal: stop.signal };
    const nested = client.withLock(inner, LEASE, () =>
      client.withLock(root, { ...options, owner: "checkout" }, () => Promise.resolve()),
    );
    await waitUntil(async () => (await readWaits(root)).waiting > 0);
    const waits = [nested, client.acquire(inner, { ...options, owner: "cart" })];
    // A waiter is counted as soon as the length of the waiter list is known, but named only after the list is read.
    await waitUntil(async () => (await readWaits(root)).roots[0]?.rows.length === 2);
    waits.push(client.acquire(other, { ...options, owner: "pick" }) as never);
    const settled = Promise.allSettled(waits);
    await waitUntil(async () => (await readWaits(other)).roots.length === 1);
    const { roots, position } = await readWaits(inner);
    expect(roots).toMatchObject([
      {
        key: root,
        holders: [{ owner: "billing" }],
        waiting: 2,
        rows: [
          { depth: 1, owner: "checkout", key: root, holds: [{ key: inner, waiting: 1 }] },
          { depth: 2, owner: "cart", key: inner, holds: [] },
        ],
      },
    ]);
    expect(position).toMatchObject({ waiting: 1, root: { key: root, owner: "billing" }, deadlockId: null });
    const order = (await readWaits()).roots
      .map(({ key }) => key)
      .filter((key) => key === root || key === other);
    expect(order).toEqual([root, other]);
    stop.abort();
    await settled;
    await waitUntil(async () => (await readWaits(root)).roots.length === 0);
  });

  it("a key that is not valid UTF-8 is found by its bytes", async ({ server }) => {
    const key = decodeKey(Buffer.concat([Buffer.from(createTestKey("lock:b")), Buffer.from([0xff])]));
    await server.acquire(key, LEASE);
    const stop = new AbortController();
    const waiting = server
      .call(`/locks/${encodeKeyPath(key)}/acquire`, { body: WAIT, signal: stop.signal })
      .catch(() => undefined);
    const { keyBase64 = "" } = toKeyFields(key);
    const read = (bytes: string) => server.call(`/waits?${new URLSearchParams({ keyBase64: bytes })}`);
    await waitUntil(async () => Waits.parse((await read(keyBase64)).body).roots.length === 1);
    const urlSafe = Buffer.from(encodeKey(key)).toString("base64url");
    for (const bytes of [keyBase64, urlSafe])
      expect((await read(bytes)).body).toMatchObject({ position: { waiting: 1 }, roots: [{ keyBase64 }] });
    expect((await read("?")).status).toBe(400);
    stop.abort();
    await waiting;
  });

  it("a reader sees neither keys nor owners of locks that it may not read", async ({ server, client }) => {
    const [root, inner] = [createTestKey("lock:hidden"), createTestKey("lock:seen")];
    await server.acquire(root, { owner: "secret", ...LEASE });
    const stop = new AbortController();
    const options = { ...WAIT, signal: stop.signal };
    const waits = [
      client.withLock(inner, LEASE, () =>
        client.withLock(root, { ...options, owner: "hidden-waiter" }, () => Promise.resolve()),
      ),
    ];
    const settled = Promise.allSettled(waits);
    await waitUntil(async () => (await server.readLock(inner)).state === "held");
    const cart = client.acquire(inner, { ...options, owner: "cart" }).catch(() => undefined);
    const { body: made } = await server.call("/keys", {
      body: { name: `reader-${randomUUID()}`, verbs: ["read"], keys: ["lock:seen*"] },
    });
    const headers = createBearerHeader(made.secret);
    const read = async () => {
      const { status, body } = await server.callUntilAvailable("/waits", {
        headers,
      });
      expect(status).toBe(200);
      return body;
    };
    await waitUntil(async () => {
      const [blocker] = Waits.parse(await read()).roots;
      return blocker?.isBehindUnreadable === true && blocker.waiting === 1;
    });
    const text = JSON.stringify(await read());
    const of = (key: string) => server.call(`/waits?key=${encodeURIComponent(key)}`, { headers });
    expect((await of(inner)).body.position).toMatchObject({ waiting: 1, deadlockId: null });
    expect((await of(root)).body).not.toHaveProperty("position");
    expect(Waits.parse(await read()).roots[0]).toMatchObject({
      key: inner,
      isBehindUnreadable: true,
      waiting: 1,
    });
    expect(text).not.toMatch(/hidden|secret/);
    stop.abort();
    await Promise.all([settled, cart]);
  });
});
