import { randomBytes, randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { formatTest } from "../../../test/support/fixtures.ts";
import { getOwners } from "../../../test/support/observed-lock.ts";
import { createTestKey } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import type { HeldObservation } from "../observation.ts";
import { readKeys } from "../registry/read-keys.ts";

const it = formatTest().extend(
  "readEvents",
  { scope: "file" },
  ({ messages }) =>
    (key: string) =>
      messages
        .map(String)
        .filter((message) => message.endsWith(`\n${key}`))
        .map((message) => message.split("\t"))
        .map(([type, , , , , , owner]) => `${type} ${owner}`),
);

const token = () => randomBytes(32).toString("base64");
const medallion = (pid = 4711) => `web-1_${pid}_${randomBytes(16).toString("hex")}`;
const jid = () => randomBytes(12).toString("hex");

/** Functions that acquire a lock as each library does, and return its key. */
const TAKES = {
  async semaphore(direct: Redis, owners: readonly string[], key = `semaphore:${randomUUID()}`) {
    for (const owner of owners) await direct.multi().zadd(key, Date.now(), owner).pexpire(key, 10_000).exec();
    return key;
  },
  async symfonyShared(direct: Redis, owners: readonly string[], key = `lock:${randomUUID()}`) {
    const end = Date.now() + 300_000;
    for (const [at, owner] of owners.entries()) await direct.zadd(key, end + at * 1000, owner);
    await direct.pexpireat(key, end + (owners.length - 1) * 1000);
    return key;
  },
  async medallionReaders(direct: Redis, owners: readonly string[], key = `lock:${randomUUID()}.readers`) {
    for (const owner of owners) await direct.multi().sadd(key, owner).pexpire(key, 30_000).exec();
    return key;
  },
  async medallionSemaphore(direct: Redis, owners: readonly string[], key = `lock:${randomUUID()}`) {
    for (const owner of owners)
      await direct
        .multi()
        .zadd(key, Date.now() + 30_000, owner)
        .pexpire(key, 90_000)
        .exec();
    return key;
  },
  async sidekiq(
    direct: Redis,
    owners: readonly string[],
    key = `uniquejobs:${randomBytes(32).toString("hex")}:LOCKED`,
  ) {
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

  it("one of three holders can be force-released while the others keep the lock", async ({
    direct,
    observeHeld,
    forceRelease,
    readEvents,
  }) => {
    const [one, two, three_] = three();
    const key = await take(direct, [one, two, three_]);
    const seen = await observeHeld(key);
    expect(getOwners(seen)).toEqual([one, two, three_]);
    expect(await forceRelease(seen, { owner: two })).toBe("released");
    expect(getOwners(await observeHeld(key))).toEqual([one, three_]);
    await waitUntil(() => readEvents(key).length > 0);
    expect(readEvents(key)).toEqual([`force_released ${two}`]);
    expect(await forceRelease(seen, { owner: two })).toBe("gone");
    expect(await forceRelease(await observeHeld(key), { owner: one })).toBe("released");
    expect(await forceRelease(await observeHeld(key), { owner: three_ })).toBe("released");
    expect(await direct.exists(key)).toBe(0);
  });

  it("all holders of a shared lock are force-released together when they match what was seen", async ({
    direct,
    forceRelease,
    observeHeld,
    readEvents,
  }) => {
    const owners = three();
    const key = await take(direct, owners);
    expect(await forceRelease(await observeHeld(key))).toBe("released");
    expect(await direct.exists(key)).toBe(0);
    await waitUntil(() => readEvents(key).length === 3);
    expect(readEvents(key)).toEqual(owners.map((each) => `force_released ${each}`));
  });

  it("force-release of all holders is refused when a holder joined, left or the key holds something else", async ({
    direct,
    observeHeld,
    forceRelease,
  }) => {
    const [one, two, three_] = three();
    const key = await take(direct, [one, two]);
    const seen = await observeHeld(key);
    await take(direct, [three_], key);
    expect(await forceRelease(seen)).toBe("changed");
    expect(getOwners(await observeHeld(key))).toEqual([one, two, three_]);
    const all = await observeHeld(key);
    expect(await forceRelease(all, { owner: one })).toBe("released");
    expect(await forceRelease(all)).toBe("changed");
    expect(getOwners(await observeHeld(key))).toEqual([two, three_]);
    await direct.del(key);
    expect([await forceRelease(all), await forceRelease(all, { owner: two })]).toEqual(["gone", "gone"]);
    await direct.set(key, "somebody's");
    expect([await forceRelease(all), await forceRelease(all, { owner: two })]).toEqual([
      "not_a_lock",
      "not_a_lock",
    ]);
    expect(await direct.get(key)).toBe("somebody's");
  });
});

describe("redis-semaphore", () => {
  it("force-release of a holder with several permits returns all of its permits and no others", async ({
    direct,
    observeHeld,
    forceRelease,
  }) => {
    const [one, two] = [randomUUID(), randomUUID()].sort() as [string, string];
    const key = await TAKES.semaphore(direct, [`${one}_0`, `${one}_1`, `${one}_2`, `${two}_0`]);
    const seen = await observeHeld(key);
    expect(seen.holders).toMatchObject([
      { owner: one, count: 3 },
      { owner: two, count: 1 },
    ]);
    expect(await forceRelease(seen, { owner: one })).toBe("released");
    expect(await direct.zrange(key, "0", "-1")).toEqual([`${two}_0`]);
  });

  it("a holder that refreshed its permit still matches what was seen", async ({
    direct,
    observeHeld,
    forceRelease,
  }) => {
    const owner = randomUUID();
    const key = await TAKES.semaphore(direct, [owner]);
    const seen = await observeHeld(key);
    await direct
      .multi()
      .zadd(key, Date.now() + 5, owner)
      .pexpire(key, 10_000)
      .exec();
    expect(await forceRelease(seen)).toBe("released");
  });

  it("an expired holder is not listed and is removed together with the others", async ({
    direct,
    observeHeld,
    forceRelease,
  }) => {
    const [alive, dead] = [randomUUID(), randomUUID()];
    const key = `semaphore:${randomUUID()}`;
    await direct.zadd(key, Date.now() - 11_000, dead);
    await TAKES.semaphore(direct, [alive], key);
    const seen = await observeHeld(key);
    expect(getOwners(seen)).toEqual([alive]);
    expect(await forceRelease(seen)).toBe("released");
    expect(await direct.exists(key)).toBe(0);
  });
});

describe("Symfony locks", () => {
  async function exclusive(direct: Redis, owner: string, key = `lock:${randomUUID()}`) {
    const end = Date.now() + 300_000;
    await direct.multi().zadd(key, end, owner, end, "__write__").pexpireat(key, end).exec();
    return key;
  }

  it("force-release of an exclusive Symfony lock also removes its write marker", async ({
    direct,
    forceRelease,
    observeHeld,
  }) => {
    const [one, two] = [token(), token()];
    const [whole, single] = [await exclusive(direct, one), await exclusive(direct, two)];
    expect(await forceRelease(await observeHeld(whole))).toBe("released");
    expect(await forceRelease(await observeHeld(single), { owner: two })).toBe("released");
    expect(await direct.exists(whole, single)).toBe(0);
  });

  it("the TTL of a Symfony lock is shortened to its last remaining holder", async ({
    direct,
    forceRelease,
    observeHeld,
  }) => {
    const owners = [token(), token()] as const;
    const key = await TAKES.symfonyShared(direct, owners);
    const end = Number(await direct.zscore(key, owners[0]));
    expect(await forceRelease(await observeHeld(key), { owner: owners[1] })).toBe("released");
    expect(await direct.pttl(key)).toBeLessThanOrEqual(end - Date.now() + 100);
  });

  it("a Symfony holder that switched between reader and writer no longer matches what was seen", async ({
    direct,
    observeHeld,
    forceRelease,
  }) => {
    const owner = token();
    const key = await TAKES.symfonyShared(direct, [owner]);
    const reader = await observeHeld(key);
    await exclusive(direct, owner, key);
    expect([await forceRelease(reader), await forceRelease(reader, { owner: owner })]).toEqual([
      "changed",
      "changed",
    ]);
    const writer = await observeHeld(key);
    await direct.zrem(key, "__write__");
    expect([await forceRelease(writer), await forceRelease(writer, { owner: owner })]).toEqual([
      "changed",
      "changed",
    ]);
    expect(await direct.zcard(key)).toBe(1);
  });

  it("a reservation of a Symfony lock is an exclusive hold that is listed and can be force-released", async ({
    direct,
    forceRelease,
    observeHeld,
  }) => {
    const owner = token();
    const key = await exclusive(direct, owner);
    const reserved = "lockkeeper:reserve:mei";
    expect(await forceRelease(await observeHeld(key), { reservedMs: 20_000 })).toBe("released");
    const seen = await observeHeld(key);
    expect(seen).toMatchObject({ kind: "lock", format: "symfony", holders: [{ owner: reserved }] });
    expect(await direct.zrange(key, "0", "-1")).toEqual(["__write__", reserved]);
    for (const left of [seen.remainingMs, await direct.pttl(key)]) {
      expect(left).toBeLessThanOrEqual(20_000);
      expect(left).toBeGreaterThan(15_000);
    }
    expect(await forceRelease(seen)).toBe("released");
    expect(await direct.exists(key)).toBe(0);
  });

  it("a Symfony lock is not reserved while another holder remains", async ({
    direct,
    forceRelease,
    observeHeld,
  }) => {
    const owners = [token(), token()] as const;
    const key = await TAKES.symfonyShared(direct, owners);
    expect(await forceRelease(await observeHeld(key), { owner: owners[0], reservedMs: 20_000 })).toBe(
      "changed",
    );
    expect(getOwners(await observeHeld(key))).toEqual([...owners].sort());
  });

  it("a Symfony lock whose last holder has expired is ended, and force-release finds it gone", async ({
    direct,
    forceRelease,
  }) => {
    const key = createTestKey();
    await direct.zadd(key, Date.now() - 5, token());
    await direct.zadd(key, Date.now() - 5, "__write__");
    const [seen] = await readKeys(direct, [key]);
    expect(seen?.state).toBe("ended");
    expect(await forceRelease(seen as HeldObservation)).toBe("gone");
  });
});

describe("huey locks", () => {
  const LOCKED = Buffer.from("8005950500000000000000008c013194", "hex");

  it("a lock of huey is released, and the results beside it and other locks stay", async ({
    direct,
    observe,
    observeHeld,
    forceRelease,
  }) => {
    const id = randomUUID().replaceAll("-", "");
    const key = `huey.results.shop${id}`;
    const [one, two] = [`shop-${id}.lock.orders`, `shop-${id}.lock.mails`];
    await direct.hset(key, randomUUID(), "a result");
    expect((await observe(key)).state).toBe("not_a_lock");
    await direct.hset(key, one, LOCKED, two, LOCKED);
    const seen = await observeHeld(key);
    expect(seen).toMatchObject({ format: "huey", kind: "multi", confidence: "likely" });
    expect(seen.holders.map(({ owner }) => owner)).toEqual([two, one]);
    expect(await forceRelease(seen, { owner: one })).toBe("released");
    expect(await direct.hexists(key, two)).toBe(1);
    expect(await forceRelease(seen, { owner: one })).toBe("gone");
    expect(await forceRelease(seen)).toBe("changed");
    await direct.hset(key, two, "somebody else's");
    expect(await forceRelease(seen, { owner: two })).toBe("changed");
    expect(await direct.hlen(key)).toBe(2);
  });
});

describe("Medallion locks", () => {
  it("a waiting Medallion writer is counted as a waiter of the readers", async ({ direct, observeHeld }) => {
    const key = await TAKES.medallionReaders(direct, [medallion(), medallion()]);
    expect((await observeHeld(key)).waiters).toBeUndefined();
    const writer = key.replace(/\.readers$/, ".writer");
    await direct.set(writer, `${medallion()}_WRITERWAITING`, "PX", 30_000);
    expect((await observeHeld(key)).waiters).toEqual({ count: 1, known: "unknown" });
    await direct.set(writer, medallion(), "PX", 30_000);
    expect((await observeHeld(key)).waiters).toBeUndefined();
  });
});

describe("sidekiq-unique-jobs", () => {
  const besides = (digest: string) => ["", ":INFO", ":LOCKED", ":PRIMED"].map((end) => digest + end);

  /** Creates the keys of a lock like version 8 of the library. */
  async function taken(direct: Redis, owner = jid(), namespace = "") {
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

  it.for(["", "app:"])(
    "force-release of a version 8 job lock removes all its keys, with the namespace %j",
    async (namespace, { direct, observeHeld, forceRelease }) => {
      const { digest, name, key } = await taken(direct, jid(), namespace);
      const seen = await observeHeld(key);
      expect(seen).toMatchObject({
        ...{ kind: "lock", waiters: { count: 0, known: "exact" } },
        holders: [{ record: { purpose: "SyncJob" }, sinceIs: "reported" }],
      });
      expect(await forceRelease(seen)).toBe("released");
      expect(await direct.exists(...besides(name))).toBe(0);
      for (const registry of ["digests", "expiring_digests"])
        expect(await direct.zscore(`${namespace}uniquejobs:${registry}`, digest)).toBeNull();
      expect(await direct.lrange(`${name}:QUEUED`, 0, -1)).toEqual(["1"]);
      expect(await direct.pttl(`${name}:QUEUED`)).toBeGreaterThan(0);
    },
  );

  it("force-release wakes a job that waits with BLMOVE", async ({
    direct,
    redis,
    forceRelease,
    observeHeld,
  }) => {
    const { name, key } = await taken(direct);
    const waiter = redis.createClient();
    const woken = waiter.blmove(`${name}:QUEUED`, `${name}:PRIMED`, "RIGHT", "LEFT", 10);
    await waitUntil(async () => (await direct.info("clients")).includes("blocked_clients:1"));
    const freedAt = performance.now();
    expect(await forceRelease(await observeHeld(key))).toBe("released");
    expect(await woken).toBe("1");
    expect(performance.now() - freedAt).toBeLessThan(1000);
  });

  it("waiting jobs are counted without the holder and the sentinel entries", async ({
    direct,
    observeHeld,
  }) => {
    const { owner, name, key } = await taken(direct);
    const [queued, primed] = [jid(), jid()];
    await direct.lpush(`${name}:QUEUED`, owner, queued, "1");
    await direct.lpush(`${name}:PRIMED`, primed);
    expect((await observeHeld(key)).waiters).toEqual({ count: 2, known: "exact" });
  });

  it("force-release of one of several jobs removes only its entry", async ({
    direct,
    observeHeld,
    forceRelease,
  }) => {
    const { owner, digest, name, key } = await taken(direct);
    await direct.set(`${name}:INFO`, JSON.stringify({ worker: "SyncJob", limit: 3 }));
    const other = jid();
    await direct.hset(key, other, String(Date.now() / 1000));
    const seen = await observeHeld(key);
    expect(seen).toMatchObject({ kind: "semaphore", permits: { available: 1, total: 3 } });
    expect(await forceRelease(seen, { owner: owner })).toBe("released");
    expect(await direct.hkeys(key)).toEqual([other]);
    expect(await direct.exists(...besides(name))).toBe(3);
    expect(await direct.zscore("uniquejobs:digests", digest)).not.toBeNull();
    expect(await direct.lrange(`${name}:QUEUED`, 0, -1)).toEqual(["1"]);
    expect(await forceRelease(await observeHeld(key), { owner: other })).toBe("released");
    expect(await direct.exists(...besides(name))).toBe(0);
    expect(await direct.zscore("uniquejobs:digests", digest)).toBeNull();
  });

  it("a job that was retried and reacquired the lock no longer matches what was seen", async ({
    direct,
    observeHeld,
    forceRelease,
  }) => {
    const { owner, key } = await taken(direct);
    const seen = await observeHeld(key);
    await direct.hset(key, owner, String(Date.now() / 1000 + 1));
    expect([await forceRelease(seen), await forceRelease(seen, { owner: owner })]).toEqual([
      "changed",
      "changed",
    ]);
    expect(await direct.hlen(key)).toBe(1);
  });

  it("force-release of a version 9 job lock updates its hash and registry and sends no wake-up", async ({
    direct,
    observeHeld,
    forceRelease,
  }) => {
    const digest = `uniquejobs:${randomBytes(32).toString("hex")}`;
    const key = `${digest}:LOCKED`;
    const job = (limit: number) => JSON.stringify({ worker: "SyncJob", limit, time: Date.now() / 1000 });
    const [one, two] = [jid(), jid()].sort() as [string, string];
    await direct.hset(key, one, job(2), two, job(2));
    await direct.zadd("uniquejobs:digests", Date.now() / 1000, digest);
    const seen = await observeHeld(key);
    expect(seen).toMatchObject({ kind: "semaphore", permits: { available: 0, total: 2 } });
    expect(await forceRelease(seen, { owner: one })).toBe("released");
    expect(await direct.zscore("uniquejobs:digests", digest)).not.toBeNull();
    expect(await forceRelease(await observeHeld(key))).toBe("released");
    expect(await direct.zscore("uniquejobs:digests", digest)).toBeNull();
    expect(await direct.exists(key, `${digest}:QUEUED`)).toBe(0);
  });
});

it("a semaphore with 100 holders is read in full, and one above the limit is reported as unread with its size", async ({
  direct,
  observeHeld,
  forceRelease,
}) => {
  const owners = Array.from({ length: 100 }, () => randomUUID());
  const key = await TAKES.semaphore(direct, owners);
  expect((await observeHeld(key)).holders).toHaveLength(100);
  expect(await forceRelease(await observeHeld(key))).toBe("released");
  const crowd = `semaphore:${randomUUID()}`;
  await direct.zadd(crowd, ...Array.from({ length: 257 }, () => [Date.now(), randomUUID()]).flat());
  await direct.pexpire(crowd, 10_000);
  expect(await readKeys(direct, [crowd])).toMatchObject([
    { state: "not_a_lock", type: "zset", unread: { size: 257, most: 256, of: "members" } },
  ]);
});
