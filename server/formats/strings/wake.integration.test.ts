import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { formatTest } from "../../../test/support/fixtures.ts";
import type { TestRedis } from "../../../test/support/test-redis.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { FormatRules } from "../format-rules.ts";
import { buildWakeChannel } from "../keys.ts";
import { readKey } from "../registry/read-keys.ts";

const TOKEN = "h5Gq/0ZkWcX1nP2sT8vB+yQe";

const it = formatTest();

/** Waits indefinitely, as python-redis-lock does without a timeout or an expiry. */
function pythonWaiter(redis: TestRedis, name: string, owner: string) {
  const client = redis.createClient();
  const waiter = { tries: 0, hasLock: false };
  const wait = async () => {
    while ((await client.set(`lock:${name}`, owner, "NX")) !== "OK") {
      waiter.tries++;
      await client.blpop(`lock-signal:${name}`, 0);
    }
    waiter.hasLock = true;
  };
  // The wait fails when the connection is closed at the end of the tests.
  wait().catch(() => undefined);
  return waiter;
}
const isBlocked = async (direct: Redis) => /cmd=blpop/.test(String(await direct.client("LIST")));

describe("python-redis-lock waiters", () => {
  it("a waiter without a timeout acquires the lock after a force-release", async ({
    direct,
    redis,
    forceRelease,
    observeHeld,
  }) => {
    const name = randomUUID();
    await direct.set(`lock:${name}`, TOKEN);
    const waiter = pythonWaiter(redis, name, "Zx9/0ZkWcX1nP2sT8vB+yQe1");
    await waitUntil(async () => waiter.tries === 1 && (await isBlocked(direct)));
    expect(await forceRelease(await observeHeld(`lock:${name}`))).toBe("released");
    await waitUntil(() => waiter.hasLock);
    expect(waiter.tries).toBe(1);
    expect(await direct.exists(`lock-signal:${name}`)).toBe(0);
  });

  it("a waiter acquires the lock even when the app chose the owner string", async ({
    direct,
    redis,
    forceRelease,
    observeHeld,
  }) => {
    const name = randomUUID();
    await direct.set(`lock:${name}`, "worker-7");
    const waiter = pythonWaiter(redis, name, "worker-8");
    await waitUntil(async () => waiter.tries === 1 && (await isBlocked(direct)));
    expect(await forceRelease(await observeHeld(`lock:${name}`))).toBe("released");
    await waitUntil(() => waiter.hasLock);
  });

  it("a waiter is woken at the end of a reservation, not at its start", async ({
    direct,
    redis,
    forceRelease,
    observeHeld,
  }) => {
    const name = randomUUID();
    await direct.set(`lock:${name}`, TOKEN);
    const waiter = pythonWaiter(redis, name, "Zx9/0ZkWcX1nP2sT8vB+yQe1");
    await waitUntil(async () => waiter.tries === 1 && (await isBlocked(direct)));
    expect(await forceRelease(await observeHeld(`lock:${name}`), { reservedMs: 500 })).toBe("released");
    expect(await direct.pttl(`lock:${name}`)).toBeGreaterThan(0);
    await waitUntil(() => waiter.hasLock);
    expect(waiter.tries).toBe(1);
  });

  it("no signal is sent at the end of a reservation when another owner holds the lock", async ({
    direct,
    forceRelease,
    observeHeld,
  }) => {
    const name = randomUUID();
    const looks = async () =>
      Number(/cmdstat_exists:calls=(\d+)/.exec(await direct.info("commandstats"))?.[1] ?? 0);
    await direct.set(`lock:${name}`, TOKEN);
    expect(await forceRelease(await observeHeld(`lock:${name}`), { reservedMs: 100 })).toBe("released");
    await direct.set(`lock:${name}`, TOKEN);
    const before = await looks();
    await waitUntil(async () => (await looks()) > before);
    expect(await direct.llen(`lock-signal:${name}`)).toBe(0);
  });

  it("a force-release leaves one wake-up signal for up to 1 s", async ({
    direct,
    forceRelease,
    observeHeld,
  }) => {
    const name = randomUUID();
    await direct.set(`lock:${name}`, TOKEN);
    await direct.rpush(`lock-signal:${name}`, "1");
    expect(await forceRelease(await observeHeld(`lock:${name}`))).toBe("released");
    expect(await direct.lrange(`lock-signal:${name}`, 0, -1)).toEqual(["1"]);
    expect(await direct.pttl(`lock-signal:${name}`)).toBeLessThanOrEqual(1000);
    expect(await direct.pttl(`lock-signal:${name}`)).toBeGreaterThan(0);
  });

  it.for([
    ["a string", (direct: Redis, key: string) => direct.set(key, "data")],
    ["a list of other data", (direct: Redis, key: string) => direct.rpush(key, "left", "over")],
  ] as const)(
    "a force-release leaves %s at the name of the signal untouched",
    async ([, write], { direct, forceRelease, observeHeld }) => {
      const name = randomUUID();
      await direct.set(`lock:${name}`, TOKEN);
      await write(direct, `lock-signal:${name}`);
      const before = await direct.dump(`lock-signal:${name}`);
      expect(await forceRelease(await observeHeld(`lock:${name}`))).toBe("released");
      expect(await direct.dump(`lock-signal:${name}`)).toBe(before);
      expect(await direct.pttl(`lock-signal:${name}`)).toBe(-1);
    },
  );
});

