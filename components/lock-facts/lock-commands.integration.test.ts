import { execFileSync } from "node:child_process";
import { expect } from "vitest";
import type { Lock } from "@/lib/contract/lock.ts";
import { createSampleHolder, createSampleLock } from "@/lib/contract/sample-lock.ts";
import { decodeKey, type Key, toKeyFields } from "@/lib/keys/key.ts";
import { redisTest } from "@/test/support/fixtures.ts";
import type { TestRedis } from "@/test/support/test-redis.ts";
import { buildReleaseCommand } from "./lock-commands.ts";

const it = redisTest();

const UUID = "8743c9c0-0795-4907-87fd-6c719a6b4586";
const KEYS: readonly Key[] = [
  "lock:orders:42",
  "'; exit 9; ' $(id) `id` \\ \" !! %s\n",
  "{orders}:lock",
  "é\u202e-n",
  decodeKey(Uint8Array.from([0x6c, 0xff, 0x00, 0x27])),
];

function lockOf(key: Key, owner: Key, fields: Partial<Lock>): Lock {
  const { key: text, keyBase64 } = toKeyFields(owner);
  const holder = createSampleHolder({
    owner: text,
    ...(keyBase64 === undefined ? {} : { ownerBase64: keyBase64 }),
  });
  return createSampleLock({ ...toKeyFields(key), holders: [holder], ...fields });
}

/** Runs a shell command and sends the Redis command that the shell passes to redis-cli. */
async function run(redis: TestRedis, command: string): Promise<unknown> {
  // Replaces redis-cli. Prints each argument followed by a zero byte. With `-x`, also prints the standard input.
  const fake = `fake() { x=; if [ "$1" = -x ]; then x=1; shift; fi; printf '%s\\0' "$@"; if [ -n "$x" ]; then cat; printf '\\0'; fi; }; `;
  const said = execFileSync("/bin/sh", ["-c", fake + command.replace("redis-cli ", "fake ")]);
  const [name = "", script = "", , ...rest] = said.toString("latin1").split("\0");
  expect([name, /^[\x20-\x7e]+$/.test(script)]).toEqual(["EVAL", true]);
  // A key can contain a zero byte.
  const key = Buffer.from(rest.slice(0, -1).join("\0"), "latin1");
  return await redis.createClient().eval(script, 1, key);
}

const bytes = (key: Key) => {
  const { key: text, keyBase64 } = toKeyFields(key);
  return keyBase64 === undefined ? Buffer.from(text) : Buffer.from(keyBase64, "base64");
};

it.for(KEYS.map((key) => [JSON.stringify(key), key] as const))(
  "the copied command releases the lock %s for the observed owner only",
  async ([, key], { redis, direct: client }) => {
    for (const owner of [`${UUID}:1`, ...KEYS]) {
      const command = buildReleaseCommand(lockOf(key, owner, { type: "string", format: "redis-py" })) ?? "";
      await client.set(bytes(key), "somebody else");
      expect(await run(redis, command)).toBe(0);
      await client.set(bytes(key), bytes(owner));
      expect([await run(redis, command), await client.exists(bytes(key))]).toEqual([1, 0]);
      expect(await run(redis, command)).toBe(0);
    }
  },
);

it("the copied command for a Redisson lock wakes its waiters", async ({ redis, direct: client }) => {
  for (const [key, channel] of [
    ["lock:a", "redisson_lock__channel:{lock:a}"],
    ["{lock}:a", "redisson_lock__channel:{lock}:a"],
  ] as const) {
    const waiter = redis.createClient();
    const message = new Promise((resolve) => waiter.on("message", (_, text) => resolve(text)));
    await waiter.subscribe(channel);
    const command = buildReleaseCommand(lockOf(key, `${UUID}:1`, {})) ?? "";
    await client.hset(key, `${UUID}:2`, 1);
    expect(await run(redis, command)).toBe(0);
    await client.del(key);
    await client.hset(key, `${UUID}:1`, 2);
    expect([await run(redis, command), await client.exists(key)]).toEqual([1, 0]);
    expect(await message).toBe("0");
  }
});

it("no command is offered when the release needs more than one comparison", () => {
  const two = [createSampleHolder(), createSampleHolder({ owner: "p" })];
  for (const fields of [
    { holders: [] },
    { holders: two },
    { kind: "read" },
    { kind: "fair" },
    { type: "string", format: "timestamp" },
    { type: "zset", format: "redis-semaphore", kind: "semaphore" },
  ] satisfies Partial<Lock>[]) {
    expect(buildReleaseCommand(createSampleLock(fields))).toBeUndefined();
  }
});
