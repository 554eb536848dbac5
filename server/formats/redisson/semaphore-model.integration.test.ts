import { randomBytes, randomUUID } from "node:crypto";
import fc from "fast-check";
import type { Redis } from "ioredis";
import { expect } from "vitest";
import { redisTest } from "../../../test/support/fixtures.ts";
import { createMutatedScripts, type ScriptMutant } from "../../../test/support/mutated-scripts.ts";
import { EVENT_CHANNEL } from "../../../test/support/observed-lock.ts";
import {
  assertModel,
  expirePermits,
  MODEL_LEASE_MS,
  type ModelHold,
  SEMAPHORE_MUTANTS,
  sendAcquire,
  sendRelease,
} from "../../../test/support/semaphore-model.ts";
import { createRedissonOwner } from "../../../test/support/test-locks.ts";
import { computePermitIds } from "./permit-ids.ts";
import { buildPermitsKey } from "./redisson-keys.ts";
import { ExpirableSemaphoreWriter } from "./semaphore-writer.ts";

const it = redisTest();

const limit = fc.integer({ min: 1, max: 6 });
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("acquire"), permits: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("release", "renew", "expire", "repeat"), hold: fc.nat(5) }),
  },
  fc.record({ do: fc.constantFrom("jvm_acquire", "jvm_expire", "evict_number") }),
  fc.record({ do: fc.constant("jvm_release"), hold: fc.nat(5) }),
  fc.record({ do: fc.constant("set_limit"), limit }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * Runs steps on a semaphore in Redis and on a model of its limit, Lockkeeper's holds and the permits of Redisson's
 * clients.
 */
class SemaphoreMachine {
  readonly #key = `semaphore:${randomUUID()}`;
  readonly #permitsKey = String(buildPermitsKey(this.#key));
  readonly #holds: ModelHold[] = [];
  #jvm: Buffer[] = [];
  #isMissing = true;
  #requests = 0;
  #lastFence = 0;

  constructor(
    private readonly direct: Redis,
    private readonly writer: ExpirableSemaphoreWriter,
    private limit: number,
  ) {}

  get #acquired(): number {
    const ours = this.#holds.filter(({ state }) => state === "live");
    return ours.reduce((sum, { permits }) => sum + permits, this.#jvm.length);
  }

  async run(each: Step): Promise<void> {
    await this.#perform(each);
    const [available, scores] = await Promise.all([
      this.direct.get(this.#key),
      this.direct.zrange(this.#permitsKey, "0", "-1", "WITHSCORES"),
    ]);
    const ends = scores.filter((_, at) => at % 2 === 1).map(Number);
    const expired = ends.filter((end) => end < 10).length;
    expect(ends.length - expired).toBe(this.#acquired);
    if (!this.#isMissing) expect(Number(available) + expired).toBe(this.limit - this.#acquired);
  }

  async #perform(each: Step): Promise<void> {
    if (each.do === "acquire" && "permits" in each) return await this.#acquire(each.permits);
    if (each.do === "set_limit" && "limit" in each) return await this.#setLimit(each.limit);
    if (each.do === "jvm_acquire") return await this.#acquireAsJvm();
    if (each.do === "jvm_release" || each.do === "jvm_expire") return await this.#endJvmPermit(each.do);
    if (each.do === "evict_number") {
      this.#isMissing = true;
      await this.direct.del(this.#key);
    }
    const hold = "hold" in each ? this.#holds[each.hold % Math.max(1, this.#holds.length)] : undefined;
    if (hold === undefined) return;
    if (each.do === "release") await this.#release(hold);
    if (each.do === "renew") await this.#renew(hold);
    if (each.do === "repeat") await this.#repeat(hold);
    if (each.do === "expire" && hold.state === "live") {
      hold.state = "expired";
      await expirePermits(this.direct, this.#permitsKey, computePermitIds(hold.token, hold.permits));
    }
  }

  async #acquire(permits: number): Promise<void> {
    const token = createRedissonOwner(++this.#requests);
    const reply = await this.#sendAcquire(token, `a${this.#requests}`, permits);
    if (permits > this.limit) return expect(reply.outcome).toBe("limit_conflict");
    if (this.limit - this.#acquired < permits) {
      expect(reply).toMatchObject({ outcome: "held", permits: { available: this.limit - this.#acquired } });
    } else {
      expect(reply).toMatchObject({ outcome: "granted", count: permits, how: "acquired" });
      if (reply.outcome !== "granted") return;
      expect(Number(reply.fence)).toBeGreaterThan(this.#lastFence);
      this.#lastFence = Number(reply.fence);
      const { fence } = reply;
      this.#holds.push({ token, id: `a${this.#requests}`, permits, fence, state: "live" });
    }
    this.#isMissing = false;
  }

  #sendAcquire(token: string, id: string, permits: number) {
    return sendAcquire(this.direct, this.writer, this.#key, { token, id, permits, limit: this.limit });
  }

  async #repeat({ token, id, permits, fence, state }: ModelHold): Promise<void> {
    const reply = await this.#sendAcquire(token, id, permits);
    if (state === "live") expect(reply).toMatchObject({ outcome: "granted", how: "repeated", fence });
    else expect(reply).toMatchObject({ outcome: "lost" });
  }

  async #release(hold: ModelHold): Promise<void> {
    const reply = await sendRelease(this.direct, this.writer, this.#key, hold, `r${++this.#requests}`);
    expect(reply.outcome).toBe(hold.state === "live" ? "released" : "not_held");
    hold.state = "ended";
  }

  async #renew({ token, fence, state }: ModelHold): Promise<void> {
    const holds = [{ key: this.#key, token, fence, leaseMs: MODEL_LEASE_MS }];
    const [left] = await this.writer.renewMany(this.direct, EVENT_CHANNEL, holds);
    if (state === "live") expect(left).toBeGreaterThan(MODEL_LEASE_MS / 2);
    else expect(left).toBeNull();
  }

  async #setLimit(to: number): Promise<void> {
    await this.writer.setLimit(this.direct, this.#key, to);
    this.limit = to;
    this.#isMissing = false;
  }

  /** Acquires a permit with the commands that Redisson sends. */
  async #acquireAsJvm(): Promise<void> {
    if (this.#isMissing || Number(await this.direct.get(this.#key)) < 1) return;
    const id = randomBytes(16);
    await this.direct
      .multi()
      .decr(this.#key)
      .zadd(this.#permitsKey, Date.now() + MODEL_LEASE_MS, id)
      .exec();
    this.#jvm.push(id);
  }

  async #endJvmPermit(how: "jvm_release" | "jvm_expire"): Promise<void> {
    const [id, ...rest] = this.#jvm;
    if (id === undefined || this.#isMissing) return;
    this.#jvm = rest;
    if (how === "jvm_expire") await expirePermits(this.direct, this.#permitsKey, [id]);
    else await this.direct.multi().zrem(this.#permitsKey, id).incr(this.#key).exec();
  }
}

const checkModel = (direct: Redis, writer: ExpirableSemaphoreWriter, runs: number, seed?: number) =>
  assertModel(
    fc.asyncProperty(
      limit,
      fc.array(step, { minLength: 1, maxLength: 30, size: "max" }),
      async (total, steps) => {
        const machine = new SemaphoreMachine(direct, writer, total);
        for (const each of steps) await machine.run(each);
      },
    ),
    runs,
    seed,
  );

it("Redis equals the model after each random acquire, release, expiration, resize and call of a JVM", {
  timeout: 90_000,
}, async ({ direct }) => {
  await checkModel(direct, new ExpirableSemaphoreWriter(), 150);
});

const MUTANTS: readonly ScriptMutant[] = [
  ...SEMAPHORE_MUTANTS,
  {
    what: "the limit is set without the acquired permits",
    file: "redisson/semaphore/set-limit.lua",
    from: "format_integer(limit - acquired - tonumber",
    to: "format_integer(limit - tonumber",
  },
];

it.for(MUTANTS)(
  "the model notices that $what",
  { timeout: 90_000 },
  async (mutant, { direct, onTestFinished }) => {
    const { scripts, remove } = await createMutatedScripts(mutant);
    onTestFinished(remove);
    const writer = new ExpirableSemaphoreWriter(scripts);
    await expect(checkModel(direct, writer, 500, 2026)).rejects.toThrow();
  },
);
