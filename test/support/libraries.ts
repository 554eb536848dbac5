import { randomBytes, randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import type { FormatName } from "../../lib/contract/format.ts";

/** A library that stores a lock as one string, with the commands that it sends to acquire the lock. */
export interface StringLockLibrary {
  readonly name: string;
  readonly format: FormatName;
  readonly key: () => string;
  readonly owner: () => string;
  /** Makes one attempt to acquire the lock. @returns false if the lock is held */
  readonly acquire: (redis: Redis, key: string, owner: string) => Promise<boolean>;
}

const LEASE_MS = 30_000;

let drawCount = 0;
/** Returns the next number of a sequence, for owners that are not random. */
const nextDraw = () => ++drawCount;

/** Creates an owner like Python's `uuid1().hex`. */
export function createUuid1(timeMs = Date.now()): string {
  const ticks = (BigInt(timeMs) + 12_219_292_800_000n) * 10_000n + BigInt(nextDraw() % 10_000);
  const digits = ticks.toString(16).padStart(15, "0");
  return `${digits.slice(7)}${digits.slice(3, 7)}1${digits.slice(0, 3)}9b1c0242ac120002`;
}

const createHexGenerator = (length: number) => () => randomBytes(length).toString("hex");
/** Repeats the draw until the string has lowercase and uppercase letters, as nearly all random strings do. */
function drawMixedCase(draw: () => string): string {
  for (let text = draw(); ; text = draw()) if (/[a-z]/.test(text) && /[A-Z]/.test(text)) return text;
}
const createBase64Generator = (length: number) => () =>
  drawMixedCase(() => randomBytes(length).toString("base64"));
const createBase64Url = () => drawMixedCase(() => randomBytes(16).toString("base64url"));
const createAlphanumeric = () =>
  drawMixedCase(() => randomBytes(40).toString("base64").replace(/[+/=]/g, "").slice(0, 16));
const createNameGenerator = (before: string, after = "") => {
  return () => `${before}${randomUUID()}${after}`;
};

const setPx: StringLockLibrary["acquire"] = async (redis, key, owner) =>
  (await redis.set(key, owner, "PX", LEASE_MS, "NX")) === "OK";
const setEx: StringLockLibrary["acquire"] = async (redis, key, owner) =>
  (await redis.set(key, owner, "EX", LEASE_MS / 1000, "NX")) === "OK";
const setWithoutExpiry: StringLockLibrary["acquire"] = async (redis, key, owner) =>
  (await redis.set(key, owner, "NX")) === "OK";
const createScriptAcquire =
  (source: string): StringLockLibrary["acquire"] =>
  async (redis, key, owner) =>
    (await redis.eval(source, 1, key, owner, LEASE_MS)) === 1;

const SET_IF_ABSENT = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;
const SET_THEN_EXPIRE = `
if redis.call('SETNX', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;
const SET_IF_ABSENT_OR_OWN = `
local there = redis.call('GET', KEYS[1])
if there and there ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;
const SET_ALL_OR_NONE = `
if redis.call('MSETNX', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;

type LibraryRow = [
  name: string,
  FormatName,
  key: () => string,
  owner: () => string,
  take: StringLockLibrary["acquire"],
];
const createMedallionOwner = () => `web-1_4711_${randomUUID().replaceAll("-", "")}`;

const ROWS: readonly LibraryRow[] = [
  [
    "redlock 5",
    "redlock",
    createNameGenerator("locks:"),
    createHexGenerator(16),
    createScriptAcquire(SET_IF_ABSENT),
  ],
  ["redis-semaphore's Mutex", "redis-semaphore", createNameGenerator("mutex:"), () => randomUUID(), setPx],
  [
    "redis-semaphore's Mutex, named",
    "redis-semaphore",
    createNameGenerator("mutex:"),
    createNameGenerator("", "-web-1"),
    setPx,
  ],
  ["ioredis-lock", "token", createNameGenerator("lock:"), () => randomUUID(), setPx],
  [
    "redis-lock",
    "redis-lock",
    createNameGenerator("lock."),
    () => String(Date.now() + LEASE_MS + nextDraw()),
    setPx,
  ],
  ["redis-py", "redis-py", createNameGenerator("lock:"), createUuid1, setPx],
  ["django-redis", "django-redis", createNameGenerator(":1:"), createUuid1, setPx],
  ["django-redis without a TTL", "django-redis", createNameGenerator(":1:"), createUuid1, setWithoutExpiry],
  ["tooz", "tooz", createNameGenerator("_tooz_", "_lock"), createUuid1, setPx],
  ["redbeat", "redbeat", createNameGenerator("", ":redbeat::lock"), createUuid1, setPx],
  ["celery-once", "celery-once", createNameGenerator("qo_mail_"), createUuid1, setPx],
  ["RQ", "rq", createNameGenerator("rq:scheduler-lock:"), () => String(4711 + nextDraw()), setEx],
  ["python-redis-lock", "python-redis-lock", createNameGenerator("lock:"), createBase64Generator(18), setEx],
  [
    "python-redis-lock without a TTL",
    "python-redis-lock",
    createNameGenerator("lock:"),
    createBase64Generator(18),
    setWithoutExpiry,
  ],
  ["pottery or RedLock.net", "token", createNameGenerator("redlock:"), () => randomUUID(), setPx],
  ["ShedLock", "shedlock", createNameGenerator("job-lock:default:"), createShedlockOwner, setPx],
  [
    "Spring Integration",
    "token",
    createNameGenerator("app-lock:"),
    () => randomUUID(),
    createScriptAcquire(SET_IF_ABSENT_OR_OWN),
  ],
  [
    "lan1tian/lock",
    "token",
    createNameGenerator("lock-"),
    () => randomUUID(),
    createScriptAcquire(SET_THEN_EXPIRE),
  ],
  ["redsync", "redsync", createNameGenerator("my-lock-"), createBase64Generator(16), setPx],
  [
    "bsm/redislock",
    "bsm-redislock",
    createNameGenerator("my-lock-"),
    () => `${createBase64Url()}web-1`,
    createScriptAcquire(SET_ALL_OR_NONE),
  ],
  ["DistributedLock", "medallion", createNameGenerator("report-lock-"), createMedallionOwner, setPx],
  [
    "DistributedLock writer",
    "medallion",
    createNameGenerator("report-", ".writer"),
    createMedallionOwner,
    createScriptAcquire(SET_IF_ABSENT),
  ],
  ["Laravel", "laravel", createNameGenerator("app_database_app_cache_:"), createAlphanumeric, setEx],
  [
    "Laravel without a TTL",
    "laravel",
    createNameGenerator("laravel_unique_job:Mail:"),
    createAlphanumeric,
    setWithoutExpiry,
  ],
  ["php-lock 2", "php-lock", createNameGenerator("lock_"), createHexGenerator(16), setEx],
  ["php-lock 3", "php-lock", createNameGenerator("php-malkusch-lock:"), createHexGenerator(32), setPx],
  [
    "redlock-rb",
    "token",
    createNameGenerator("lock/"),
    () => randomUUID(),
    createScriptAcquire(SET_IF_ABSENT_OR_OWN),
  ],
];

function createShedlockOwner(): string {
  return `ADDED:${new Date().toISOString()}@web-1:${randomUUID()}`;
}

export const LIBRARIES: readonly StringLockLibrary[] = ROWS.map(([name, format, key, owner, take]) => ({
  ...{ name, format, key, owner, acquire: take },
}));
