import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { FORMAT_NAMES, type FormatName } from "../../../lib/contract/format.ts";
import { encodeKey } from "../../../lib/keys/key.ts";
import { createUuid1 } from "../../../test/support/libraries.ts";
import { createRawString } from "../../../test/support/raw-key.ts";
import type { Companion } from "../companion.ts";
import { detectLock } from "../registry/detect-lock.ts";
import { findLockFormat } from "../registry/lock-formats.ts";
import { STRING_FORMAT_NAMES } from "./string-variants.ts";

const HOUR_MS = 3_600_000;
const UUID = "0d5a3c1e-7b42-4f6a-9c31-5e8d2b7a4f10";
const HEX32 = "9f86d081884c7d659a2feaa0c55ad015";
/** 18 random bytes in base64. The next constant has 16 bytes. */
const BASE64_18 = "h5Gq/0ZkWcX1nP2sT8vB+yQe";
const BASE64_16 = "h5Gq/0ZkWcX1nP2sT8vB+w==";
const URL_16 = "h5Gq_0ZkWcX1nP2sT8vB-w";
const ALNUM_16 = "aB3dE5fG7hJ9kL1m";
const NOW = Date.now();

beforeAll(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});

afterAll(() => {
  vi.useRealTimers();
});

const UUID1 = createUuid1(NOW - 5000);
const WARLOCK = Buffer.from(UUID1, "hex").toString("base64");

const seen = (key: string, value: string | Buffer, remainingMs: number | null = 30_000) =>
  detectLock(createRawString(key, value, remainingMs), undefined);

type Row = [what: FormatName, key: string, value: string, confidence: string, remainingMs?: null];

