import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Key, keyOfBytes } from "../../../lib/keys/key.ts";
import { LIBRARIES, uuid1 } from "../../../test/support/libraries.ts";
import { PollingLock } from "../../../test/support/seeds/polling-lock.ts";
import { startTestRedis, type TestRedis } from "../../../test/support/test-redis.ts";
import { until } from "../../../test/support/test-server.ts";
import { argumentOf } from "../../redis/script.ts";
import { parseOwnEvent } from "../../watch/connection/script-event.ts";
import { FORMATS } from "../lock-writer.ts";
import type { HeldObservation, Observation } from "../observation.ts";
import { knownFormat } from "../registry/lock-formats.ts";
import { read } from "../registry/read-keys.ts";
import { releaseTermsOf } from "../registry/release-terms.ts";

const CHANNEL = "lockkeeper:events:0";
const BY_MEI = "lockkeeper:reserve:mei";

let server: TestRedis;
let redis: Redis;
const told: Buffer[] = [];

beforeAll(async () => {
  server = await startTestRedis();
  redis = server.client();
  const listener = server.client();
  listener.on("messageBuffer", (_, message) => told.push(message));
  await listener.subscribe(CHANNEL);
});
afterAll(() => server.stop());

async function lookAt(key: Key): Promise<Observation> {
  const [seen] = await read(redis, [key]);
  if (seen === undefined) throw new Error("nothing was read");
  return seen;
}

async function heldAt(key: Key): Promise<HeldObservation> {
  const seen = await lookAt(key);
  if (seen.state !== "held") throw new Error(`${key} is ${seen.state}`);
  return seen;
}

async function force(seen: HeldObservation, holdOffMs?: number): Promise<string | undefined> {
  const holdOff = holdOffMs === undefined ? undefined : { owner: BY_MEI, holdOffMs };
  const ask = { holder: undefined, by: "mei", reason: "node lost", holdOff };
  return (await knownFormat(seen.format, seen.type)?.frees?.free(redis, CHANNEL, seen, ask))?.outcome;
}

/** What our scripts told of a key, once as much was told. */
async function wordsOf(key: Key, count: number): Promise<string[]> {
  const events = () => told.map((message) => parseOwnEvent(message)).filter((event) => event?.key === key);
  await until(() => events().length >= count);
  return events().map((event) => `${event?.type} ${event?.owner} ${event?.by ?? ""}`.trim());
}

describe.each(LIBRARIES)("$name locks", ({ format, key: fresh, owner: draw, take }) => {
  const taken = async () => {
    const [key, owner] = [fresh(), draw()];
    expect(await take(redis, key, owner)).toBe(true);
    return { key, owner };
  };

  it("a lock is detected with its owner and can be force-released with what was seen", async () => {
    const { key, owner } = await taken();
    const seen = await heldAt(key);
    expect(seen).toMatchObject({ format, holders: [{ owner, count: 1, fence: null }] });
    expect(seen.confidence).not.toBe("possible");
    expect(releaseTermsOf(seen).may).toBe("yes");
    expect(await take(redis, key, draw())).toBe(false);
    expect(await force(seen)).toBe("released");
    expect(await redis.exists(key)).toBe(0);
    expect(await wordsOf(key, 1)).toEqual([`force_released ${owner} mei`]);
    expect(await take(redis, key, draw())).toBe(true);
  });

  it("force-release changes nothing when the owner has changed, the lock is gone or the type differs", async () => {
    const { key, owner } = await taken();
    const seen = await heldAt(key);
    const next = draw();
    await redis.set(key, next, "PX", 30_000);
    expect(await force(seen)).toBe("changed");
    expect(await force(seen, 30_000)).toBe("changed");
    expect(await redis.get(key)).toBe(next);
    await redis.del(key);
    expect(await force(seen)).toBe("gone");
    expect(await force(seen, 30_000)).toBe("gone");
    await redis.rpush(key, owner);
    expect(await force(seen)).toBe("not_a_lock");
    expect(await redis.llen(key)).toBe(1);
  });

  it("a reservation blocks the library's clients, is listed and can be force-released", async () => {
    const { key, owner } = await taken();
    expect(await force(await heldAt(key), 60_000)).toBe("released");
    expect(await take(redis, key, draw())).toBe(false);
    const reserved = await heldAt(key);
    expect(reserved).toMatchObject({ confidence: "certain", holders: [{ owner: BY_MEI }] });
    expect(reserved.holders[0].fence).not.toBeNull();
    expect(await wordsOf(key, 2)).toEqual([`force_released ${owner} mei`, `acquired ${BY_MEI}`]);
    expect(await force(reserved)).toBe("released");
    expect(await take(redis, key, draw())).toBe(true);
  });
});

