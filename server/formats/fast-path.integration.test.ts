import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { redisTest } from "../../test/support/fixtures.ts";
import { buildCompanionKey, buildFencedCounterKey } from "./keys.ts";
import { LOCK_WRITERS } from "./lock-writer.ts";

const it = redisTest()
  // A connection that listens, and the events that it heard of each key.
  .extend("listener", { scope: "file" }, async ({ redis }) => {
    const connection = redis.createClient();
    const heard = new Map<string, string[]>();
    await connection.subscribe("events");
    connection.on("message", (_, message: string) => {
      const [words = "", key = ""] = message.split("\n");
      heard.set(key, [...(heard.get(key) ?? []), withoutTimes(words)]);
    });
    return { connection, heard };
  })
  .extend(
    "createLock",
    { scope: "file" },
    ({ direct, listener }) =>
      (format: "redisson" | "token", path: "plain" | "whole") =>
        new LockUnderTest(direct, listener.heard, format, path),
  );

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
    private readonly direct: Redis,
    private readonly heard: ReadonlyMap<string, string[]>,
    private readonly format: "redisson" | "token",
    private readonly path: "plain" | "whole",
  ) {}

  async run(step: Step): Promise<unknown> {
    const { key } = this;
    if (step.do === "delete") return await this.direct.del(key);
    if (step.do === "persist") return await this.direct.persist(key);
    if (step.do === "spoil")
      return await this.direct.set(String(buildCompanionKey(key)), "nonsense", "PX", 60_000);
    if (step.do === "count") return await this.direct.set(String(buildFencedCounterKey(key)), "7");
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
    if (step.do === "release") return await format.release(this.direct, "events", key, { owner, ...request });
    return await format.acquire(this.direct, "events", key, {
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
    if (this.format === "token") return await this.direct.set(this.key, owner, "PX", 30_000, "NX");
    await this.direct.hincrby(this.key, owner, 1);
    return await this.direct.pexpire(this.key, 30_000);
  }

  async observe(): Promise<unknown> {
    const type = await this.direct.type(this.key);
    return {
      lock:
        type === "hash"
          ? await this.direct.hgetall(this.key)
          : type === "string"
            ? await this.direct.get(this.key)
            : type,
      expires: Math.round((await this.direct.pttl(this.key)) / 5000),
      companion: withoutTimes((await this.direct.get(String(buildCompanionKey(this.key)))) ?? ""),
      companionExpires: Math.round((await this.direct.pttl(String(buildCompanionKey(this.key)))) / 5000),
      hasCounter: withoutTimes((await this.direct.get(String(buildFencedCounterKey(this.key)))) ?? ""),
      events: this.heard.get(this.key) ?? [],
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
  it("the fast path returns, stores and publishes exactly the same as the full script", async ({
    createLock,
    listener,
  }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        const plain = createLock(format, "plain");
        const whole = createLock(format, "whole");
        for (const each of steps) {
          expect(toAnswer(await plain.run(each))).toBe(toAnswer(await whole.run(each)));
        }
        await listener.connection.ping();
        expect(await plain.observe()).toEqual(await whole.observe());
      }),
      { numRuns: 250 },
    );
  });

  it("acquiring and releasing a free lock takes at most 14 commands", async ({ direct, createLock }) => {
    const lock = createLock(format, "plain");
    await direct.config("RESETSTAT");
    await lock.run({ do: "acquire", owner: "a", principal: "root", again: false });
    await lock.run({ do: "release", owner: "a", principal: "root", again: false });
    const calls = [...(await direct.info("commandstats")).matchAll(/cmdstat_(\w+):calls=(\d+)/g)]
      .filter(([, name = ""]) => !["evalsha", "eval", "config", "info", "script"].includes(name))
      .reduce((sum, [, , count]) => sum + Number(count), 0);
    expect(calls).toBeLessThanOrEqual(14);
  });
});