describe("string lock detection", () => {
  it.each<Row>([
    ["shedlock", "job-lock:prod:report", `ADDED:2026-01-02T03:04:05.678Z@web-1:${UUID}`, "certain"],
    ["shedlock", "anything", `ADDED:2026-01-02T03:04:05.678Z@web-1:${UUID}`, "certain"],
    ["medallion", "orders:lock", `WEB-01_4711_${HEX32.slice(0, 12)}4d659a2feaa0c55ad015`, "certain"],
    ["medallion", "orders", `WEB-01_4711_${HEX32.slice(0, 12)}4d659a2feaa0c55ad015`, "possible"],
    ["rueidislock", "rueidislock:0:orders", "\u0001\u0002\u0003\u0004".repeat(6), "likely"],
    ["simple-redis-mutex", "@simple-redis-mutex:lock-orders", "0.5948672398456", "likely"],
    ["simple-redis-mutex", "@simple-redis-mutex:lock-orders", "7.4e-8", "likely"],
    ["huey", "huey.r.shop.shop.lock.orders", "1", "likely"],
    ["huey", "huey.r.shop.shop.lock.orders", "\u0080\u0005\u00951", "likely", null],
    ["celery-singleton", `SINGLETONLOCK_${HEX32}`, UUID, "likely"],
    ["celery-singleton", `SINGLETONLOCK_${HEX32}`, UUID, "likely", null],
    ["lock4j", "lock4j:com.shop.Orders#pay#7", HEX32, "likely"],
    ["warlock", "orders:lock", WARLOCK, "likely"],
    ["redsync", "orders:lock", BASE64_16, "likely"],
    ["rq", "rq:scheduler-lock:default", HEX32, "likely"],
    ["bullmq", "bull:mail:17:lock", `${UUID}:3`, "likely"],
    ["bullmq", "{app}:mail:17:lock", `${HEX32}:0`, "likely"],
    ["bullmq", "bull:mail:17:lock", "my-own-token", "possible"],
    ["bull", "bull:mail:17:lock", UUID, "possible"],
    ["php-lock", "php-malkusch-lock:orders", HEX32 + HEX32, "likely"],
    ["php-lock", "lock_orders", HEX32, "likely"],
    ["php-lock", "lock_screen:7", HEX32, "possible"],
    ["redbeat", "redbeat::lock", UUID1, "likely"],
    ["celery-once", "qo_tasks.mail_to-7", UUID1, "likely"],
    ["tooz", "_tooz_orders_lock", UUID1, "likely"],
    ["tooz", "b'_tooz'_orders_lock", UUID1, "likely"],
    ["django-redis", ":1:orders", UUID1, "likely"],
    ["django-redis", ":1:orders", UUID1, "likely", null],
    ["redis-py", "lock:orders", UUID1, "likely"],
    ["redis-py", "lock:orders", UUID1, "possible", null],
    ["redis-py", "unacked_mutex", UUID1, "likely"],
    ["redis-py", "orders", UUID1, "possible"],
    ["rq", "rq:scheduler-lock:default", "4711", "likely"],
    ["redis-semaphore", "mutex:orders", UUID, "likely"],
    ["redis-semaphore", "mutex:orders", `${UUID}-web-1`, "likely"],
    ["python-redis-lock", "lock:orders", BASE64_18, "likely"],
    ["python-redis-lock", "lock:orders", BASE64_18, "likely", null],
    ["python-redis-lock", "app:lock:orders", BASE64_18, "likely"],
    ["redis-lock", "lock.orders", String(NOW + 5000), "likely"],
    ["ioredis-lock", "lock:orders", "6c84fb90-12c4-11e1-840d-7b25c5ee775a", "likely"],
    ["redlock", "locks:orders", HEX32, "likely"],
    ["redlock", "orders", HEX32, "possible"],
    ["redsync", "orderMutex", BASE64_16, "likely"],
    ["redsync", "orders", BASE64_16, "possible"],
    ["bsm-redislock", "orders-lock", URL_16, "likely"],
    ["bsm-redislock", "orders-lock", `${URL_16}web-1`, "likely"],
    ["laravel", "laravel_database_laravel_cache_:orders", ALNUM_16, "likely"],
    ["laravel", "laravel_database_laravel_unique_job:App\\Jobs\\Mail:7", ALNUM_16, "likely", null],
    ["laravel", "shop:lock", ALNUM_16, "likely"],
    ["laravel", "shop_lock_orders", ALNUM_16, "possible"],
    ["laravel", "shop_lock_orders", ALNUM_16, "possible", null],
    ["laravel", "orders_lock", `s:16:"${ALNUM_16}";`, "likely"],
    ["timestamp", "lock.orders", String(NOW + 5000), "likely", null],
    ["timestamp", "lock.orders", String(NOW + 3_600_000), "likely"],
    ["timestamp", "orders.lock", String(Math.floor(NOW / 1000) + 5), "likely"],
    ["token", "lock:orders", "worker-7", "possible"],
    ["token", "lock:orders", UUID, "likely"],
    ["token", "lock:orders", UUID, "possible", null],
    ["token", "orders", UUID, "possible"],
    ["token", "smart:lock:7:pairing", UUID, "possible"],
    ["redlock", "cache:yarn.lock:7", HEX32, "possible"],
    ["redis-py", "orders", UUID1, "possible", null],
    ["token", "redlock:orders", UUID, "likely"],
  ])("a string lock of %s is detected at %s", (format, key, value, confidence, remainingMs) => {
    expect(seen(key, value, remainingMs)).toMatchObject({ format, confidence, kind: "lock" });
  });

  it("an ambiguous string lock lists its other candidate formats", () => {
    const bare = ["redlock-rb", "spring", "lan1tian", "ioredis-lock"];
    expect(seen("lock:orders", UUID)?.candidates).toEqual(bare);
    expect(seen("redlock:orders", UUID)?.candidates).toEqual([
      "redlock-net",
      "pottery",
      "redlock-rb",
      "spring",
    ]);
    expect(seen("lock_orders", HEX32)?.candidates).toEqual(["redlock"]);
    expect(seen("lock.orders", String(NOW))?.candidates).toEqual(["timestamp"]);
    expect(seen("lock:orders", "worker-7")?.candidates).toEqual(["python-redis-lock"]);
    expect(seen("mutex:orders", "worker-7")?.candidates).toEqual(["redis-semaphore"]);
    expect(seen("mutex:orders", UUID)?.candidates).toEqual([]);
  });

  it("every string format has one entry in the table of formats", () => {
    const byCandidates = ["redlock-net", "pottery", "redlock-rb", "spring", "lan1tian", "ioredis-lock"];
    expect(STRING_FORMAT_NAMES).toEqual(expect.arrayContaining(byCandidates));
    for (const format of STRING_FORMAT_NAMES) expect(findLockFormat(format, "string")?.name).toBe(format);
    const elsewhere = ["redisson", "token", "timestamp", "sidekiq-unique-jobs", "symfony"];
    expect([...STRING_FORMAT_NAMES, ...elsewhere].sort()).toEqual([...FORMAT_NAMES].sort());
  });
});