async function listening(redis: TestRedis, subscribe: (client: Redis) => Promise<unknown>) {
  const heard: string[] = [];
  const client = redis.createClient();
  client.on("message", (channel, message) => heard.push(`${channel} ${message}`));
  client.on("pmessage", (_, channel, message) => heard.push(`${channel} ${message}`));
  await subscribe(client);
  return heard;
}

describe("Spring registry waiters", () => {
  it.for(["orders", "shop:orders"])(
    "a force-release notifies waiters of the %s registry on both channels",
    async (registry, { direct, observeHeld, forceRelease, redis }) => {
      const key = `${registry}:lock:${randomUUID()}`;
      const today = await listening(redis, (client) => client.psubscribe(`${registry}-channel:*`));
      const before = await listening(redis, (client) => client.subscribe(`${registry}-channel`));
      await direct.set(key, randomUUID(), "PX", 60_000);
      const seen = await observeHeld(key);
      expect(seen.candidates).toContain("spring");
      expect(await forceRelease(seen)).toBe("released");
      await waitUntil(() => today.length > 0 && before.length > 0);
      expect(today).toEqual([`${registry}-channel:${key} ${key}`]);
      expect(before).toEqual([`${registry}-channel ${key}`]);
    },
  );

  it.for(["redlock-rb", "lan1tian", "ioredis-lock", "token"] as const)(
    "a force-release under the format %s notifies Spring waiters",
    async (format, { direct, observeHeld, forceRelease, redis }) => {
      const key = `orders:lock:${randomUUID()}`;
      const heard = await listening(redis, (client) => client.psubscribe("orders-channel:*"));
      await direct.set(key, randomUUID(), "PX", 60_000);
      const seen = await observeHeld(key, new FormatRules([{ pattern: "*", format }]));
      expect(seen.format).toBe(format);
      expect(await forceRelease(seen)).toBe("released");
      await waitUntil(() => heard.length > 0);
      expect(heard).toEqual([`orders-channel:${key} ${key}`]);
    },
  );

  it("the end of a reservation notifies Spring waiters", async ({
    direct,
    observeHeld,
    forceRelease,
    redis,
  }) => {
    const key = `orders:lock:${randomUUID()}`;
    const heard = await listening(redis, (client) => client.psubscribe("orders-channel:*"));
    await direct.set(key, randomUUID(), "PX", 60_000);
    expect(await forceRelease(await observeHeld(key), { reservedMs: 300 })).toBe("released");
    expect(heard).toEqual([]);
    await waitUntil(() => heard.length > 0);
    expect(await direct.exists(key)).toBe(0);
  });

  it("the end of an extended reservation notifies Spring waiters", async ({
    direct,
    observeHeld,
    forceRelease,
    redis,
  }) => {
    const key = `orders:lock:${randomUUID()}`;
    const heard = await listening(redis, (client) => client.psubscribe("orders-channel:*"));
    await direct.set(key, randomUUID(), "PX", 60_000);
    expect(await forceRelease(await observeHeld(key), { reservedMs: 200 })).toBe("released");
    await direct.pexpire(key, 900);
    await waitUntil(() => heard.length > 0);
    expect(await direct.exists(key)).toBe(0);
  });

  it("a release with reservation does not notify Spring waiters", async ({
    direct,
    forceRelease,
    observeHeld,
    redis,
  }) => {
    const key = `${randomUUID()}:lock`;
    const heard = await listening(redis, (client) => client.psubscribe("*-channel*"));
    await direct.set(key, randomUUID(), "PX", 60_000);
    expect(await forceRelease(await observeHeld(key), { reservedMs: 60_000 })).toBe("released");
    await direct.set(`${key}2`, randomUUID(), "PX", 60_000);
    expect(await forceRelease(await observeHeld(`${key}2`))).toBe("released");
    await waitUntil(() => heard.length > 0);
    expect(heard.every((message) => message.endsWith(`${key}2`))).toBe(true);
  });
});

