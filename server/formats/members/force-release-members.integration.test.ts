import { randomBytes, randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestRedis, type TestRedis } from "../../../test/support/test-redis.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import type { HeldObservation, SeenHolder } from "../observation.ts";
import { findLockFormat } from "../registry/lock-formats.ts";
import { readKeys } from "../registry/read-keys.ts";

let redis: TestRedis;
let direct: Redis;
let told: string[];

const CHANNEL = "lockkeeper:events:0";

beforeAll(async () => {
  redis = await startTestRedis();
  direct = redis.createClient();
  told = [];
  const listener = redis.createClient();
  listener.on("message", (_, message) => told.push(message));
  await listener.subscribe(CHANNEL);
});
afterAll(async () => await redis.stop());

async function observe(key: string): Promise<HeldObservation> {
  const [seen] = await readKeys(direct, [key]);
  if (seen?.state !== "held") throw new Error(`${key} is ${seen?.state}`);
  return seen;
}

/** What a force-release of what was seen comes to; of one holder where it is named. */
async function forceRelease(
  seen: HeldObservation,
  owner?: string,
  holdOff?: { owner: string; holdOffMs: number },
) {
  const holder = owner === undefined ? undefined : seen.holders.find((each) => each.owner === owner);
  if (owner !== undefined && holder === undefined) throw new Error(`${owner} was not seen`);
  const free = findLockFormat(seen.format, seen.type)?.frees?.free;
  const reply = await free?.(direct, CHANNEL, seen, { holder, by: "mei", reason: "node lost", holdOff });
  return reply?.outcome;
}

const getOwners = ({ holders }: { holders: readonly SeenHolder[] }) => holders.map(({ owner }) => owner);
const readEvents = (key: string) =>
  told
    .filter((message) => message.endsWith(`\n${key}`))
    .map((message) => message.split("\t"))
    .map(([type, , , , , , owner]) => `${type} ${owner}`);

const token = () => randomBytes(32).toString("base64");
const medallion = (pid = 4711) => `web-1_${pid}_${randomBytes(16).toString("hex")}`;
const jid = () => randomBytes(12).toString("hex");

/** Each takes the lock as its library does and gives the key. */
const TAKES = {
  async semaphore(owners: readonly string[], key = `semaphore:${randomUUID()}`) {
    for (const owner of owners) await direct.multi().zadd(key, Date.now(), owner).pexpire(key, 10_000).exec();
    return key;
  },
  async symfonyShared(owners: readonly string[], key = `lock:${randomUUID()}`) {
    const end = Date.now() + 300_000;
    for (const [at, owner] of owners.entries()) await direct.zadd(key, end + at * 1000, owner);
    await direct.pexpireat(key, end + (owners.length - 1) * 1000);
    return key;
  },
  async medallionReaders(owners: readonly string[], key = `lock:${randomUUID()}.readers`) {
    for (const owner of owners) await direct.multi().sadd(key, owner).pexpire(key, 30_000).exec();
    return key;
  },
  async medallionSemaphore(owners: readonly string[], key = `lock:${randomUUID()}`) {
    for (const owner of owners)
      await direct
        .multi()
        .zadd(key, Date.now() + 30_000, owner)
        .pexpire(key, 90_000)
        .exec();
    return key;
  },
  async sidekiq(owners: readonly string[], key = `uniquejobs:${randomBytes(32).toString("hex")}:LOCKED`) {
    const digest = key.slice(0, -":LOCKED".length);
    for (const owner of owners) {
      const now = Date.now() / 1000;
      await direct.set(digest, owner);
      await direct.multi().zadd("uniquejobs:digests", now, digest).hset(key, owner, now).exec();
    }
    return key;
  },
};

const KINDS = [
  { name: "redis-semaphore", take: TAKES.semaphore, owner: () => randomUUID() },
  { name: "Symfony shared locks", take: TAKES.symfonyShared, owner: token },
  { name: "Medallion reader locks", take: TAKES.medallionReaders, owner: () => medallion() },
  { name: "Medallion semaphores", take: TAKES.medallionSemaphore, owner: () => medallion() },
  { name: "sidekiq-unique-jobs", take: TAKES.sidekiq, owner: jid },
];

