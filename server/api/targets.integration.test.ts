import { describe, expect } from "vitest";
import { redisTest } from "../../test/support/fixtures.ts";
import { createHoldId } from "../../test/support/hold-ids.ts";
import { findFreePort, startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { createBearerHeader, startTestServer, waitUntil } from "../../test/support/test-server.ts";
import { readStreamUntil } from "../../test/support/test-stream.ts";
import { COMMAND_TIMEOUT_MS } from "../redis/connect.ts";

const TWO = { name: "two", label: "Two", environment: "production" };
const at = (path: string, target: string) => `${path}${path.includes("?") ? "&" : "?"}target=${target}`;

/**
 * Starts a server with the targets `one` and `two`, and with the target `away`, which is unreachable until `startAway`
 * is called.
 */
const twoTargetsTest = redisTest()
  .extend("awayPort", { scope: "file" }, () => findFreePort())
  .extend("startAway", { scope: "file" }, ({ awayPort }, { onCleanup }) => {
    let away: TestRedis | undefined;
    onCleanup(async () => await away?.stop());
    return async () => {
      away = await startTestRedis({ port: awayPort });
    };
  })
  .extend("server", { scope: "file" }, async ({ redis, awayPort }, { onCleanup }) => {
    const server = await startTestServer({
      environment: { LOCKKEEPER_LOG: "silent" },
      file: (url) => ({
        targets: [
          { name: "one", redis: url, notifications: "set" },
          { ...TWO, redis: redis.url, formats: [{ pattern: "app:*", format: "spring" }] },
          { name: "away", redis: `redis://127.0.0.1:${awayPort}` },
        ],
      }),
    });
    onCleanup(() => server.stop());
    await waitUntil(async () => (await server.call(at("/locks", "two"))).status === 200);
    return server;
  })
  .extend(
    "acquire",
    { scope: "file" },
    ({ server }) =>
      async (key: string, target: string, owner: string) => {
        return await server.call(at(`/locks/${encodeURIComponent(key)}/acquire`, target), {
          body: { owner },
        });
      },
  );

// Permissions of a Redis user that cannot write. Redis also checks the commands that scripts call.
const MAY = "+@read +@connection +@pubsub +info +role +time +eval_ro +evalsha_ro +script|load +config|get";
const READER = `on >reader resetkeys ~* allchannels -@all ${MAY} -publish -spublish`.split(" ");

/** Starts a server with the target `main`, and with the read-only target `read`, whose Redis user may not write. */
const readOnlyTest = redisTest()
  .extend("server", { scope: "file" }, async ({ redis, direct }, { onCleanup }) => {
    await direct.call("ACL", "SETUSER", "reader", ...READER);
    await direct.call("HSET", "lock:held", "0b5f2c61-3a55-4e5e-8f0e-5f9d3d3f3f01:7", "1");
    await direct.pexpire("lock:held", 60_000);
    const server = await startTestServer({
      environment: { LOCKKEEPER_LOG: "silent" },
      file: (main) => ({
        targets: [
          { name: "main", redis: main },
          { name: "read", redis: `redis://reader:reader@127.0.0.1:${redis.port}`, readOnly: true },
        ],
      }),
    });
    onCleanup(() => server.stop());
    return server;
  })
  .extend("call", { scope: "file" }, ({ server }) => async (path: string, init?: object) => {
    return await server.call(at(path, "read"), init);
  });

describe("two targets and one that is unreachable", () => {
  const it = twoTargetsTest;

  it("the same key on two targets is two locks in lists, reads, events, live stream and history", async ({
    server,
    acquire,
  }) => {
    await acquire("lock:same", "one", "here");
    await acquire("lock:same", "two", "there");
    for (const [target, owner] of [
      ["one", "here"],
      ["two", "there"],
    ] as const) {
      await waitUntil(
        async () => (await server.call(at("/locks?filter=lock:same", target))).body.total === 1,
      );
      const { body } = await server.call(at("/locks?filter=lock:same", target));
      expect(body.items[0]).toMatchObject({ target, holders: [{ owner }] });
      const one = await server.call(at("/locks/lock%3Asame", target));
      expect(one.body).toMatchObject({ target, holders: [{ owner }] });
      await waitUntil(
        async () => (await server.call(at("/locks/lock%3Asame/history", target))).body.items.length === 1,
      );
      const { items } = (await server.call(at("/locks/lock%3Asame/history", target))).body;
      expect(items).toMatchObject([{ target, type: "acquired", owner }]);
      const live = await readStreamUntil(server, at("/live?filter=lock:same", target), (text) =>
        text.includes(owner),
      );
      expect(live).toContain(`"name":"${target}"`);
      expect(live).not.toContain(owner === "here" ? "there" : '"here"');
    }
    const events = readStreamUntil(server, at("/events", "two"), (text) => text.includes("lock:later"));
    await acquire("lock:only-one", "one", "here");
    await acquire("lock:later", "two", "there");
    expect(await events).not.toContain("lock:only-one");
  });

  it("a force-release releases the lock of its own target only", async ({ server, acquire }) => {
    await acquire("lock:stuck", "one", "here");
    await acquire("lock:stuck", "two", "there");
    const { body: lock } = await server.call(at("/locks/lock%3Astuck", "two"));
    const body = { expectedVersion: lock.version, reason: "stuck" };
    const wrong = await server.call(at("/locks/lock%3Astuck/force-release", "one"), { body });
    expect(wrong.body.code).toBe("changed");
    const freed = await server.call(at("/locks/lock%3Astuck/force-release", "two"), { body });
    expect(freed.body).toMatchObject({ outcome: "released", owner: "there" });
    expect((await server.call(at("/locks/lock%3Astuck", "one"))).body.holders).toMatchObject([
      { owner: "here" },
    ]);
  });

  it("format rules belong to one target", async ({ server }) => {
    const body = { rules: [{ pattern: "x:*", format: "redlock-net" }] };
    await server.call(at("/formats/rules", "one"), { method: "PUT", body });
    expect((await server.call(at("/formats", "one"))).body.rules).toEqual([
      { ...body.rules[0], from: "api" },
    ]);
    expect((await server.call(at("/formats", "two"))).body.rules).toEqual([
      { pattern: "app:*", format: "spring", from: "configuration" },
    ]);
  });

  it("all targets are listed, and a page of an unreachable one returns the reason", async ({
    server,
    awayPort,
  }) => {
    const listed = async () => (await server.call("/targets")).body.items;
    // All keys are read again under the new rules.
    await waitUntil(async () => {
      const [one, two] = await listed();
      return one.state === "live" && two.state === "live";
    });
    const items = await listed();
    expect(items).toMatchObject([
      { name: "one", label: "one", topology: "standalone", state: "live", readOnly: false },
      { name: "two", label: "Two", environment: "production", state: "live" },
      { name: "away", server: null, locks: null, state: "down" },
    ]);
    expect(items[2].detail).toContain(`127.0.0.1:${awayPort}`);
    const page = await readStreamUntil(server, "/live?target=away", (text) => text.includes("event: health"));
    expect(page).toContain('"state":"down"');
    expect(page).toContain(`127.0.0.1:${awayPort}`);
    const { body } = await server.call("/targets/away");
    expect(body.findings).toMatchObject([{ code: "unreached", severity: "danger" }]);
    expect((await server.call("/targets/none")).body.code).toBe("not_found");
  });

  it("HEAD checks the access to a target and whether it exists, like GET", async ({ server }) => {
    const created = await server.call("/keys", { body: { name: "two", verbs: ["read"], targets: ["two"] } });
    const headers = createBearerHeader(created.body.secret);
    for (const [path, status] of [
      ["/live?target=two", 200],
      ["/live?target=one", 403],
      ["/live", 403],
      ["/live?target=none", 403],
    ] as const) {
      const reply = await server.call(path, { method: "HEAD", headers });
      expect([path, reply.status, reply.body]).toEqual([path, status, ""]);
    }
    for (const [path, status] of [
      ["/live?target=away", 200],
      ["/live?target=none", 404],
      ["/targets/none", 404],
      ["/locks?target=none", 404],
      ["/locks?target=away", 503],
    ] as const) {
      const reply = await server.call(path, { method: "HEAD" });
      expect([path, reply.status, reply.body]).toEqual([path, status, ""]);
      if (status >= 400) expect(reply.headers.get("content-type")).toContain("json");
    }
  });

  it("target health names unsafe Redis settings with the command that fixes them", async ({
    server,
    redis,
    direct,
  }) => {
    await direct.config("SET", "maxmemory", "100mb");
    await direct.config("SET", "maxmemory-policy", "volatile-ttl");
    const { target, findings } = (await server.call("/targets/two")).body;
    expect(target).toMatchObject({ name: "two", masters: [{ name: `127.0.0.1:${redis.port}` }] });
    expect(findings[0]).toMatchObject({
      code: "eviction",
      severity: "danger",
      command: "CONFIG SET maxmemory-policy noeviction",
    });
    expect(findings.map(({ code }: { code: string }) => code)).toContain("persistence");
    expect(JSON.stringify(findings)).not.toContain("rights");
  });

  it("an unreachable target responds at once with the reason and recovers with its Redis", async ({
    server,
    awayPort,
    startAway,
    acquire,
  }) => {
    const startedAt = performance.now();
    for (const reply of [
      await server.call(at("/locks", "away")),
      await acquire("lock:a", "away", "me"),
      await server.call(at("/formats", "away")),
    ]) {
      expect(reply).toMatchObject({ status: 503, body: { code: "unavailable" } });
      expect(reply.body.detail).toContain(`127.0.0.1:${awayPort}`);
    }
    expect(performance.now() - startedAt).toBeLessThan(COMMAND_TIMEOUT_MS);
    await startAway();
    await waitUntil(async () => (await server.call(at("/locks", "away"))).status === 200, 8000);
    expect((await acquire("lock:a", "away", "me")).status).toBe(201);
  });

  it("a target whose Redis is killed does not disturb the others, and recovers", async ({
    server,
    redis,
    acquire,
  }) => {
    await redis.kill();
    await waitUntil(async () => (await server.call(at("/locks", "two"))).status === 503);
    expect((await server.call(at("/locks", "two"))).body.code).toBe("unavailable");
    const startedAt = performance.now();
    expect((await acquire("lock:b", "one", "me")).status).toBe(201);
    expect(performance.now() - startedAt).toBeLessThan(COMMAND_TIMEOUT_MS);
    expect(server.runtime.readiness.ready).toBe(true);
    await redis.restart();
    await waitUntil(async () => (await acquire("lock:c", "two", "me")).status === 201, 8000);
  });
});

describe("read-only target", () => {
  const it = readOnlyTest;

  it("a read-only target shows its locks as they change", async ({ direct, call }) => {
    await waitUntil(async () => (await call("/locks")).body.total === 1);
    await direct.call("HSET", "lock:new", "0b5f2c61-3a55-4e5e-8f0e-5f9d3d3f3f02:7", "1");
    await waitUntil(async () => (await call("/locks")).body.total === 2);
    expect((await call("/locks/lock%3Aheld")).body).toMatchObject({ target: "read", format: "redisson" });
    const status = await call(`/holds/${createHoldId({ target: "read", key: "lock:held" })}`);
    expect(status.body.held).toBe(false);
  });

  it("every mutation at a read-only target is rejected before it reaches Redis", async ({ call }) => {
    const { body: lock } = await call("/locks/lock%3Aheld");
    const hold = `/holds/${createHoldId({ target: "read", key: "lock:held" })}`;
    for (const [path, body] of [
      ["/locks/lock%3Aheld/acquire", {}],
      [`${hold}/renew`, {}],
      [`${hold}/release`, {}],
      ["/locks/lock%3Aheld/force-release", { expectedVersion: lock.version, reason: "x" }],
      ["/locks/lock%3Aheld/reserve", { reservedMs: 1000 }],
    ] as const) {
      const reply = await call(path, { body });
      expect([path, reply.status, reply.body.code]).toEqual([path, 403, "read_only"]);
      expect(reply.body.detail).toContain('"read" is read-only');
    }
  });

  it("nothing is written to a read-only target, nor attempted", async ({ direct }) => {
    expect((await direct.keys("*")).sort()).toEqual(["lock:held", "lock:new"]);
    const log = (await direct.call("ACL", "LOG")) as unknown[];
    expect(log).toEqual([]);
  });

  it("the health of a read-only target reports what may not be read and requests no write permission", async ({
    direct,
    call,
  }) => {
    await direct.call("ACL", "SETUSER", "reader", "-config|get", "-time");
    const { findings } = (await call("/targets/read")).body;
    const of = (code: string) => findings.find((finding: { code: string }) => finding.code === code);
    expect(of("unread")).toMatchObject({ severity: "unknown", title: "CONFIG GET is not permitted" });
    expect(of("rights")).toMatchObject({
      title: "The Redis user may not run TIME",
      command: "ACL SETUSER reader +time",
    });
    await direct.call("ACL", "SETUSER", "reader", "+config|get", "+time");
  });
});