describe("facts in lock values", () => {
  it("a ShedLock value carries its acquire time and host", () => {
    const value = `ADDED:2026-01-02T03:04:05.678Z@web@1:${UUID}`;
    expect(seen("job-lock:default:a", value)?.holders).toMatchObject([
      {
        owner: value,
        sinceMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
        sinceIs: "reported",
        record: { host: "web@1" },
      },
    ]);
  });

  it("a DistributedLock value carries its host and process id, and marks a waiting writer", () => {
    const id = `WEB_01_4711_${randomUUID().replaceAll("-", "")}`;
    expect(seen("orders", id)?.holders[0].record).toEqual({ host: "WEB_01", pid: 4711 });
    const writer = seen("orders.writer", id);
    expect(writer).toMatchObject({ kind: "write", holders: [{ role: "write" }] });
    expect(writer?.waiters).toBeUndefined();
    expect(seen("orders.writer", `${id}_WRITERWAITING`)).toMatchObject({
      kind: "write",
      confidence: "certain",
      waiters: { count: 1, known: "exact" },
    });
  });

  it("a version 1 UUID carries its time, and an RQ value its process id", () => {
    expect(seen("lock:a", UUID1)?.holders).toMatchObject([{ sinceMs: NOW - 5000, sinceIs: "reported" }]);
    expect(seen("rq:scheduler-lock:a", "4711")?.holders[0].record).toEqual({ pid: 4711 });
  });

  it("printable text added by the app is reported as the purpose, up to 200 characters", () => {
    const purpose = (added: string | Buffer) =>
      seen("lock:a", Buffer.concat([Buffer.from(URL_16), Buffer.from(added)]))?.holders[0].record;
    expect(purpose("\u00fcber web-1")).toEqual({ purpose: "\u00fcber web-1" });
    expect(purpose("x".repeat(500))?.purpose).toHaveLength(200);
    expect(purpose("\u001b[31m")).toBeUndefined();
    expect(purpose("\u202ecod")).toBeUndefined();
    expect(purpose(Buffer.from([0xff, 0xfe]))).toBeUndefined();
    expect(seen("mutex:a", `${UUID}-web-1`)?.holders[0].record).toEqual({ purpose: "web-1" });
  });

  it("an implausible time in a value is ignored", () => {
    for (const ageMs of [11 * 365 * 24 * HOUR_MS, -2 * 60_000])
      expect(seen("lock:a", createUuid1(NOW - ageMs))).toMatchObject({ format: "redlock" });
    expect(seen("job-lock:a", `ADDED:2026-99-99T00:00:00Z@h:${UUID}`)?.holders[0].sinceMs).toBeNull();
  });

  it("a value packed by PHP keeps its exact bytes", () => {
    const packed = Buffer.concat([Buffer.from([0xb0]), Buffer.from(ALNUM_16)]);
    const found = seen("shop_lock_a", packed);
    expect(found?.format).toBe("laravel");
    expect(Buffer.from(encodeKey(found?.holders[0].owner ?? ""))).toEqual(packed);
  });
});