describe.each(KINDS)("shared holders ($name)", ({ take, owner }) => {
  const three = () => [owner(), owner(), owner()].sort() as [string, string, string];

  it("one of three holders can be force-released while the others keep the lock", async () => {
    const [one, two, three_] = three();
    const key = await take([one, two, three_]);
    const seen = await observe(key);
    expect(getOwners(seen)).toEqual([one, two, three_]);
    expect(await forceRelease(seen, two)).toBe("released");
    expect(getOwners(await observe(key))).toEqual([one, three_]);
    await waitUntil(() => readEvents(key).length > 0);
    expect(readEvents(key)).toEqual([`force_released ${two}`]);
    expect(await forceRelease(seen, two)).toBe("gone");
    expect(await forceRelease(await observe(key), one)).toBe("released");
    expect(await forceRelease(await observe(key), three_)).toBe("released");
    expect(await direct.exists(key)).toBe(0);
  });

  it("all holders of a shared lock are force-released together when they match what was seen", async () => {
    const owners = three();
    const key = await take(owners);
    expect(await forceRelease(await observe(key))).toBe("released");
    expect(await direct.exists(key)).toBe(0);
    await waitUntil(() => readEvents(key).length === 3);
    expect(readEvents(key)).toEqual(owners.map((each) => `force_released ${each}`));
  });

  it("force-release of all holders is refused when a holder joined, left or the key holds something else", async () => {
    const [one, two, three_] = three();
    const key = await take([one, two]);
    const seen = await observe(key);
    await take([three_], key);
    expect(await forceRelease(seen)).toBe("changed");
    expect(getOwners(await observe(key))).toEqual([one, two, three_]);
    const all = await observe(key);
    expect(await forceRelease(all, one)).toBe("released");
    expect(await forceRelease(all)).toBe("changed");
    expect(getOwners(await observe(key))).toEqual([two, three_]);
    await direct.del(key);
    expect([await forceRelease(all), await forceRelease(all, two)]).toEqual(["gone", "gone"]);
    await direct.set(key, "somebody's");
    expect([await forceRelease(all), await forceRelease(all, two)]).toEqual(["not_a_lock", "not_a_lock"]);
    expect(await direct.get(key)).toBe("somebody's");
  });
});

describe("redis-semaphore", () => {
  it("force-release of a holder with several permits returns all of its permits and no others", async () => {
    const [one, two] = [randomUUID(), randomUUID()].sort() as [string, string];
    const key = await TAKES.semaphore([`${one}_0`, `${one}_1`, `${one}_2`, `${two}_0`]);
    const seen = await observe(key);
    expect(seen.holders).toMatchObject([
      { owner: one, count: 3 },
      { owner: two, count: 1 },
    ]);
    expect(await forceRelease(seen, one)).toBe("released");
    expect(await direct.zrange(key, "0", "-1")).toEqual([`${two}_0`]);
  });

  it("a holder that refreshed its permit still matches what was seen", async () => {
    const owner = randomUUID();
    const key = await TAKES.semaphore([owner]);
    const seen = await observe(key);
    await direct
      .multi()
      .zadd(key, Date.now() + 5, owner)
      .pexpire(key, 10_000)
      .exec();
    expect(await forceRelease(seen)).toBe("released");
  });

  it("an expired holder is not listed and is removed together with the others", async () => {
    const [alive, dead] = [randomUUID(), randomUUID()];
    const key = `semaphore:${randomUUID()}`;
    await direct.zadd(key, Date.now() - 11_000, dead);
    await TAKES.semaphore([alive], key);
    const seen = await observe(key);
    expect(getOwners(seen)).toEqual([alive]);
    expect(await forceRelease(seen)).toBe("released");
    expect(await direct.exists(key)).toBe(0);
  });
});