it("a force-release notifies clients that wait through Lockkeeper", async ({
  direct,
  forceRelease,
  observeHeld,
  redis,
}) => {
  const key = `mutex:${randomUUID()}`;
  const heard = await listening(redis, (client) => client.subscribe(String(buildWakeChannel(key))));
  await direct.set(key, randomUUID(), "PX", 60_000);
  expect(await forceRelease(await observeHeld(key))).toBe("released");
  await waitUntil(() => heard.length > 0);
});

/**
 * The script with which RedLock.net's timer renews. It re-creates a missing key, and leaves another owner's key
 * unchanged.
 */
const EXTEND = `
local there = redis.call('GET', KEYS[1])
if there and there ~= ARGV[1] then return -1 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

describe("locks recreated by their owner", () => {
  async function redLockNet(direct: Redis, leaseMs: number) {
    const [key, owner] = [`redlock:${randomUUID()}`, randomUUID()];
    const seen = { conflicts: 0 };
    const extend = async () => {
      if ((await direct.eval(EXTEND, 1, key, owner, leaseMs)) === -1) seen.conflicts++;
    };
    await extend();
    const timer = setInterval(() => void extend().catch(() => undefined), leaseMs / 2);
    return { key, owner, seen, stop: () => clearInterval(timer) };
  }

  it("a RedLock.net lock reappears with the same owner after a force-release", async ({
    direct,
    forceRelease,
    observeHeld,
  }) => {
    const { key, owner, stop } = await redLockNet(direct, 400);
    expect(await forceRelease(await observeHeld(key))).toBe("released");
    expect((await readKey(direct, key)).state).toBe("free");
    await waitUntil(async () => (await direct.get(key)) === owner);
    stop();
  });

  it("a RedLock.net lock does not reappear while it is reserved", async ({
    direct,
    forceRelease,
    observeHeld,
  }) => {
    const { key, owner, seen, stop } = await redLockNet(direct, 400);
    expect(await forceRelease(await observeHeld(key), { reservedMs: 60_000 })).toBe("released");
    await waitUntil(() => seen.conflicts >= 2);
    expect(await direct.get(key)).toBe("lockkeeper:reserve:mei");
    expect(await forceRelease(await observeHeld(key))).toBe("released");
    await waitUntil(async () => (await direct.get(key)) === owner);
    stop();
  });
});

it("a waiter of simple-redis-mutex is notified of a force-release, with the key of the lock", async ({
  direct,
  redis,
  forceRelease,
  observeHeld,
}) => {
  const key = `@simple-redis-mutex:lock-"${randomUUID()}"`;
  const heard: unknown[] = [];
  const client = redis.createClient();
  client.on("message", (_, message) => heard.push(JSON.parse(message)));
  await client.subscribe("@simple-redis-mutex:locks-releases");
  await direct.set(key, String(Math.random()), "PX", 30_000);
  const seen = await observeHeld(key);
  expect(seen).toMatchObject({ format: "simple-redis-mutex", confidence: "likely" });
  expect(await forceRelease(seen)).toBe("released");
  await waitUntil(() => heard.length > 0);
  expect(heard).toEqual([{ key, value: "" }]);
});