describe("TTLs of string locks", () => {
  it("the 1000-year TTL that php-lock writes for unlimited locks is reported as no TTL", () => {
    const key = "php-malkusch-lock:a";
    expect(seen(key, HEX32 + HEX32, 1000 * 365 * 24 * HOUR_MS)).toMatchObject({ remainingMs: null });
    expect(seen(key, HEX32 + HEX32, HOUR_MS)).toMatchObject({ remainingMs: HOUR_MS });
  });

  it("the remaining time of a deadline lock follows its deadline, even when it has passed", () => {
    expect(seen("lock:a", String(NOW - 5000), null)?.remainingMs).toBeLessThan(0);
    expect(seen("lock:a", String(NOW + 5000), null)?.remainingMs).toBeGreaterThan(0);
  });

  it("the remaining time of a deadline lock whose key has a TTL is that TTL", () => {
    expect(seen("lock:a", String(NOW + 8000), 4000)).toMatchObject({
      format: "timestamp",
      remainingMs: 4000,
    });
    expect(seen("lock:a", String(NOW + 8000), 12_000)).toMatchObject({ remainingMs: 12_000 });
  });
});

describe("format rules for strings", () => {
  const ruled = (format: FormatName, key: string, value: string) =>
    detectLock(createRawString(key, value, null), format);

  it.each(STRING_FORMAT_NAMES)("a rule makes any string a certain lock of %s", (format) => {
    expect(ruled(format, "orders:7", "my own token")).toMatchObject({
      format,
      candidates: [],
      confidence: "certain",
      remainingMs: null,
      holders: [{ owner: "my own token" }],
      ...(format === "huey" ? {} : { isChosen: true }),
    });
    expect(ruled(format, "orders:7", "")?.format).not.toBe(format);
  });

  it("a rule still reports the facts carried by the value", () => {
    expect(ruled("redis-py", "orders", UUID1)?.holders[0].sinceMs).toBe(NOW - 5000);
    expect(ruled("redis-semaphore", "orders", UUID)?.isChosen).toBeUndefined();
    expect(ruled("shedlock", "orders", "my own token")?.holders[0].sinceMs).toBeNull();
    expect(ruled("medallion", "orders.writer", `web_1_${UUID.replaceAll("-", "")}`)?.kind).toBe("write");
  });

  it("a rule applies beside a stale companion key but not to a Lockkeeper hold", () => {
    const stored: Companion = {
      ...{ token: "uuid:1", value: "", owner: "me", count: 1, fence: "7", sinceMs: 1, leaseMs: 1, seq: 1 },
      ...{ format: "token", record: undefined, graceMs: 0 },
    };
    const over = { ...createRawString("orders", UUID), companion: stored };
    expect(detectLock(over, "spring")?.format).toBe("spring");
    const ours = { ...createRawString("orders", "uuid:1"), companion: stored };
    const holders = [{ token: "uuid:1", owner: "me", fence: "7" }];
    expect(detectLock(ours, "spring")).toMatchObject({ format: "token", holders });
    const label = { ...createRawString("orders", "me"), companion: stored };
    expect(detectLock(label, "token")).toMatchObject({ holders: [{ token: "me", fence: null }] });
  });
});

it("generated tokens of each library are detected as that library's format", () => {
  for (let at = 0; at < 500; at++) {
    const drawn = createHash("sha256").update(String(at)).digest();
    expect(seen("lock:a", drawn.subarray(0, 18).toString("base64"))?.format).toBe("python-redis-lock");
    expect(seen("my.lock", drawn.subarray(0, 16).toString("base64"))?.format).toBe("redsync");
    expect(seen("my.lock", drawn.subarray(0, 16).toString("base64url"))?.format).toBe("bsm-redislock");
    expect(seen("my.lock", drawn.subarray(0, 16).toString("hex"))?.format).toBe("redlock");
    expect(seen("php-malkusch-lock:a", drawn.toString("hex"))?.format).toBe("php-lock");
    expect(seen("mutex:a", randomUUID())?.format).toBe("redis-semaphore");
  }
});
