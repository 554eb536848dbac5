import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { buildCompanionKey, buildFencedCounterKey } from "./keys.ts";
import { LOCK_WRITERS } from "./lock-writer.ts";

let server: TestRedis;
let redis: Redis;
let listener: Redis;
const heard = new Map<string, string[]>();

beforeAll(async () => {
  server = await startTestRedis();
  redis = server.createClient();
  listener = server.createClient();
  await listener.subscribe("events");
  listener.on("message", (_, message: string) => {
    const [words = "", key = ""] = message.split("\n");
    heard.set(key, [...(heard.get(key) ?? []), withoutTimes(words)]);
  });
});
afterAll(() => server.stop());

const OWNERS = ["a", "b", "c\u00e9 d"];
const owner = fc.constantFrom(...OWNERS);
const principal = fc.constantFrom(undefined, "root", "another");
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("acquire" as const), owner, principal, again: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("release" as const), owner, principal, again: fc.boolean() }),
  },
  fc.record({ do: fc.constantFrom("delete", "persist", "spoil", "count", "foreign" as const), owner }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** `plain`: as callers ask. `whole`: with an argument that the plain case leaves alone, so the rest of the script runs. */
class LockUnderTest {
  readonly key = `lock:${randomUUID()}`;
  #ids = 0;

  constructor(
    private readonly format: "redisson" | "token",
    private readonly path: "plain" | "whole",
  ) {}

  async run(step: Step): Promise<unknown> {
    const { key } = this;
    if (step.do === "delete") return await redis.del(key);
    if (step.do === "persist") return await redis.persist(key);
    if (step.do === "spoil") return await redis.set(String(buildCompanionKey(key)), "nonsense", "PX", 60_000);
    if (step.do === "count") return await redis.set(String(buildFencedCounterKey(key)), "7");
    if (step.do === "foreign") return await this.#acquiredElsewhere(step.owner);
    const { owner, principal, again } = step as Extract<Step, { again: boolean }>;
    if (!again) this.#ids++;
    const request = {
      id: `id-${this.#ids}`,
      digest: "-",
      principal,
      ...(this.path === "whole" ? { retryMs: 0 } : {}),
    };
    const format = LOCK_WRITERS[this.format];
    if (step.do === "release") return await format.release(redis, "events", key, { owner, ...request });
    return await format.acquire(redis, "events", key, {
      owner,
      leaseMs: 30_000,
      reentrant: true,
      record: owner === "b" ? { service: "shop" } : undefined,
      graceMs: 0,
      minHoldMs: 0,
      unit: "ms",
      ...request,
    });
  }

  async #acquiredElsewhere(owner: string): Promise<unknown> {
    if (this.format === "token") return await redis.set(this.key, owner, "PX", 30_000, "NX");
    await redis.hincrby(this.key, owner, 1);
    return await redis.pexpire(this.key, 30_000);
  }

  async observe(): Promise<unknown> {
    const type = await redis.type(this.key);
    return {
      lock:
        type === "hash"
          ? await redis.hgetall(this.key)
          : type === "string"
            ? await redis.get(this.key)
            : type,
      expires: Math.round((await redis.pttl(this.key)) / 5000),
      companion: withoutTimes((await redis.get(String(buildCompanionKey(this.key)))) ?? ""),
      companionExpires: Math.round((await redis.pttl(String(buildCompanionKey(this.key)))) / 5000),
      hasCounter: withoutTimes((await redis.get(String(buildFencedCounterKey(this.key)))) ?? ""),
      events: heard.get(this.key) ?? [],
    };
  }
}

/** Fences and times differ from one run to the next; all else may not. What was held for a moment is held for none. */
function withoutTimes(text: string): string {
  return text
    .replace(/\d{16}/g, "fence")
    .replace(/\d{13}/g, "time")
    .replace(/\t\d{1,4}\t(?=[^\t]*\t$)/, "\theld\t");
}

const toAnswer = (reply: unknown) =>
  JSON.stringify(reply)
    .replace(/\d{16}/g, "fence")
    .replace(/\d{13}/g, "time")
    .replace(/"remainingMs":(\d+)/, (_, ms) => `"remainingMs":${Math.round(Number(ms) / 5000)}`);

describe.each(["redisson", "token"] as const)("fast path of %s", (format) => {
  it("the fast path returns, stores and publishes exactly the same as the full script", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        const plain = new LockUnderTest(format, "plain");
        const whole = new LockUnderTest(format, "whole");
        for (const each of steps) {
          expect(toAnswer(await plain.run(each))).toBe(toAnswer(await whole.run(each)));
        }
        await listener.ping();
        expect(await plain.observe()).toEqual(await whole.observe());
      }),
      { numRuns: 250 },
    );
  });

  it("acquiring and releasing a free lock takes at most 14 commands", async () => {
    const lock = new LockUnderTest(format, "plain");
    await redis.config("RESETSTAT");
    await lock.run({ do: "acquire", owner: "a", principal: "root", again: false });
    await lock.run({ do: "release", owner: "a", principal: "root", again: false });
    const calls = [...(await redis.info("commandstats")).matchAll(/cmdstat_(\w+):calls=(\d+)/g)]
      .filter(([, name = ""]) => !["evalsha", "eval", "config", "info", "script"].includes(name))
      .reduce((sum, [, , count]) => sum + Number(count), 0);
    expect(calls).toBeLessThanOrEqual(14);
  });
});