describe("Symfony locks", () => {
  async function exclusive(owner: string, key = `lock:${randomUUID()}`) {
    const end = Date.now() + 300_000;
    await direct.multi().zadd(key, end, owner, end, "__write__").pexpireat(key, end).exec();
    return key;
  }

  it("force-release of an exclusive Symfony lock also removes its write marker", async () => {
    const [one, two] = [token(), token()];
    const [whole, single] = [await exclusive(one), await exclusive(two)];
    expect(await forceRelease(await observe(whole))).toBe("released");
    expect(await forceRelease(await observe(single), two)).toBe("released");
    expect(await direct.exists(whole, single)).toBe(0);
  });

  it("the TTL of a Symfony lock is shortened to its last remaining holder", async () => {
    const owners = [token(), token()] as const;
    const key = await TAKES.symfonyShared(owners);
    const end = Number(await direct.zscore(key, owners[0]));
    expect(await forceRelease(await observe(key), owners[1])).toBe("released");
    expect(await direct.pttl(key)).toBeLessThanOrEqual(end - Date.now() + 100);
  });

  it("a Symfony holder that switched between reader and writer no longer matches what was seen", async () => {
    const owner = token();
    const key = await TAKES.symfonyShared([owner]);
    const reader = await observe(key);
    await exclusive(owner, key);
    expect([await forceRelease(reader), await forceRelease(reader, owner)]).toEqual(["changed", "changed"]);
    const writer = await observe(key);
    await direct.zrem(key, "__write__");
    expect([await forceRelease(writer), await forceRelease(writer, owner)]).toEqual(["changed", "changed"]);
    expect(await direct.zcard(key)).toBe(1);
  });

  it("a reservation of a Symfony lock is an exclusive hold that is listed and can be force-released", async () => {
    const owner = token();
    const key = await exclusive(owner);
    const reserved = "lockkeeper:reserve:mei";
    expect(await forceRelease(await observe(key), undefined, { owner: reserved, holdOffMs: 20_000 })).toBe(
      "released",
    );
    const seen = await observe(key);
    expect(seen).toMatchObject({ kind: "lock", format: "symfony", holders: [{ owner: reserved }] });
    expect(await direct.zrange(key, "0", "-1")).toEqual(["__write__", reserved]);
    for (const left of [seen.remainingMs, await direct.pttl(key)]) {
      expect(left).toBeLessThanOrEqual(20_000);
      expect(left).toBeGreaterThan(15_000);
    }
    expect(await forceRelease(seen)).toBe("released");
    expect(await direct.exists(key)).toBe(0);
  });

  it("a Symfony lock is not reserved while another holder remains", async () => {
    const owners = [token(), token()] as const;
    const key = await TAKES.symfonyShared(owners);
    const holdOff = { owner: "lockkeeper:reserve:mei", holdOffMs: 20_000 };
    expect(await forceRelease(await observe(key), owners[0], holdOff)).toBe("changed");
    expect(getOwners(await observe(key))).toEqual([...owners].sort());
  });

  it("a Symfony lock whose last holder has expired is ended, and force-release finds it gone", async () => {
    const key = `lock:${randomUUID()}`;
    await direct.zadd(key, Date.now() - 5, token());
    await direct.zadd(key, Date.now() - 5, "__write__");
    const [seen] = await readKeys(direct, [key]);
    expect(seen?.state).toBe("ended");
    expect(await forceRelease(seen as HeldObservation)).toBe("gone");
  });
});

describe("Medallion locks", () => {
  it("a waiting Medallion writer is counted as a waiter of the readers", async () => {
    const key = await TAKES.medallionReaders([medallion(), medallion()]);
    expect((await observe(key)).waiters).toBeUndefined();
    const writer = key.replace(/\.readers$/, ".writer");
    await direct.set(writer, `${medallion()}_WRITERWAITING`, "PX", 30_000);
    expect((await observe(key)).waiters).toEqual({ count: 1, known: "unknowable" });
    await direct.set(writer, medallion(), "PX", 30_000);
    expect((await observe(key)).waiters).toBeUndefined();
  });
});

