import { randomBytes, randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { createUuid1 } from "../support/libraries.ts";

type Value = string | Buffer;

/** A lock as it appears in articles, forum answers and generated code. */
export interface TextbookLock {
  readonly name: string;
  readonly key: string;
  /** The string value of the lock. */
  readonly value?: Value;
  acquire(redis: Redis): Promise<unknown>;
}

const LEASE_MS = 600_000;
const PREFIXES = ["lock:", "lock:orders:", "lock:{shop}:"] as const;

/** The commands that acquire the lock: `SET key value NX PX`, `SETNX` and `EXPIRE`, or only `SETNX`. */
type Commands = "set" | "setnx_and_expire" | "setnx";

function acquireString(redis: Redis, key: string, value: Value, commands: Commands): Promise<unknown> {
  if (commands === "set") return redis.set(key, value, "PX", LEASE_MS, "NX");
  const acquire = redis.multi().setnx(key, value);
  return (commands === "setnx" ? acquire : acquire.pexpire(key, LEASE_MS)).exec();
}

/** Serializes a string like Java's `ObjectOutputStream`. */
const serializeAsJdk = (text: string) =>
  Buffer.concat([Buffer.from("aced000574", "hex"), Buffer.from([0, text.length]), Buffer.from(text)]);

const nowMs = Date.now();

const VALUES: Readonly<Record<string, Value>> = {
  "a flag": "1",
  zero: "0",
  "a process id": "4711",
  "an empty string": "",
  "a time with a fraction": `${Math.floor(nowMs / 1000)}.123`,
  "a negative number": "-1",
  "JSON with the owner": '{"owner":"worker-7","since":"2026-01-02T03:04:05Z"}',
  "a JSON list": '["worker-7",4711]',
  "a host and a process id": "web-1 4711",
  "a host with a process id": "web-1:4711",
  "random bytes": randomBytes(20),
  "24 random bytes": randomBytes(24),
  "a pickle": Buffer.from("80055948656c6c6f942e", "hex"),
  "a UUID as the JDK serializes it": serializeAsJdk(randomUUID()),
  "a UUID as Jackson writes it": `"${randomUUID()}"`,
  "Chinese text": "订单服务-工作节点",
  "more than 100 characters": "worker-7 in the second data center ".repeat(6),
  "1024 bytes": "x".repeat(1024),
  "the word true": "true",
  "the word locked": "locked",
  "the word OK": "OK",
  "an ISO time": new Date(nowMs).toISOString(),
  "a UUID": randomUUID(),
  "a UUID in upper case": randomUUID().toUpperCase(),
  "a UUID without dashes": randomUUID().replaceAll("-", ""),
  "a UUID of version 1": createUuid1(),
  "a ULID": "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  "a nanoid": "V1StGXR8_Z5jdHi6B-myT",
  "a UUID and a thread": `${randomUUID()}:41`,
  "an e-mail address": "mei@example.org",
  "an address": "10.0.0.7",
  "a SHA-1 digest": randomBytes(20).toString("hex"),
  "base64 of 32 bytes": randomBytes(32).toString("base64"),
  "a URL": "https://ci.example.org/jobs/7?run=12",
  lines: "worker-7\n4711\n",
  "a null byte": Buffer.from([0]),
  "a deadline in seconds": String(Math.floor(nowMs / 1000) + 600),
  "a deadline in milliseconds": String(nowMs + 600_000),
};

const COMMANDS: readonly Commands[] = ["set", "setnx_and_expire", "setnx"];

const STRING_LOCKS: readonly TextbookLock[] = Object.entries(VALUES).map(([name, value], at) => {
  const commands = COMMANDS[at % COMMANDS.length] ?? "set";
  const key = `${PREFIXES[at % PREFIXES.length]}textbook-${at}`;
  return {
    ...{ name: `${name}, ${commands}`, key, value },
    acquire: (redis) => acquireString(redis, key, value, commands),
  };
});

const createOtherLock = (name: string, key: string, acquire: TextbookLock["acquire"]): TextbookLock => ({
  ...{ name, key, acquire },
});

/** Imitations of known lock formats that are not strings. */
const OTHER_LOCKS: readonly TextbookLock[] = [
  createOtherLock("GETSET takeover of a passed deadline", "lock:takeover", async (redis) => {
    await redis.set("lock:takeover", nowMs - 5000);
    return await redis.getset("lock:takeover", String(Date.now() + 600_000));
  }),
  createOtherLock("INCR that returned 1", "lock:incr", (redis) =>
    redis.multi().incr("lock:incr").pexpire("lock:incr", LEASE_MS).exec(),
  ),
  createOtherLock("a hash as Redisson writes it", "lock:hash", (redis) =>
    redis.multi().hset("lock:hash", `${randomUUID()}:1`, 1).pexpire("lock:hash", LEASE_MS).exec(),
  ),
  createOtherLock("name_lock with a deadline", "orders_lock", (redis) =>
    redis.setnx("orders_lock", String(Date.now() + 600_000)),
  ),
  createOtherLock("name:lock with a UUID", "orders:7:lock", (redis) =>
    redis.set("orders:7:lock", randomUUID(), "PX", LEASE_MS, "NX"),
  ),
  createOtherLock("a hash tag with a deadline in seconds", "{lock_goods}:300", (redis) =>
    redis.set("{lock_goods}:300", Math.floor(Date.now() / 1000) + 600, "PX", LEASE_MS, "NX"),
  ),
];

export const TEXTBOOK_LOCKS: readonly TextbookLock[] = [...STRING_LOCKS, ...OTHER_LOCKS];
