import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FormatRules } from "../formats/rules.ts";
import { codeOf, openVerbs, type TestVerbs } from "../testing/locks.ts";
import { startTestRedis, type TestRedis } from "../testing/redis.ts";
import { startTestWatcher, type TestWatcher } from "../testing/watcher.ts";
import type { Watcher } from "../watch/watcher.ts";
import { freeByForce } from "./force-release.ts";

const ROUNDS = 1000;
const LANES = 20;

let redis: TestRedis;
let direct: Redis;
let verbs: TestVerbs;
let watching: TestWatcher;
let watcher: Watcher;
let parts: Parameters<typeof freeByForce>[0];

beforeAll(async () => {
  redis = await startTestRedis();
  direct = redis.client();
  verbs = await openVerbs(redis.port);
  const rules = new FormatRules([{ pattern: "lock:spring:*", format: "spring" }]);
  watching = await startTestWatcher(redis.url, { rules });
  ({ watcher } = watching);
  parts = { locks: verbs.locks, watcher, journal: watching.journal };
});
afterAll(async () => {
  watching.stop();
  verbs.close();
  await redis.stop();
});

/** How a library takes a lock and lets go of it; `again`: both in one moment, under the same owner string. */
interface Library {
  take(key: string, owner: string): Promise<unknown>;
  again(key: string, owner: string): Promise<unknown>;
  isHeld(key: string, owner: string): Promise<boolean>;
}

const redisson: Library = {
  take: (key, owner) => direct.multi().hset(key, owner, 1).pexpire(key, 30_000).exec(),
  again: (key, owner) => direct.multi().del(key).hset(key, owner, 1).pexpire(key, 30_000).exec(),
  isHeld: async (key, owner) => (await direct.hexists(key, owner)) === 1,
};

/** The second of two readers; the first one stays all the time, so the key is never gone. */
const reader: Library = {
  take: (key, owner) => {
    const other = `${randomUUID()}:1`;
    return direct.multi().hset(key, "mode", "read", other, 1, owner, 1).pexpire(key, 30_000).exec();
  },
  again: (key, owner) => direct.multi().hdel(key, owner).hset(key, owner, 1).pexpire(key, 30_000).exec(),
  isHeld: redisson.isHeld,
};

const spring: Library = {
  take: (key, owner) => direct.set(key, owner, "PX", 60_000, "NX"),
  again: (key, owner) => direct.multi().del(key).set(key, owner, "PX", 60_000, "NX").exec(),
  isHeld: async (key, owner) => (await direct.get(key)) === owner,
};

/** What an operator sees: the version of this owner's hold. */
async function look(key: string, owner: string): Promise<string> {
  const { hold } = await watcher.look(key);
  const holders = hold === undefined ? [] : watcher.lockOf(hold).holders;
  return holders.find((holder) => holder.owner === owner)?.version ?? "none";
}

const click = (key: string, seen: string) =>
  freeByForce(parts, key, { expect: seen, reason: "stuck", by: "mei", ifUnsure: "refuse" });

/** @returns what became of the click, and what of the next one after another look */
async function round({ take, again, isHeld }: Library, key: string, owner: string): Promise<string> {
  await take(key, owner);
  const seen = await look(key, owner);
  await again(key, owner);
  const refused = await codeOf(click(key, seen));
  const isKept = await isHeld(key, owner);
  const { outcome } = await click(key, await look(key, owner));
  await direct.del(key);
  return `${refused === "unsure" ? "changed" : refused}, ${isKept ? "kept" : "lost"}, ${outcome}`;
}

describe.each([
  ["a lock of Redisson", "lock:redisson", redisson, () => `${randomUUID()}:7`],
  ["one of two readers of Redisson", "lock:reader", reader, () => `${randomUUID()}:7`],
  ["a lock of Spring", "lock:spring", spring, () => randomUUID()],
] as const)(
  "%s that was released and taken again by the same owner after it was seen",
  (_, prefix, library, ownerOf) => {
    it(`is not freed, in ${ROUNDS} rounds, and is freed by who looks again`, async () => {
      const results = new Map<string, number>();
      const lane = async (name: number) => {
        const [key, owner] = [`${prefix}:${name}`, ownerOf()];
        for (let n = name; n < ROUNDS; n += LANES) {
          const result = await round(library, key, owner);
          results.set(result, (results.get(result) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: LANES }, (_each, name) => lane(name)));
      expect(Object.fromEntries(results)).toEqual({ "changed, kept, released": ROUNDS });
    }, 60_000);
  },
);