describe("sidekiq-unique-jobs", () => {
  const besides = (digest: string) => ["", ":INFO", ":LOCKED", ":PRIMED"].map((end) => digest + end);

  /** What version 8 keeps of one lock. */
  async function taken(owner = jid(), namespace = "") {
    const digest = `uniquejobs:${randomBytes(16).toString("hex")}`;
    const name = namespace + digest;
    await direct.set(name, owner);
    await direct.set(
      `${name}:INFO`,
      JSON.stringify({ worker: "SyncJob", limit: null, type: "until_executed" }),
    );
    await direct.zadd(`${namespace}uniquejobs:digests`, Date.now() / 1000, digest);
    await direct.zadd(`${namespace}uniquejobs:expiring_digests`, Date.now() / 1000, digest);
    await direct.hset(`${name}:LOCKED`, owner, String(Date.now() / 1000));
    return { owner, digest, name, key: `${name}:LOCKED` };
  }

  it.each(["", "app:"])(
    "force-release of a version 8 job lock removes all its keys, with the namespace %j",
    async (namespace) => {
      const { digest, name, key } = await taken(jid(), namespace);
      const seen = await observe(key);
      expect(seen).toMatchObject({
        ...{ kind: "lock", waiters: { count: 0, known: "exact" } },
        holders: [{ record: { purpose: "SyncJob" }, sinceIs: "told" }],
      });
      expect(await forceRelease(seen)).toBe("released");
      expect(await direct.exists(...besides(name))).toBe(0);
      for (const registry of ["digests", "expiring_digests"])
        expect(await direct.zscore(`${namespace}uniquejobs:${registry}`, digest)).toBeNull();
      expect(await direct.lrange(`${name}:QUEUED`, 0, -1)).toEqual(["1"]);
      expect(await direct.pttl(`${name}:QUEUED`)).toBeGreaterThan(0);
    },
  );

  it("force-release wakes a job that waits with BLMOVE", async () => {
    const { name, key } = await taken();
    const waiter = redis.createClient();
    const woken = waiter.blmove(`${name}:QUEUED`, `${name}:PRIMED`, "RIGHT", "LEFT", 10);
    await waitUntil(async () => (await direct.info("clients")).includes("blocked_clients:1"));
    const freedAt = performance.now();
    expect(await forceRelease(await observe(key))).toBe("released");
    expect(await woken).toBe("1");
    expect(performance.now() - freedAt).toBeLessThan(1000);
  });

  it("waiting jobs are counted without the holder and the sentinel entries", async () => {
    const { owner, name, key } = await taken();
    const [queued, primed] = [jid(), jid()];
    await direct.lpush(`${name}:QUEUED`, owner, queued, "1");
    await direct.lpush(`${name}:PRIMED`, primed);
    expect((await observe(key)).waiters).toEqual({ count: 2, known: "exact" });
  });

  it("force-release of one of several jobs removes only its entry", async () => {
    const { owner, digest, name, key } = await taken();
    await direct.set(`${name}:INFO`, JSON.stringify({ worker: "SyncJob", limit: 3 }));
    const other = jid();
    await direct.hset(key, other, String(Date.now() / 1000));
    const seen = await observe(key);
    expect(seen).toMatchObject({ kind: "semaphore", permits: { available: 1, total: 3 } });
    expect(await forceRelease(seen, owner)).toBe("released");
    expect(await direct.hkeys(key)).toEqual([other]);
    expect(await direct.exists(...besides(name))).toBe(3);
    expect(await direct.zscore("uniquejobs:digests", digest)).not.toBeNull();
    expect(await direct.lrange(`${name}:QUEUED`, 0, -1)).toEqual(["1"]);
    expect(await forceRelease(await observe(key), other)).toBe("released");
    expect(await direct.exists(...besides(name))).toBe(0);
    expect(await direct.zscore("uniquejobs:digests", digest)).toBeNull();
  });

  it("a job that was retried and reacquired the lock no longer matches what was seen", async () => {
    const { owner, key } = await taken();
    const seen = await observe(key);
    await direct.hset(key, owner, String(Date.now() / 1000 + 1));
    expect([await forceRelease(seen), await forceRelease(seen, owner)]).toEqual(["changed", "changed"]);
    expect(await direct.hlen(key)).toBe(1);
  });

  it("force-release of a version 9 job lock updates its hash and registry and sends no wake-up", async () => {
    const digest = `uniquejobs:${randomBytes(32).toString("hex")}`;
    const key = `${digest}:LOCKED`;
    const job = (limit: number) => JSON.stringify({ worker: "SyncJob", limit, time: Date.now() / 1000 });
    const [one, two] = [jid(), jid()].sort() as [string, string];
    await direct.hset(key, one, job(2), two, job(2));
    await direct.zadd("uniquejobs:digests", Date.now() / 1000, digest);
    const seen = await observe(key);
    expect(seen).toMatchObject({ kind: "semaphore", permits: { available: 0, total: 2 } });
    expect(await forceRelease(seen, one)).toBe("released");
    expect(await direct.zscore("uniquejobs:digests", digest)).not.toBeNull();
    expect(await forceRelease(await observe(key))).toBe("released");
    expect(await direct.zscore("uniquejobs:digests", digest)).toBeNull();
    expect(await direct.exists(key, `${digest}:QUEUED`)).toBe(0);
  });
});

it("a semaphore with 100 holders is read in full, and one above the limit is reported as unread with its size", async () => {
  const owners = Array.from({ length: 100 }, () => randomUUID());
  const key = await TAKES.semaphore(owners);
  expect((await observe(key)).holders).toHaveLength(100);
  expect(await forceRelease(await observe(key))).toBe("released");
  const crowd = `semaphore:${randomUUID()}`;
  await direct.zadd(crowd, ...Array.from({ length: 257 }, () => [Date.now(), randomUUID()]).flat());
  await direct.pexpire(crowd, 10_000);
  expect(await readKeys(direct, [crowd])).toMatchObject([
    { state: "not_a_lock", type: "zset", unread: { size: 257, most: 256, of: "members" } },
  ]);
});