describe("force-release of strings", () => {
  it("an owner that is not UTF-8 is compared byte by byte and reported", async () => {
    const key = `shop_lock_${randomUUID()}`;
    const packed = (first: number) => Buffer.concat([Buffer.of(first), Buffer.from("aB3dE5fG7hJ9kL1m")]);
    await redis.set(key, packed(0xb0), "PX", 30_000);
    const seen = await heldAt(key);
    expect(seen.format).toBe("laravel");
    expect(argumentOf(seen.holders[0].owner)).toEqual(packed(0xb0));
    await redis.set(key, packed(0xb1), "PX", 30_000);
    expect(await force(seen)).toBe("changed");
    await redis.set(key, packed(0xb0), "PX", 30_000);
    expect(await force(seen)).toBe("released");
    expect(await wordsOf(key, 1)).toHaveLength(1);
  });

  it("an owner with tabs and line breaks is reported like any other", async () => {
    const key = `lock:${randomUUID()}`;
    await redis.set(key, "h5Gq_0ZkWcX1nP2sT8vB-wweb\t1\n2", "PX", 30_000);
    expect(await force(await heldAt(key))).toBe("released");
    expect(await wordsOf(key, 1)).toEqual(["force_released h5Gq_0ZkWcX1nP2sT8vB-wweb 1 2 mei"]);
  });

  it("force-release does not end a Lockkeeper hold that now has the same value", async () => {
    const key = `lock:${randomUUID()}`;
    const owner = randomUUID();
    await redis.set(key, owner, "PX", 30_000);
    const seen = await heldAt(key);
    await redis.del(key);
    const request = { id: randomUUID(), digest: "d", reentrant: false, record: undefined };
    const times = { leaseMs: 30_000, graceMs: 0, minHoldMs: 0, unit: "ms" } as const;
    await FORMATS.token.acquire(redis, CHANNEL, key, { owner, ...request, ...times });
    expect(await force(seen)).toBe("changed");
    expect(await redis.get(key)).toBe(owner);
  });

  it("a reservation of a published SETNX/GETSET lock blocks such clients with a deadline", async () => {
    const key = `lock.${randomUUID()}`;
    const [one, two] = [new PollingLock(redis), new PollingLock(redis, { waitMs: 0 })];
    expect(await one.acquire(key)).toBe(true);
    const seen = await heldAt(key);
    expect(seen).toMatchObject({ format: "timestamp", confidence: "likely" });
    expect(await force(seen, 60_000)).toBe("released");
    expect(await two.acquire(key)).toBe(false);
    expect(await force(await heldAt(key))).toBe("released");
    expect(await two.acquire(key)).toBe(true);
    await redis.set(key, String(Date.now() - 10_000));
    expect(await lookAt(key)).toMatchObject({ state: "ended", format: "timestamp" });
  });

  it("a reservation of a redis-lock key blocks deadline clients as well", async () => {
    const key = `lock.${randomUUID()}`;
    await redis.set(key, String(Date.now() + 30_001), "PX", 30_000);
    const seen = await heldAt(key);
    expect(seen).toMatchObject({ format: "redis-lock", candidates: ["timestamp"] });
    expect(await force(seen, 60_000)).toBe("released");
    expect(await new PollingLock(redis, { waitMs: 0 }).acquire(key)).toBe(false);
  });

  it("a redis-py lock reports since when it was requested", async () => {
    const key = `lock:${randomUUID()}`;
    await redis.set(key, uuid1(Date.now() - 7000), "PX", 30_000);
    const { holders, asOf } = await heldAt(key);
    expect(holders[0].sinceIs).toBe("told");
    expect(Math.abs(asOf - 7000 - (holders[0].sinceMs ?? 0))).toBeLessThan(2000);
  });
});

describe("locks with binary keys", () => {
  it("a lock whose key is not UTF-8 is force-released by its bytes", async () => {
    const bytes = Buffer.concat([Buffer.from(`lock:${randomUUID()}:`), Buffer.of(0xff)]);
    await redis.set(bytes, uuid1(), "PX", 30_000);
    const seen = await heldAt(keyOfBytes(bytes));
    expect(await force(seen)).toBe("released");
    expect(await redis.exists(bytes)).toBe(0);
  });
});
