import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createRawKey } from "../../../test/support/raw-key.ts";
import type { LockType } from "../observation.ts";
import type { RawKey } from "../raw-key.ts";
import { detectLock } from "../registry/detect-lock.ts";

const NOW = 1_795_216_496_000;

const detect = (
  key: string,
  type: LockType,
  content: readonly (string | Buffer)[],
  fields: Partial<RawKey> = {},
) => createRawKey(key, type, content, { asOf: NOW, remainingMs: 10_000, ...fields });
const zset = (key: string, members: Record<string, number>, fields: Partial<RawKey> = {}) =>
  detect(
    key,
    "zset",
    Object.entries(members).flatMap(([member, score]) => [member, String(score)]),
    fields,
  );
const hash = (key: string, fields: Record<string, string>) =>
  detect(key, "hash", Object.entries(fields).flat());

const seen = (raw: RawKey) => detectLock(raw, undefined);
const getHolders = (raw: RawKey) => seen(raw)?.holders.map(({ owner, count }) => `${owner} ${count}`);

const [ONE, TWO] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];
const token = () => randomBytes(32).toString("base64");
const medallion = (host = "web-1", pid = 4711) => `${host}_${pid}_${randomBytes(16).toString("hex")}`;
const jid = () => randomBytes(12).toString("hex");
const DIGEST = `uniquejobs:${"ab".repeat(16)}`;

describe("redis-semaphore detection", () => {
  it("each member of a redis-semaphore is a holder with its own remaining time", () => {
    const raw = zset("semaphore:pool", { [ONE]: NOW - 3000, [`${TWO}-pod-7`]: NOW - 1000 });
    expect(seen(raw)).toMatchObject({
      ...{ format: "redis-semaphore", kind: "semaphore", confidence: "certain", remainingMs: 10_000 },
      holders: [
        { owner: ONE, count: 1, ownRemainingMs: 8000 },
        { owner: `${TWO}-pod-7`, count: 1, ownRemainingMs: 10_000 },
      ],
    });
  });

  it("remaining times of a redis-semaphore depend on its scores alone, so a wrong client clock has no effect", () => {
    const raw = zset("semaphore:pool", { [ONE]: NOW - 90_003_000, [TWO]: NOW - 90_001_000 });
    expect(seen(raw)?.holders.map(({ ownRemainingMs }) => ownRemainingMs)).toEqual([8000, 10_000]);
  });

  it("expired members of a redis-semaphore are not listed as holders", () => {
    expect(getHolders(zset("semaphore:pool", { [ONE]: NOW - 15_000, [TWO]: NOW - 1000 }))).toEqual([
      `${TWO} 1`,
    ]);
  });

  it("the permits of one MultiSemaphore holder are counted together", () => {
    const permits = Object.fromEntries([0, 1, 2].map((at) => [`${ONE}_${at}`, NOW - 10]));
    const raw = zset("semaphore:pool", { ...permits, [`${TWO}-a_b_0`]: NOW - 10 });
    expect(getHolders(raw)).toEqual([`${ONE} 3`, `${TWO}-a_b 1`]);
    expect(seen(raw)?.holders[0].stored).toEqual([`${ONE}_0`, `${ONE}_1`, `${ONE}_2`]);
  });

  it("members whose numbering does not start at 0 are separate holders", () => {
    expect(getHolders(zset("semaphore:pool", { [`${ONE}_2`]: NOW - 10, [`${ONE}_3`]: NOW - 10 }))).toEqual([
      `${ONE}_2 1`,
      `${ONE}_3 1`,
    ]);
  });

  it("holders of a redis-semaphore without a TTL have no remaining time", () => {
    const raw = zset("semaphore:pool", { [ONE]: NOW - 900_000, [TWO]: NOW }, { remainingMs: null });
    expect(seen(raw)).toMatchObject({
      remainingMs: null,
      holders: [{ ownRemainingMs: null }, { ownRemainingMs: null }],
    });
  });

  it("a prefixed redis-semaphore is likely, a rule makes any members certain, and other keys are not detected", () => {
    expect(seen(zset("app:semaphore:pool", { [ONE]: NOW }))?.confidence).toBe("likely");
    expect(seen(zset("pool", { [ONE]: NOW }))).toBeUndefined();
    expect(seen(zset("semaphore:pool", { "worker-7": NOW }))).toBeUndefined();
    expect(seen(zset("semaphore:pool", { [ONE]: 42 }))).toBeUndefined();
    expect(seen(zset("semaphore:pool", { [ONE]: NOW + 90_000 }))).toBeUndefined();
    expect(detectLock(zset("pool", { "worker-7": NOW }), "redis-semaphore")).toMatchObject({
      confidence: "certain",
      holders: [{ owner: "worker-7" }],
    });
  });
});

