import { randomUUID } from "node:crypto";
import { request as httpRequest } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect } from "vitest";
import { LEASE_MS_MAX } from "../../lib/contract/actions/verb.ts";
import { encodeKeyPath } from "../../lib/keys/key.ts";
import { serverTest } from "../../test/support/fixtures.ts";
import { createRedissonOwner, createTestKey } from "../../test/support/test-locks.ts";
import { createBearerHeader, ROOT_KEY, type TestServer, waitUntil } from "../../test/support/test-server.ts";
import { NON_UTF8_KEY, UNUSUAL_KEYS } from "../../test/support/unusual-keys.ts";

const streamText = (text: string) => new Blob([text]).stream();

const node = serverTest({ adapter: "node" });
const next = serverTest({ adapter: "next" });

describe.for([
  ["node", node],
  ["next", next],
] as const)("API through the %s adapter", ([, it]) => {
  describe("lock verbs", () => {
    it("an acquire returns 201 with the hold and its fencing token as a decimal string", async ({
      server,
      direct,
      key,
    }) => {
      const { status, body } = await server.callVerb(key, "acquire", { owner: "me" });
      expect(status).toBe(201);
      expect(body).toMatchObject({ key, owner: "me", count: 1, leaseMs: 30_000 });
      expect(body.fence).toMatch(/^\d{16}$/);
      expect(Object.values(await direct.hgetall(key))).toEqual(["1"]);
    });

    it("a refused acquire returns 409 held with the holder and Retry-After", async ({ server, key }) => {
      await server.callVerb(key, "acquire", { owner: "me", leaseMs: 5000 });
      const { status, headers, body } = await server.callVerb(key, "acquire", { owner: "you" });
      expect(status).toBe(409);
      expect(headers.get("content-type")).toBe("application/problem+json");
      expect(headers.get("retry-after")).toBe("1");
      expect(body.type).toMatch(/\/held$/);
      expect(body).toMatchObject({ code: "held", status: 409, holders: [{ owner: "me" }] });
    });

    it("renew and release return the remaining time, and releasing nothing is not an error", async ({
      server,
      key,
    }) => {
      const hold = await server.acquire(key);
      expect((await server.callHold(hold, "renew", { leaseMs: 60_000 })).body.remainingMs).toBe(60_000);
      expect((await server.callHold(hold, "release")).body).toMatchObject({ outcome: "released", count: 0 });
      expect((await server.callHold(hold, "release")).body).toMatchObject({ outcome: "not_held" });
      expect((await server.callHold(hold, "renew")).body.code).toBe("lost");
    });

    it("a hold is read with what is left of it, and stays ended after the lock is acquired again", async ({
      server,
      direct,
      key,
    }) => {
      const hold = await server.acquire(key);
      const { body } = await server.readHold(hold);
      expect(body).toMatchObject({ held: true, count: 1, fence: hold.fence });
      expect(body.remainingMs).toBeLessThanOrEqual(30_000);
      await direct.del(key);
      expect((await server.readHold(hold)).body).toMatchObject({ held: false, count: 0, remainingMs: 0 });
      await server.acquire(key);
      expect((await server.readHold(hold)).body.held).toBe(false);
    });

    it("an acquire repeated with the same Idempotency-Key counts once", async ({ server, key }) => {
      const headers = { "idempotency-key": randomUUID() };
      await server.callVerb(key, "acquire", { owner: "me" }, headers);
      expect((await server.callVerb(key, "acquire", { owner: "me" }, headers)).body.count).toBe(1);
      const other = await server.callVerb(key, "acquire", { owner: "you" }, headers);
      expect(other.body.code).toBe("idempotency_key_reused");
      const bad = await server.callVerb(
        key,
        "acquire",
        { owner: "me" },
        { "idempotency-key": "x".repeat(129) },
      );
      expect(bad.body.code).toBe("invalid");
    });
  });

  describe("lock reads", () => {
    it("the lock list filters, sorts and pages without losing a lock", async ({ server }) => {
      const name = randomUUID();
      const keys = Array.from({ length: 25 }, (_, n) => `lock:${name}:${String(n).padStart(2, "0")}`);
      await Promise.all(
        keys.map((key, n) =>
          server.callVerb(key, "acquire", { owner: `o${n % 3}`, record: { service: "billing" } }),
        ),
      );
      const filter = encodeURIComponent(`key:lock:${name}:* billing`);
      await server.waitForLocks(`key:lock:${name}:* billing`, 25);
      const found: string[] = [];
      let next: string | undefined;
      do {
        const { body } = await server.call(
          `/locks?filter=${filter}&sort=-owner&limit=10${next ? `&cursor=${next}` : ""}`,
        );
        found.push(...body.items.map((lock: { key: string }) => lock.key));
        next = body.next;
      } while (next);
      expect(found.toSorted()).toEqual(keys);
      const owners = await server.call(`/locks?filter=${encodeURIComponent(`key:lock:${name}:* owner:o2`)}`);
      expect(owners.body.total).toBe(8);
    });

    it("a free key returns 200 without holders", async ({ server }) => {
      const { status, body } = await server.call(`/locks/${createTestKey()}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ holders: [], version: null, remainingMs: null });
    });

    it("a key too large to read returns 409 not_a_lock with its size", async ({ server, direct, key }) => {
      await direct.sadd(key, ...Array.from({ length: 300 }, () => randomUUID()));
      const { status, body } = await server.call(`/locks/${encodeKeyPath(key)}`);
      expect([status, body.code, body.redisType]).toEqual([409, "not_a_lock", "set"]);
      expect(body.detail).toContain("a set of 300 members, and at most 256 are read");
    });

    it("a key that is not a lock returns 409 not_a_lock", async ({ server, direct, key }) => {
      await direct.rpush(key, "an element");
      const { status, body } = await server.call(`/locks/${key}`);
      expect([status, body.code, body.redisType]).toEqual([409, "not_a_lock", "list"]);
    });

    it("HEAD returns no body, even for streams", async ({ server }) => {
      for (const path of ["/locks", "/live", "/events", "/openapi.json"]) {
        const { status, body } = await server.call(path, { method: "HEAD" });
        expect([path, status, body]).toEqual([path, 200, ""]);
      }
    });

    it("the history of a lock contains its own events only, newest first", async ({ server, key }) => {
      await server.callHold(await server.acquire(key), "release");
      await waitUntil(async () => (await server.call(`/locks/${key}/history`)).body.items.length === 2);
      const { body } = await server.call(`/locks/${key}/history`);
      expect(body.items.map((event: { type: string }) => event.type)).toEqual(["released", "acquired"]);
    });
  });

  describe("force-release", () => {
    it("of two concurrent force-releases, one releases and the other returns already_gone", async ({
      server,
      direct,
      key,
    }) => {
      await server.callVerb(key, "acquire", { owner: "me" });
      const expected = (await server.readLock(key)).version;
      const ask = { expectedVersion: expected, reason: "worker lost its node" };
      const [one, two] = await Promise.all([
        server.callVerb(key, "force-release", ask),
        server.callVerb(key, "force-release", ask),
      ]);
      expect([one.status, two.status]).toEqual([200, 200]);
      expect([one.body.outcome, two.body.outcome].sort()).toEqual(["already_gone", "released"]);
      expect(await direct.exists(key)).toBe(0);
      await waitUntil(
        async () => (await server.call(`/locks/${key}/history`)).body.items[0]?.type === "force_released",
      );
      const { body } = await server.call(`/locks/${key}/history`);
      expect(body.items[0]).toMatchObject({
        by: "key:root",
        reason: "worker lost its node",
        observed: "exact",
      });
      expect((await server.callVerb(key, "force-release", ask)).body.ended).toMatchObject({
        type: "force_released",
        by: "key:root",
      });
    });

    it("force-release returns 409 changed with the new holder if the holder changed", async ({
      server,
      direct,
      key,
    }) => {
      const hold = await server.acquire(key, { owner: "me" });
      const expected = (await server.readLock(key)).version;
      await server.callHold(hold, "release");
      await server.acquire(key, { owner: "you" });
      const { status, body } = await server.callVerb(key, "force-release", {
        expectedVersion: expected,
        reason: "stuck",
      });
      expect([status, body.code]).toEqual([409, "changed"]);
      expect(body.holders).toMatchObject([{ owner: "you" }]);
      expect(Object.values(await direct.hgetall(key))).toEqual(["1"]);
    });

    it("force-release returns changed if the same owner released and acquired again", async ({
      server,
      key,
    }) => {
      const hold = await server.acquire(key, { owner: "me" });
      const expected = (await server.readLock(key)).version;
      await server.callHold(hold, "release");
      await server.acquire(key, { owner: "me" });
      expect(
        (await server.callVerb(key, "force-release", { expectedVersion: expected, reason: "stuck" })).body
          .code,
      ).toBe("changed");
    });

    it("force-release of a Redisson lock wakes its waiters with a single 0", async ({
      server,
      direct,
      key,
    }) => {
      const messages: string[] = [];
      const listener = server.redis.createClient();
      await listener.subscribe(`redisson_lock__channel:{${key}}`);
      listener.on("message", (_, message: string) => messages.push(message));
      await direct.multi().hset(key, createRedissonOwner(), 1).pexpire(key, 30_000).exec();
      await server.waitForLocks(key);
      const { body } = await server.callVerb(key, "force-release", {
        expectedVersion: (await server.readLock(key)).version,
        reason: "stuck",
      });
      expect(body.outcome).toBe("released");
      await waitUntil(() => messages.length > 0);
      expect(messages).toEqual(["0"]);
    });

    it("force-release of an unwatched foreign hold returns unverified and succeeds only with onUnverified", async ({
      server,
      direct,
    }) => {
      const key = `unwatched:${randomUUID()}:mutex`;
      await direct.multi().hset(key, createRedissonOwner(), 1).pexpire(key, 30_000).exec();
      const refused = await server.callVerb(key, "force-release", {
        expectedVersion: (await server.readLock(key)).version,
        reason: "stuck",
      });
      expect([refused.status, refused.body.code]).toEqual([409, "unverified"]);
      expect(await direct.exists(key)).toBe(1);
      const { body } = await server.callVerb(key, "force-release", {
        expectedVersion: refused.body.version,
        reason: "stuck",
        onUnverified: "release",
      });
      expect(body.outcome).toBe("released");
    });

    it("force-release refuses a foreign hold that began after a FLUSHALL", async ({
      server,
      direct,
      key,
    }) => {
      const owner = createRedissonOwner();
      const take = () => direct.multi().hset(key, owner, 1).pexpire(key, 30_000).exec();
      await take();
      await server.waitForLocks(key);
      const seen = (await server.readLock(key)).version;
      await direct.flushall();
      await take();
      const { body } = await server.callVerb(key, "force-release", {
        expectedVersion: seen,
        reason: "stuck",
      });
      expect(["unverified", "changed"]).toContain(body.code);
      expect(await direct.exists(key)).toBe(1);
    });

    it("force-release refuses a foreign hold that began while notifications were off", async ({
      server,
      direct,
      key,
    }) => {
      const owner = createRedissonOwner();
      const take = () => direct.multi().hset(key, owner, 1).pexpire(key, 30_000).exec();
      await take();
      await server.waitForLocks(key);
      const seen = (await server.readLock(key)).version;
      const [, flags] = (await direct.config("GET", "notify-keyspace-events")) as [string, string];
      await direct.config("SET", "notify-keyspace-events", "");
      await direct.del(key);
      await take();
      const { body } = await server.callVerb(key, "force-release", {
        expectedVersion: seen,
        reason: "stuck",
      });
      await direct.config("SET", "notify-keyspace-events", flags);
      expect(["unverified", "changed"]).toContain(body.code);
    });

    it("force-release requires a reason and leaves keys that are not locks alone", async ({
      server,
      direct,
      key,
    }) => {
      await server.callVerb(key, "acquire", { owner: "me" });
      const refused = await server.callVerb(key, "force-release", {
        expectedVersion: (await server.readLock(key)).version,
        reason: "  ",
      });
      expect([refused.status, refused.body.code]).toEqual([422, "reason_required"]);
      const other = createTestKey();
      await direct.rpush(other, "an element");
      expect(
        (await server.callVerb(other, "force-release", { expectedVersion: "x", reason: "y" })).body.code,
      ).toBe("not_a_lock");
    });
  });

  describe("invalid input", () => {
    it.for([
      [{ owner: "me", leaseMs: 0 }],
      [{ owner: "me", leaseMs: -1 }],
      [{ owner: "me", leaseMs: 315_360_000_000 }],
      [{ owner: "me", leaseMs: LEASE_MS_MAX + 1 }],
      [{ owner: "me", leaseMs: 1.5 }],
      [{ owner: "me", leaseMs: "1000" }],
      [{ owner: "" }],
      [{ owner: "x".repeat(257) }],
      [{ owner: 5 }],
      [{ owner: "lockkeeper:reserve:me" }],
      [{ owner: "a\nb" }],
      [{ owner: "a\u202eb" }],
      [{ owner: "\ud800" }],
      [[]],
      ["me"],
      [null],
      [{ owner: "me", unknown: 1 }],
      [{ owner: "me", record: { service: "x".repeat(201) } }],
    ])(
      "acquire with %j returns 400 with a message and acquires nothing",
      async ([body], { server, direct, key }) => {
        const reply = await server.callVerb(key, "acquire", body);
        expect([reply.status, reply.body.code]).toEqual([400, "invalid"]);
        expect(reply.body.detail.length).toBeGreaterThan(20);
        expect(await direct.exists(key)).toBe(0);
      },
    );

    it("an invalid JSON body returns 400, a wrong content type 415 and a large body 413", async ({
      server,
    }) => {
      const path = `/locks/${createTestKey()}/acquire`;
      expect((await server.call(path, { body: "{owner" })).body.code).toBe("invalid");
      expect((await server.call(path, { body: "" })).body.code).toBe("invalid");
      const plain = await server.call(path, {
        body: '{"owner":"me"}',
        headers: { "content-type": "text/plain" },
      });
      expect([plain.status, plain.body.code]).toEqual([415, "unsupported_media_type"]);
      const huge = await server.call(path, { body: JSON.stringify({ owner: "x".repeat(10_000_000) }) });
      expect([huge.status, huge.body.code]).toEqual([413, "too_large"]);
    });

    it("a body without a length is read up to the limit and no further", async ({ server, direct }) => {
      const ask = async (characters: number) => {
        const key = createTestKey();
        const body = JSON.stringify({ owner: "me", record: { purpose: "" } }).padEnd(characters);
        const reply = await server.call(`/locks/${key}/acquire`, { body: streamText(body) });
        return [reply.status, reply.body.code, await direct.exists(key)];
      };
      expect(await ask(60_000)).toEqual([201, undefined, 1]);
      expect(await ask(70_000)).toEqual([413, "too_large", 0]);
      expect(await ask(3_000_000)).toEqual([413, "too_large", 0]);
      expect(await ask(100)).toEqual([201, undefined, 1]);
    });

    it("unknown paths return 404, and other methods 405 with Allow", async ({ server }) => {
      expect((await server.call("/nothing")).body.code).toBe("not_found");
      expect((await server.call("/locks/a/b/c")).body.detail).toContain("%2F");
      const { status, headers } = await server.call("/locks", { method: "DELETE" });
      expect([status, headers.get("allow")]).toEqual([405, "GET"]);
    });

    it("invalid query parameters return 400", async ({ server }) => {
      for (const query of [
        "limit=0",
        "limit=x",
        "limit=501",
        "sort=colour",
        "cursor=zzz",
        "more=1",
        `filter=${"x".repeat(301)}`,
      ]) {
        expect([query, (await server.call(`/locks?${query}`)).body.code]).toEqual([query, "invalid"]);
      }
      const { status, body } = await server.call("/locks?filter=key:lock:*%20held%3E5");
      expect([status, body.code]).toEqual([400, "invalid"]);
      expect(JSON.stringify(body)).toContain(
        "held must be compared with a time such as 500ms, 30s, 5m, 2h or 1d, or with typical",
      );
    });

    it("missing or wrong credentials return 401, whatever else is wrong", async ({ server }) => {
      for (const authorization of ["", "Bearer", "Bearer wrong", "Basic eDp5"]) {
        const reply = await server.call(`/locks/${createTestKey()}/acquire`, {
          body: "{",
          headers: { authorization },
        });
        expect([authorization, reply.status]).toEqual([authorization, 401]);
        expect(reply.headers.get("www-authenticate")).toContain("Bearer");
      }
    });
  });

  describe("unusual keys", () => {
    it.for(UNUSUAL_KEYS)(
      "the key %j is acquired, read and released under exactly that name",
      async (key, { server, direct }) => {
        const hold = await server.acquire(key, { owner: "me" });
        expect(hold.key).toBe(key);
        expect(Object.values(await direct.hgetall(key))).toEqual(["1"]);
        expect(await server.readLock(key)).toMatchObject({
          key,
          holders: [{ owner: "me" }],
        });
        expect((await server.readHold(hold)).body).toMatchObject({ key, held: true });
        expect((await server.callHold(hold, "release")).body.outcome).toBe("released");
        expect(await direct.exists(key)).toBe(0);
      },
    );

    it("a key that is not UTF-8 is returned as keyBase64", async ({ server, direct }) => {
      const bytes = NON_UTF8_KEY;
      const path = `/locks/~${bytes.toString("base64url")}`;
      const grant = await server.call(`${path}/acquire`, { body: { owner: "me" } });
      expect(grant.body.keyBase64).toBe(bytes.toString("base64"));
      expect(Object.values(await direct.hgetall(bytes))).toEqual(["1"]);
      expect((await server.call(path)).body.keyBase64).toBe(bytes.toString("base64"));
      const released = await server.callHold(grant.body, "release");
      expect(released.body).toMatchObject({ outcome: "released", keyBase64: bytes.toString("base64") });
    });

    it("keys with stray braces or outside the allowed patterns return 422, and too long keys 400", async ({
      server,
    }) => {
      for (const key of ["lock:}x{y", "lock:{open", "lock:{}x", "orders:1", "lockkeeper:hold:{x}"]) {
        const { status, body } = await server.callVerb(key, "acquire", { owner: "me" });
        expect([key, status, body.code]).toEqual([key, 422, "key_not_allowed"]);
      }
      expect((await server.callVerb(`lock:${"x".repeat(2000)}`, "acquire", { owner: "me" })).body.code).toBe(
        "invalid",
      );
      expect((await server.call("/locks/~!!!/acquire", { body: { owner: "me" } })).body.code).toBe("invalid");
      expect((await server.call("/locks/%ff/acquire", { body: { owner: "me" } })).body.detail).toContain(
        "base64url",
      );
    });
  });

  it("the OpenAPI document describes every route with its errors", async ({ server }) => {
    const { body: document } = await server.call("/openapi.json");
    expect(document.openapi).toBe("3.1.1");
    const { post } = document.paths["/api/v1/locks/{key}/acquire"];
    expect(Object.keys(post.responses).sort()).toEqual([
      "200",
      "201",
      "400",
      "401",
      "403",
      "404",
      "405",
      "408",
      "409",
      "410",
      "413",
      "414",
      "415",
      "422",
      "429",
      "431",
      "500",
      "503",
    ]);
    expect(post.requestBody.content["application/json"].schema.$ref).toContain("AcquireInput");
    const named = post.parameters.filter(({ in: where }: { in: string }) => where === "query");
    expect(named.map(({ name }: { name: string }) => name)).toEqual(["target"]);
  });

  it("an unknown target in the query returns 404 with the known targets", async ({ server }) => {
    expect((await server.call("/locks?target=default&limit=1")).status).toBe(200);
    expect(
      (await server.call("/locks/lock%3Anamed/acquire?target=default", { body: { owner: "me" } })).status,
    ).toBe(201);
    for (const path of ["/locks", "/formats", "/events", "/live", "/locks/lock%3Anamed"]) {
      const { status, body } = await server.call(`${path}?target=other`);
      expect([path, status, body.code]).toEqual([path, 404, "not_found"]);
      expect(body.detail).toContain('"default"');
    }
    const { body } = await server.call("/locks/lock%3Anamed/acquire?target=other", { body: { owner: "me" } });
    expect(body.code).toBe("not_found");
  });
});

describe("raw HTTP at the node adapter", () => {
  const it = node;

  const raw = (
    server: TestServer,
    path: string,
    options: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const { port } = new URL(server.url);
      const { method = "GET", headers = {}, body } = options;
      const request = httpRequest(
        {
          port,
          path,
          method,
          headers: { ...createBearerHeader(ROOT_KEY), ...headers },
        },
        (response) => {
          let text = "";
          response.on("data", (chunk) => {
            text += chunk;
          });
          response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
        },
      );
      request.on("error", reject);
      request.end(body);
    });

  it("a key of 1 MB is rejected with a problem document", async ({ server }) => {
    const { status, body } = await raw(server, `/api/v1/locks/${"x".repeat(1_000_000)}`);
    expect([status, JSON.parse(body).code]).toEqual([431, "headers_too_large"]);
  });

  it.for(["*", "http://127.0.0.1/api/v1/locks"])(
    "a request target in another form is rejected: %s",
    async (path, { server }) => {
      expect(await raw(server, path)).toMatchObject({
        status: 400,
        body: "The URL must start with /.\n",
      });
    },
  );

  it("`..` in a path reaches no other route", async ({ server }) => {
    const { status, body } = await raw(server, "/api/v1/locks/../acquire", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"owner":"me"}',
    });
    expect(status).toBe(400);
    expect(JSON.parse(body).detail).toContain("~Li4");
    expect((await raw(server, "/api/v1/locks/..")).status).toBe(400);
  });

  it("a truncated body acquires nothing and is not a server error", async ({ server, direct, key }) => {
    const socket = server.openSocket();
    const head = `POST /api/v1/locks/${key}/acquire HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
    socket.write(`${head}Authorization: Bearer ${ROOT_KEY}\r\nContent-Length: 14\r\n\r\n{"owner":`);
    const answer = text(socket);
    socket.end();
    expect(await answer).toContain("HTTP/1.1 400 Bad Request");
    expect(await direct.exists(key)).toBe(0);
  });

  it("GET with a body is rejected and does not affect the next request on the connection", async ({
    server,
  }) => {
    const { status, body } = await raw(server, "/api/v1/locks", {
      headers: { "content-length": "5" },
      body: "hello",
    });
    expect([status, JSON.parse(body).code]).toEqual([400, "invalid"]);
    expect((await raw(server, "/api/v1/locks")).status).toBe(200);
  });
});
