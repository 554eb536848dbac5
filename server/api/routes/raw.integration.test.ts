import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { RAW_ENTRIES_MAX, RAW_TEXT_BYTES_MAX } from "../../../lib/contract/raw-lock.ts";
import { serverTest } from "../../../test/support/fixtures.ts";
import { readHoldId } from "../../../test/support/hold-ids.ts";
import { createTestKey } from "../../../test/support/test-locks.ts";

const it = serverTest().extend(
  "readRaw",
  { scope: "file" },
  ({ server }) =>
    (of: string) =>
      server.call(`/locks/${encodeURIComponent(of)}/raw`),
);

describe("GET /locks/{key}/raw", () => {
  it("the raw view returns type, TTL and content of hashes and strings as stored in Redis", async ({
    server,
    readRaw,
  }) => {
    const [hash, string, free] = [
      createTestKey("lock:hash"),
      createTestKey("lock:string"),
      createTestKey("lock:free"),
    ];
    const field = readHoldId((await server.acquire(hash, { leaseMs: 60_000 })).holdId).token;
    const value = readHoldId((await server.acquire(string, { format: "token" })).holdId).token;
    const { status, body } = await readRaw(hash);
    expect([status, body.key, body.silent]).toEqual([200, hash, []]);
    const [copy, second] = body.copies;
    expect(second).toBeUndefined();
    expect(copy).toMatchObject({
      type: "hash",
      size: 1,
      entries: [{ name: { text: field, bytes: field.length }, value: { text: "1", bytes: 1 } }],
    });
    expect(copy.remainingMs).toBeGreaterThan(50_000);
    expect(copy.remainingMs).toBeLessThanOrEqual(60_000);
    expect((await readRaw(string)).body.copies[0]).toMatchObject({
      type: "string",
      size: value.length,
      entries: [{ value: { text: value, bytes: value.length } }],
    });
    expect((await readRaw(free)).body.copies[0]).toMatchObject({
      type: "none",
      remainingMs: null,
      entries: [],
    });
  });

  it("the raw view returns nothing of a key that is not a lock", async ({ server, readRaw }) => {
    const [secret, list] = [createTestKey("lock:secret"), createTestKey("lock:list")];
    await server.redis.runCli("SET", secret, JSON.stringify({ card: "4111 1111 1111 1111" }).repeat(60));
    await server.redis.runCli("RPUSH", list, "card 4111");
    for (const each of [secret, list]) {
      const { status, body } = await readRaw(each);
      expect([status, body.code]).toEqual([409, "not_a_lock"]);
      expect(JSON.stringify(body)).not.toContain("4111");
    }
  });

  it("the raw view truncates long values, keeps binary ones and reports the full size", async ({
    server,
    direct,
    readRaw,
  }) => {
    const many = createTestKey("lock:many");
    const members = Array.from({ length: RAW_ENTRIES_MAX + 6 }, () => [`${Date.now()}`, randomUUID()]);
    await server.redis.runCli("ZADD", `semaphore:${many}`, ...members.flat());
    const seen = (await readRaw(`semaphore:${many}`)).body;
    expect(seen.copies[0].size).toBe(RAW_ENTRIES_MAX + 6);
    expect(seen.copies[0].entries).toHaveLength(RAW_ENTRIES_MAX);
    // Their content does not identify these keys as locks, so a rule assigns a format to them.
    const [bytes, long] = [createTestKey("app:bytes"), createTestKey("app:bytes")];
    const rules = [{ pattern: "app:bytes:*", format: "token" }];
    await server.call("/formats/rules", { method: "PUT", body: { rules } });
    await direct.set(long, `${"a".repeat(RAW_TEXT_BYTES_MAX - 1)}é`, "PX", 60_000);
    const [{ value }] = (await readRaw(long)).body.copies[0].entries;
    // The last character does not fit within the limit, so it is omitted.
    expect(value).toEqual({ text: "a".repeat(RAW_TEXT_BYTES_MAX - 1), bytes: RAW_TEXT_BYTES_MAX + 1 });
    await direct.set(bytes, Buffer.of(97, 255, 0, 98), "PX", 60_000);
    expect((await readRaw(bytes)).body.copies[0].entries[0].value).toEqual({
      text: "a\ufffd\0b",
      base64: Buffer.from([97, 255, 0, 98]).toString("base64"),
      bytes: 4,
    });
  });

  it("a key of the home store is not a lock through any route, whatever format rules name", async ({
    server,
    direct,
  }) => {
    const [login, session] = ["{lockkeeper}:login:c0ffee", "{lockkeeper}other"];
    for (const key of [login, session]) await direct.set(key, "secret", "PX", 60_000);
    const rules = [{ pattern: "{lockkeeper}*", format: "token" }];
    const preview = await server.call("/formats/rules/preview", { body: { rules } });
    expect(JSON.stringify(preview.body.changes ?? [])).not.toContain("login");
    expect((await server.call("/formats/rules", { method: "PUT", body: { rules } })).status).toBe(200);
    for (const key of [login, session]) {
      const path = `/locks/${encodeURIComponent(key)}`;
      for (const at of [path, `${path}/raw`, `${path}/waiters`]) {
        const { status, body } = await server.call(at);
        expect([at, status, body.code]).toEqual([at, 409, "not_a_lock"]);
        expect(JSON.stringify(body)).not.toContain("secret");
      }
      const release = { expectedVersion: "x", reason: "y" };
      const { body } = await server.callVerb(key, "force-release", release);
      expect(body.code).toMatch(/not_a_lock|key_not_allowed/);
      expect(await direct.get(key)).toBe("secret");
      await direct.del(key);
    }
    await server.call("/formats/rules", { method: "PUT", body: { rules: [] } });
  });

  it("the raw view and the waiter list report missing Redis permissions", async ({ server }) => {
    const shut = createTestKey("lock:shut");
    await server.redis.runCli("ACL", "SETUSER", "default", "resetkeys", "~{lockkeeper}:*", "~lockkeeper:*");
    try {
      for (const what of ["raw", "waiters"]) {
        const { status, body } = await server.call(`/locks/${encodeURIComponent(shut)}/${what}`);
        expect([what, status, body.code]).toEqual([what, 503, "unavailable"]);
        expect(body.detail).toMatch(/NOPERM/);
      }
    } finally {
      await server.redis.runCli("ACL", "SETUSER", "default", "allkeys");
    }
  });
});
