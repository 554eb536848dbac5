import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { redisTest } from "../../test/support/fixtures.ts";
import { buildCompanionKey, buildFencedCounterKey } from "./keys.ts";
import { LOCK_WRITERS } from "./lock-writer.ts";

const it = redisTest()
  // A subscribed connection. `heard` contains the events that it has received, by key.
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

const owner = fc.constantFrom("a", "b", "c\u00e9 d");
const principal = fc.constantFrom(undefined, "root", "another");
const slot = fc.integer({ min: 0, max: 2 });
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ do: fc.constant("acquire" as const), slot, owner, principal, again: fc.boolean() },
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ do: fc.constant("release" as const), slot, again: fc.boolean() },
      named: fc.constantFrom("as_acquired", "other_fence", "other_principal", "without_fence" as const),
    }),
  },
  fc.record({ do: fc.constantFrom("delete", "persist", "spoil", "count", "foreign" as const), slot }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;
type AcquireStep = Extract<Step, { do: "acquire" }>;
type ReleaseStep = Extract<Step, { do: "release" }>;

const CLIENT = "0f8fad5b-d9cb-469f-a165-70867728950e";

/**
 * A lock whose verbs run through one of two paths. `plain` uses the fast path. `whole` passes an additional argument,
 * so that the complete script runs.
 */
class LockUnderTest {
  readonly key = `lock:${randomUUID()}`;
  readonly #slots: { token: string; fence: string; principal: string | undefined }[] = [];
  #ids = 0;
  #tokens = 0;

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
    if (step.do === "foreign") return await this.#acquireElsewhere(this.#slots[step.slot]?.token);
    return step.do === "release" ? await this.#release(step) : await this.#acquire(step as AcquireStep);
  }

  async #acquire({ slot, owner, principal, again }: AcquireStep): Promise<unknown> {
    const token = `${CLIENT}:${++this.#tokens}`;
    const reply = await LOCK_WRITERS[this.format].acquire(this.direct, "events", this.key, {
      ...{ token, owner, principal, leaseMs: 30_000, graceMs: 0, minHoldMs: 0, unit: "ms" },
      record: owner === "b" ? { service: "shop" } : undefined,
      ...this.#identify(again),
    });
    if (reply.outcome === "granted")
      this.#slots[slot] = { token: reply.token, fence: reply.fence, principal };
    return reply;
  }

  async #release({ slot, named, again }: ReleaseStep): Promise<unknown> {
    const { token, fence, principal } = this.#slots[slot] ?? {
      ...{ token: `${CLIENT}:999`, fence: "1795216496123456", principal: undefined },
    };
    const fences = { other_fence: "1795216496123456", without_fence: undefined };
    return await LOCK_WRITERS[this.format].release(this.direct, "events", this.key, {
      token,
      fence: named in fences ? fences[named as keyof typeof fences] : fence,
      principal: named === "other_principal" ? "thief" : principal,
      ...this.#identify(again),
    });
  }

  #identify(again: boolean) {
    if (!again) this.#ids++;
    return { id: `id-${this.#ids}`, digest: "-", ...(this.path === "whole" ? { retryMs: 0 } : {}) };
  }

  /** Writes the lock as another client would: with its own token, or with the token of a Lockkeeper hold. */
  async #acquireElsewhere(stored = `${CLIENT}:777`): Promise<unknown> {
    if (this.format === "token") return await this.direct.set(this.key, stored, "PX", 30_000, "NX");
    await this.direct.hset(this.key, stored, 1);
    return await this.direct.pexpire(this.key, 30_000);
  }

  getHold(slot: number) {
    const hold = this.#slots[slot];
    if (hold === undefined) throw new Error(`Nothing was acquired in slot ${slot}`);
    return hold;
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

/** Masks tokens and times, which differ between runs, and durations of brief holds. */
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

describe.each([
  ["redisson", 13],
  ["token", 13],
] as const)("fast path of %s", (format, commandsMax) => {
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

  it("a release of a hold that was re-entered or renewed returns the same as the full script", async ({
    createLock,
    direct,
  }) => {
    const answers = await Promise.all(
      (["plain", "whole"] as const).map(async (path) => {
        const lock = createLock(format, path);
        await lock.run({ do: "acquire", slot: 0, owner: "a", principal: "root", again: false });
        const { token, fence } = lock.getHold(0);
        const hold = { token, fence, principal: "root", leaseMs: undefined };
        const writer = LOCK_WRITERS[format];
        await writer.renew(direct, "events", lock.key, { ...hold, id: "renewal", digest: "-" });
        await writer.reenter(direct, "events", lock.key, { ...hold, id: "entry", digest: "-" });
        const release = () => lock.run({ do: "release", slot: 0, named: "as_acquired", again: false });
        const refused = toAnswer(await release());
        const released = await writer.release(direct, "events", lock.key, {
          ...{ token, fence, principal: "root", id: "inner", digest: "d" },
        });
        return [refused, toAnswer(released), toAnswer(await release()), await direct.exists(lock.key)];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toContain("request_id_required");
    expect(answers[0]?.[3]).toBe(0);
  });

  it(`acquiring and releasing a free lock takes at most ${commandsMax} commands`, async ({
    direct,
    createLock,
  }) => {
    const lock = createLock(format, "plain");
    await direct.config("RESETSTAT");
    await lock.run({ do: "acquire", slot: 0, owner: "a", principal: "root", again: false });
    await lock.run({ do: "release", slot: 0, named: "as_acquired", again: false });
    const calls = [...(await direct.info("commandstats")).matchAll(/cmdstat_(\w+):calls=(\d+)/g)]
      .filter(([, name = ""]) => !["evalsha", "eval", "config", "info", "script"].includes(name))
      .reduce((sum, [, , count]) => sum + Number(count), 0);
    expect(calls).toBeLessThanOrEqual(commandsMax);
  });
});
