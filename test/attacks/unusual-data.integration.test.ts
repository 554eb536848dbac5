import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { encodeKeyPath } from "../../lib/keys/key.ts";
import { buildCompanionKey } from "../../server/formats/keys.ts";
import { serverTest } from "../support/fixtures.ts";
import { createRedissonOwner, createTestKey } from "../support/test-locks.ts";
import { type ApiReply, type TestServer, waitUntil } from "../support/test-server.ts";

const FORMATS = ["redisson", "token", "timestamp"] as const;
/** A value far larger than any library stores in a lock, but small enough for every test run. */
const LARGE = "x".repeat(200_000);
/** A companion with 50,000 recorded requests. Trimming them one by one would take very long. */
const LONG_WINDOW = `\n\n0\n\n0\n0\n0\n0\n0\ntoken\n${"\na\t0".repeat(50_000)}`;

const findCompanion = (key: string) => String(buildCompanionKey(key));

type Plant = (direct: Redis, key: string) => Promise<unknown>;

const plantCompanion =
  (companion: string): Plant =>
  (direct, key) =>
    direct.set(findCompanion(key), companion);

/**
 * Functions that write unexpected data to a lock's key or its companion key, by description. Any Redis client could do
 * so.
 */
const PLANTS: Readonly<Record<string, Plant>> = {
  "a large string": (direct, key) => direct.set(key, LARGE),
  "a hash with a large field": (direct, key) => direct.hset(key, LARGE, "1"),
  "a hash with a large value": (direct, key) => direct.hset(key, createRedissonOwner(), LARGE),
  "a hash with many fields": (direct, key) =>
    direct.hset(
      key,
      Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`${randomUUID()}:${n}`, "1"])),
    ),
  "a set with a large member": (direct, key) => direct.sadd(key, LARGE),
  "a sorted set with a large member": (direct, key) => direct.zadd(key, Date.now() + 60_000, LARGE),
  "a list": (direct, key) => direct.rpush(key, LARGE, "a"),
  "a stream": (direct, key) => direct.xadd(key, "*", "field", LARGE),
  "bytes that are no text": (direct, key) => direct.set(key, Buffer.from([0, 255, 254, 10, 9])),
  "a number beyond every integer": (direct, key) => direct.set(key, "9".repeat(400)),
  "a large companion": plantCompanion(LARGE),
  "a companion with a long window": plantCompanion(LONG_WINDOW),
  "a companion with a garbage window": plantCompanion(
    `t\n\n1\n5\n1\n1\n0\n0\n1\ntoken\no\np\n${"\ngarbage\tnot a number\t".repeat(30)}`,
  ),
  "a companion with huge numbers": plantCompanion(
    `t\n\n${"9".repeat(40)}\n${"9".repeat(40)}\n${"9".repeat(40)}\n1\n0\n0\n1\ntoken\no\np\n`,
  ),
  "a companion that is a hash": (direct, key) => direct.hset(findCompanion(key), "a", "b"),
  "a companion that is a list": (direct, key) => direct.rpush(findCompanion(key), "a"),
};

const it = serverTest();

interface Step {
  readonly name: string;
  readonly reply: ApiReply;
}

/** Calls every operation of the API on one lock. */
async function callEverything(server: TestServer, key: string, format: string): Promise<Step[]> {
  const path = `/locks/${encodeKeyPath(key)}`;
  const steps: Step[] = [];
  const run = async (name: string, call: Promise<ApiReply>) => {
    const reply = await call;
    steps.push({ name, reply });
    return reply;
  };
  const body = { format, leaseMs: 60_000 };
  await run("read", server.call(path));
  await run("raw", server.call(`${path}/raw`));
  const acquired = await run("acquire", server.callVerb(key, "acquire", body));
  await run("acquire again", server.callVerb(key, "acquire", body, { "idempotency-key": randomUUID() }));
  await run("wait", server.callVerb(key, "acquire", { ...body, waitMs: 20 }));
  const { holdId } = acquired.body;
  if (holdId !== undefined) {
    await run("verify", server.readHold({ holdId }));
    await run("renew", server.callHold({ holdId }, "renew"));
    await run(
      "reenter",
      server.callVerb(key, "acquire", { reenter: holdId }, { "idempotency-key": randomUUID() }),
    );
    for (const id of [randomUUID(), randomUUID()])
      await run("release", server.callHold({ holdId }, "release", {}, { "idempotency-key": id }));
  }
  const { version } = (await run("read", server.call(path))).body;
  const seen = { expectedVersion: version ?? "none", reason: "test" };
  await run("extend", server.callVerb(key, "extend", { ...seen, leaseMs: 120_000 }));
  await run("reserve", server.callVerb(key, "reserve", { reservedMs: 60_000, reason: "test" }));
  await run("force-release", server.callVerb(key, "force-release", seen));
  await run("history", server.call(`${path}/history`));
  await run("waiters", server.call(`${path}/waiters`));
  await run("list", server.call(`/locks?filter=${encodeURIComponent(`key:${key}`)}`));
  return steps;
}

describe.each(FORMATS)("requests in format %s", (format) => {
  it.for(Object.keys(PLANTS))(
    `no request of the API fails or returns the data when a key has %s (${format})`,
    async (name, { server, direct }) => {
      const [key, other] = [createTestKey(), createTestKey()];
      const hold = await server.acquire(other, { leaseMs: 60_000 });
      await PLANTS[name]?.(direct, key);
      const steps = await callEverything(server, key, format);
      const failed = steps.filter(({ reply }) => reply.status >= 500);
      expect(failed.map((step) => [step.name, step.reply.status, step.reply.body])).toEqual([]);
      const large = steps.filter(({ reply }) => JSON.stringify(reply.body).length > 30_000);
      expect(large.map((step) => step.name)).toEqual([]);
      expect((await server.readHold(hold)).body.held).toBe(true);
      const health = async () => (await server.call("/targets")).body.items[0].state;
      await waitUntil(async () => (await health()) === "live");
    },
  );
});
