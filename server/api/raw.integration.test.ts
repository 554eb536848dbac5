import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RAW_ENTRIES_MAX, RAW_TEXT_BYTES_MAX } from "../../lib/contract/raw-lock.ts";
import { startTestServer, type TestServer } from "../../test/support/test-server.ts";

let server: TestServer;
const createTestKey = (name: string) => `lock:${name}:${randomUUID()}`;
const readRaw = (of: string) => server.call(`/locks/${encodeURIComponent(of)}/raw`);
const runRedisCommand = (command: string, ...more: string[]) => server.redis.runCli(command, ...more);

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => await server.stop());

describe("GET /locks/{key}/raw", () => {
  it("the raw view returns type, TTL and content of hashes and strings as stored in Redis", async () => {
    const [hash, string, free] = [createTestKey("hash"), createTestKey("string"), createTestKey("free")];
    await server.call(`/locks/${hash}/acquire`, { body: { owner: "ada", leaseMs: 60_000 } });
    await server.call(`/locks/${string}/acquire`, { body: { owner: "bob", format: "token" } });
    const { status, body } = await readRaw(hash);
    expect([status, body.key, body.silent]).toEqual([200, hash, []]);
    const [copy, second] = body.copies;
    expect(second).toBeUndefined();
    expect(copy).toMatchObject({
      type: "hash",
      size: 1,
      entries: [{ name: { text: "ada", bytes: 3 }, value: { text: "1", bytes: 1 } }],
    });
    expect(copy.remainingMs).toBeGreaterThan(50_000);
    expect(copy.remainingMs).toBeLessThanOrEqual(60_000);
    expect((await readRaw(string)).body.copies[0]).toMatchObject({
      type: "string",
      size: 3,
      entries: [{ value: { text: "bob", bytes: 3 } }],
    });
    expect((await readRaw(free)).body.copies[0]).toMatchObject({
      type: "none",
      remainingMs: null,
      entries: [],
    });
  });

  it("the raw view returns nothing of a key that is not a lock", async () => {
    const [secret, list] = [createTestKey("secret"), createTestKey("list")];
    await runRedisCommand("SET", secret, JSON.stringify({ card: "4111 1111 1111 1111" }).repeat(60));
    await runRedisCommand("RPUSH", list, "card 4111");
    for (const each of [secret, list]) {
      const { status, body } = await readRaw(each);
      expect([status, body.code]).toEqual([409, "not_a_lock"]);
      expect(JSON.stringify(body)).not.toContain("4111");
    }
  });

  it("the raw view truncates long values, keeps binary ones and reports the full size", async () => {
    const [long, many] = [createTestKey("long"), createTestKey("many")];
    const owner = `${"a".repeat(RAW_TEXT_BYTES_MAX - 1)}é`;
    await server.call(`/locks/${long}/acquire`, { body: { owner, format: "token" } });
    const [{ value }] = (await readRaw(long)).body.copies[0].entries;
    // The letter that the limit goes through is left out.
    expect(value).toEqual({ text: "a".repeat(RAW_TEXT_BYTES_MAX - 1), bytes: RAW_TEXT_BYTES_MAX + 1 });
    const members = Array.from({ length: RAW_ENTRIES_MAX + 6 }, () => [`${Date.now()}`, randomUUID()]);
    await runRedisCommand("ZADD", `semaphore:${many}`, ...members.flat());
    const seen = (await readRaw(`semaphore:${many}`)).body;
    expect(seen.copies[0].size).toBe(RAW_ENTRIES_MAX + 6);
    expect(seen.copies[0].entries).toHaveLength(RAW_ENTRIES_MAX);
    // By its shape alone nobody would take this for a lock; a rule says that it is one.
    const bytes = `app:bytes:${randomUUID()}`;
    const rules = [{ pattern: "app:bytes:*", format: "token" }];
    await server.call("/formats/rules", { method: "PUT", body: { rules } });
    const client = server.redis.createClient();
    await client.set(bytes, Buffer.of(97, 255, 0, 98), "PX", 60_000);
    client.disconnect();
    expect((await readRaw(bytes)).body.copies[0].entries[0].value).toEqual({
      text: "a\ufffd\0b",
      base64: Buffer.from([97, 255, 0, 98]).toString("base64"),
      bytes: 4,
    });
  });

  it("the raw view and the waiter list report missing Redis permissions", async () => {
    const shut = createTestKey("shut");
    await runRedisCommand("ACL", "SETUSER", "default", "resetkeys", "~{lockkeeper}:*", "~lockkeeper:*");
    try {
      for (const what of ["raw", "waiters"]) {
        const { status, body } = await server.call(`/locks/${encodeURIComponent(shut)}/${what}`);
        expect([what, status, body.code]).toEqual([what, 503, "unavailable"]);
        expect(body.detail).toMatch(/NOPERM/);
      }
    } finally {
      await runRedisCommand("ACL", "SETUSER", "default", "allkeys");
    }
  });
});