describe("Symfony detection", () => {
  it("a Symfony lock with a write marker has one exclusive holder", () => {
    const owner = token();
    const raw = zset("invoice", { [owner]: NOW + 10_000, __write__: NOW + 10_000 });
    expect(seen(raw)).toMatchObject({
      ...{ format: "symfony", kind: "lock", confidence: "certain", remainingMs: 10_000 },
      holders: [{ owner, ownRemainingMs: 10_000, stored: [owner, "__write__"] }],
    });
    expect(seen(raw)?.holders).toHaveLength(1);
  });

  it("a Symfony lock without a write marker is shared, and each holder has its own remaining time", () => {
    const [one, two, dead] = [token(), token(), token()];
    const raw = zset("invoice", { [one]: NOW + 4000, [two]: NOW + 10_000, [dead]: NOW - 1 });
    const found = seen(raw);
    expect(found).toMatchObject({ kind: "read", confidence: "certain", remainingMs: 10_000 });
    expect(new Map(found?.holders.map(({ owner, ownRemainingMs }) => [owner, ownRemainingMs]))).toEqual(
      new Map([
        [one, 4000],
        [two, 10_000],
      ]),
    );
  });

  it("a Symfony lock has ended when all its members have expired", () => {
    const raw = zset("invoice", { [token()]: NOW - 5, __write__: NOW - 5 }, { remainingMs: null });
    expect(seen(raw)).toMatchObject({ kind: "lock", remainingMs: -5 });
  });

  it("a Symfony lock is less certain when its key TTL does not match its last member", () => {
    expect(seen(zset("lock:invoice", { [token()]: NOW + 4000 }))?.confidence).toBe("likely");
    expect(seen(zset("invoice", { [token()]: NOW + 4000, __write__: NOW + 4000 }))?.confidence).toBe(
      "likely",
    );
    expect(seen(zset("invoice", { [token()]: NOW + 4000 }))?.confidence).toBe("possible");
    expect(seen(zset("seen", { [token()]: NOW - 4000 }))).toBeUndefined();
    expect(seen(zset("invoice", { "an app's own": NOW + 10_000 }))).toBeUndefined();
    expect(detectLock(zset("invoice", { "an app's own": NOW + 10_000 }), "symfony")?.kind).toBe("read");
  });
});

