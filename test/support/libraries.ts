import { randomBytes, randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import type { FormatName } from "../../lib/contract/format.ts";

/** A library that keeps its lock in one string, by the commands that its acquire sends. */
export interface Library {
  readonly name: string;
  readonly format: FormatName;
  readonly key: () => string;
  readonly owner: () => string;
  /** One try. false: somebody has the lock. */
  readonly take: (redis: Redis, key: string, owner: string) => Promise<boolean>;
}

const LEASE_MS = 30_000;

let draws = 0;
/** Another number each time, where an owner is no random one. */
const drawnNow = () => ++draws;

/** As the uuid1().hex of Python. */
export function uuid1(timeMs = Date.now()): string {
  const ticks = (BigInt(timeMs) + 12_219_292_800_000n) * 10_000n + BigInt(drawnNow() % 10_000);
  const digits = ticks.toString(16).padStart(15, "0");
  return `${digits.slice(7)}${digits.slice(3, 7)}1${digits.slice(0, 3)}9b1c0242ac120002`;
}

const hex = (length: number) => () => randomBytes(length).toString("hex");
/** Draws until both cases are in it, as in nearly all. */
function drawn(draw: () => string): string {
  for (let text = draw(); ; text = draw()) if (/[a-z]/.test(text) && /[A-Z]/.test(text)) return text;
}
const base64 = (length: number) => () => drawn(() => randomBytes(length).toString("base64"));
const base64url = () => drawn(() => randomBytes(16).toString("base64url"));
const alnum16 = () => drawn(() => randomBytes(40).toString("base64").replace(/[+/=]/g, "").slice(0, 16));
const named = (before: string, after = "") => {
  return () => `${before}${randomUUID()}${after}`;
};

const setPx: Library["take"] = async (redis, key, owner) =>
  (await redis.set(key, owner, "PX", LEASE_MS, "NX")) === "OK";
const setEx: Library["take"] = async (redis, key, owner) =>
  (await redis.set(key, owner, "EX", LEASE_MS / 1000, "NX")) === "OK";
const setForEver: Library["take"] = async (redis, key, owner) => (await redis.set(key, owner, "NX")) === "OK";
const script =
  (source: string): Library["take"] =>
  async (redis, key, owner) =>
    (await redis.eval(source, 1, key, owner, LEASE_MS)) === 1;

const IF_ABSENT = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;
const IN_TWO_STEPS = `
if redis.call('SETNX', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;
const IF_ABSENT_OR_MINE = `
local there = redis.call('GET', KEYS[1])
if there and there ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;
const ALL_OR_NONE = `
if redis.call('MSETNX', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;

type Row = [name: string, FormatName, key: () => string, owner: () => string, take: Library["take"]];
const medallion = () => `web-1_4711_${randomUUID().replaceAll("-", "")}`;

const ROWS: readonly Row[] = [
  ["redlock 5", "redlock", named("locks:"), hex(16), script(IF_ABSENT)],
  ["redis-semaphore's Mutex", "redis-semaphore", named("mutex:"), () => randomUUID(), setPx],
  ["redis-semaphore's Mutex, named", "redis-semaphore", named("mutex:"), named("", "-web-1"), setPx],
  ["ioredis-lock", "token", named("lock:"), () => randomUUID(), setPx],
  ["redis-lock", "redis-lock", named("lock."), () => String(Date.now() + LEASE_MS + drawnNow()), setPx],
  ["redis-py", "redis-py", named("lock:"), uuid1, setPx],
  ["django-redis", "django-redis", named(":1:"), uuid1, setPx],
  ["django-redis without a TTL", "django-redis", named(":1:"), uuid1, setForEver],
  ["tooz", "tooz", named("_tooz_", "_lock"), uuid1, setPx],
  ["redbeat", "redbeat", named("", ":redbeat::lock"), uuid1, setPx],
  ["celery-once", "celery-once", named("qo_mail_"), uuid1, setPx],
  ["RQ", "rq", named("rq:scheduler-lock:"), () => String(4711 + drawnNow()), setEx],
  ["python-redis-lock", "python-redis-lock", named("lock:"), base64(18), setEx],
  ["python-redis-lock without a TTL", "python-redis-lock", named("lock:"), base64(18), setForEver],
  ["pottery or RedLock.net", "token", named("redlock:"), () => randomUUID(), setPx],
  ["ShedLock", "shedlock", named("job-lock:default:"), shedlock, setPx],
  ["Spring Integration", "token", named("app-lock:"), () => randomUUID(), script(IF_ABSENT_OR_MINE)],
  ["lan1tian/lock", "token", named("lock-"), () => randomUUID(), script(IN_TWO_STEPS)],
  ["redsync", "redsync", named("my-lock-"), base64(16), setPx],
  ["bsm/redislock", "bsm-redislock", named("my-lock-"), () => `${base64url()}web-1`, script(ALL_OR_NONE)],
  ["DistributedLock", "medallion", named("report-"), medallion, setPx],
  ["DistributedLock writer", "medallion", named("report-", ".writer"), medallion, script(IF_ABSENT)],
  ["Laravel", "laravel", named("app_database_app_cache_:"), alnum16, setEx],
  ["Laravel without a TTL", "laravel", named("laravel_unique_job:Mail:"), alnum16, setForEver],
  ["php-lock 2", "php-lock", named("lock_"), hex(16), setEx],
  ["php-lock 3", "php-lock", named("php-malkusch-lock:"), hex(32), setPx],
  ["redlock-rb", "token", named("lock/"), () => randomUUID(), script(IF_ABSENT_OR_MINE)],
];

function shedlock(): string {
  return `ADDED:${new Date().toISOString()}@web-1:${randomUUID()}`;
}

export const LIBRARIES: readonly Library[] = ROWS.map(([name, format, key, owner, take]) => ({
  ...{ name, format, key, owner, take },
}));