describe("Medallion DistributedLock detection", () => {
  it("Medallion readers carry their host and process id and share one remaining time", () => {
    const [one, two] = [medallion("a_b", 7), medallion()];
    expect(seen(detect("report.readers", "set", [two, one]))).toMatchObject({
      ...{ format: "medallion", kind: "read", confidence: "certain", remainingMs: 10_000 },
      holders: [
        { owner: one, role: "read", record: { host: "a_b", pid: 7 } },
        { owner: two, record: { host: "web-1", pid: 4711 } },
      ],
    });
  });

  it("Medallion semaphore permits expire one by one before their key", () => {
    const [alive, dead] = [medallion(), medallion()];
    const raw = zset("pool", { [alive]: NOW + 20_000.5, [dead]: NOW - 3 }, { remainingMs: 80_000 });
    expect(seen(raw)).toMatchObject({ format: "medallion", kind: "semaphore", remainingMs: 20_001 });
    expect(seen(raw)?.holders).toMatchObject([{ owner: alive, ownRemainingMs: 20_001 }]);
    expect(seen(zset("pool", { [dead]: NOW - 3 }))?.remainingMs).toBe(-3);
  });

  it("a Medallion set or sorted set with an unknown member is not detected", () => {
    expect(seen(detect("report.readers", "set", [medallion(), "me"]))).toBeUndefined();
    expect(seen(detect("report", "set", [medallion()]))).toBeUndefined();
    expect(seen(zset("pool", { [medallion()]: NOW + 20_000, me: NOW + 20_000 }))).toBeUndefined();
    expect(detectLock(detect("report", "set", ["me"]), "medallion")?.holders[0].owner).toBe("me");
  });
});

describe("sidekiq-unique-jobs detection", () => {
  it("a version 8 job lock reports when each job acquired it", () => {
    const [one, two] = [jid(), jid()].sort();
    const raw = hash(`${DIGEST}:LOCKED`, { [`${one}`]: "1795216490.2501", [`${two}`]: "1795216495" });
    expect(seen(raw)).toMatchObject({
      ...{ format: "sidekiq-unique-jobs", kind: "semaphore", confidence: "certain" },
      holders: [
        { owner: one, sinceMs: 1_795_216_490_250, sinceIs: "reported" },
        { owner: two, sinceMs: 1_795_216_495_000 },
      ],
    });
  });

  it("a version 9 job lock reports its job class and its limit", () => {
    const stored = {
      worker: "SyncJob",
      queue: "low",
      limit: 3,
      time: 1_795_216_490.5,
      type: "until_executed",
    };
    expect(seen(hash(`ns:${DIGEST}:RUN:LOCKED`, { [jid()]: JSON.stringify(stored) }))).toMatchObject({
      ...{ kind: "semaphore", permits: { available: 2, total: 3 } },
      holders: [{ sinceMs: 1_795_216_490_500, record: { purpose: "SyncJob" } }],
    });
    const single = { ...stored, limit: null, time: undefined, worker: 7 };
    expect(seen(hash(`${DIGEST}:LOCKED`, { [jid()]: JSON.stringify(single) }))).toMatchObject({
      kind: "lock",
      holders: [{ sinceMs: null, record: undefined }],
    });
  });

  it("a job lock under another prefix is likely, and other ids or values are not detected", () => {
    const fields = { [jid()]: "1795216490.25" };
    expect(seen(hash(`jobs:${"ab".repeat(32)}:LOCKED`, fields))?.confidence).toBe("likely");
    expect(seen(hash(DIGEST, fields))).toBeUndefined();
    expect(seen(hash(`${DIGEST}:LOCKED`, { me: "1795216490.25" }))).toBeUndefined();
    expect(seen(hash(`${DIGEST}:LOCKED`, { ...fields, [jid()]: "1" }))).toBeUndefined();
    expect(seen(hash(`${DIGEST}:LOCKED`, { [jid()]: "{}}" }))).toBeUndefined();
    expect(
      detectLock(hash("jobs:sync:LOCKED", { me: "1795216490.25" }), "sidekiq-unique-jobs"),
    ).toBeDefined();
    expect(detectLock(hash("jobs:sync", fields), "sidekiq-unique-jobs")).toBeUndefined();
  });
});

it("content too large to read and overlong owners are not detected as locks", () => {
  const long = `${randomUUID()}-${"x".repeat(1024)}`;
  expect(seen(zset("semaphore:pool", { [long]: NOW }))).toBeUndefined();
  for (const type of ["zset", "set", "hash"] as const)
    expect(seen(detect("semaphore:pool.readers", type, [], { size: 300 }))).toBeUndefined();
});
