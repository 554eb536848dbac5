import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type { Redis } from "ioredis";
import { expect } from "vitest";
import { redisTest } from "../../../test/support/fixtures.ts";
import { createMutatedScripts, type ScriptMutant } from "../../../test/support/mutated-scripts.ts";
import { EVENT_CHANNEL } from "../../../test/support/observed-lock.ts";
import { RedissonPlainSemaphore } from "../../../test/support/redisson-plain-semaphore.ts";
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
import { buildPlainPermitsKey } from "../keys.ts";
import { computePermitIds } from "./permit-ids.ts";
import { ExpirableSemaphoreWriter, PlainSemaphoreWriter, type SemaphoreWriter } from "./semaphore-writer.ts";

const it = redisTest();
const LIMIT = 6;

const permits = fc.integer({ min: 1, max: 4 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("acquire"), permits }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("release", "renew", "expire", "repeat"), hold: fc.nat(5) }),
  },
  fc.record({ do: fc.constantFrom("jvm_acquire", "jvm_release", "jvm_add", "jvm_remove"), permits }),
  fc.record({ do: fc.constantFrom("evict_number", "other_kind", "reclaim") }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * Runs steps on a plain semaphore in Redis and on a model of its available permits and Lockkeeper's holds. Some steps
 * run the scripts of Redisson.
 */
class PlainSemaphoreMachine {
  readonly #key = `semaphore:${randomUUID()}`;
  readonly #permitsKey = String(buildPlainPermitsKey(this.#key));
  readonly #holds: ModelHold[] = [];
  readonly #jvm: RedissonPlainSemaphore;
  /** Number of available permits; `undefined` if the key is missing. */
  #available: number | undefined;
  #jvmPermits = 0;
  #requests = 0;
  #lastFence = 0;

  constructor(
    private readonly direct: Redis,
    private readonly writer: PlainSemaphoreWriter,
    private readonly expirable: ExpirableSemaphoreWriter,
  ) {
    this.#jvm = new RedissonPlainSemaphore(direct, this.#key);
  }

  #countPermits(...states: ModelHold["state"][]): number {
    const holds = this.#holds.filter(({ state }) => states.includes(state));
    return holds.reduce((sum, hold) => sum + hold.permits, 0);
  }

  async run(each: Step): Promise<void> {
    await this.#perform(each);
    expect(await this.direct.get(this.#key)).toBe(this.#available?.toString() ?? null);
    expect(await this.direct.zcard(this.#permitsKey)).toBe(this.#countPermits("live", "expired"));
  }

  async #perform(each: Step): Promise<void> {
    if ("permits" in each) {
      if (each.do === "acquire") return await this.#acquire(each.permits);
      return await this.#runJvm(each.do, each.permits);
    }
    if (each.do === "other_kind") return await this.#acquireOtherKind();
    if (each.do === "reclaim") {
      const nextMs = await this.writer.reclaim(this.direct, this.#key);
      this.#reclaim();
      return expect(nextMs === undefined).toBe(this.#countPermits("live") === 0);
    }
    if (each.do === "evict_number") {
      this.#available = undefined;
      await this.direct.del(this.#key);
    }
    const hold = "hold" in each ? this.#holds[each.hold % Math.max(1, this.#holds.length)] : undefined;
    if (hold === undefined) return;
    if (each.do === "release") await this.#release(hold);
    if (each.do === "renew") await this.#renew(hold);
    if (each.do === "repeat") await this.#repeat(hold);
    if (each.do === "expire" && hold.state === "live") await this.#expire(hold);
  }

  /**
   * Models how Lockkeeper's scripts return expired permits. If the key with the number is missing, the permits are only
   * removed.
   */
  #reclaim(): void {
    if (this.#available !== undefined) this.#available += this.#countPermits("expired");
    for (const hold of this.#holds) if (hold.state === "expired") hold.state = "ended";
  }

  async #acquire(wanted: number): Promise<void> {
    const [token, id] = [createRedissonOwner(++this.#requests), `a${this.#requests}`];
    const reply = await this.#sendAcquire(this.writer, token, id, wanted);
    this.#reclaim();
    this.#available ??= LIMIT - this.#countPermits("live");
    if (this.#available < wanted) {
      return expect(reply).toMatchObject({
        ...{ outcome: "held", permits: { available: this.#available, total: null } },
      });
    }
    expect(reply).toMatchObject({ outcome: "granted", count: wanted, how: "acquired" });
    if (reply.outcome !== "granted") return;
    expect(Number(reply.fence)).toBeGreaterThan(this.#lastFence);
    this.#lastFence = Number(reply.fence);
    this.#available -= wanted;
    this.#holds.push({ token, id, permits: wanted, fence: reply.fence, state: "live" });
  }

  #sendAcquire(writer: SemaphoreWriter, token: string, id: string, wanted: number) {
    return sendAcquire(this.direct, writer, this.#key, { token, id, permits: wanted, limit: LIMIT });
  }

  /** Checks that the key cannot be used as an expirable semaphore while Lockkeeper's holds have permits. */
  async #acquireOtherKind(): Promise<void> {
    if (this.#countPermits("live", "expired") === 0) return;
    const reply = await this.#sendAcquire(this.expirable, createRedissonOwner(++this.#requests), "o", 1);
    expect(reply).toMatchObject({ outcome: "not_a_lock", foundKind: "plain_semaphore" });
  }

  async #repeat({ token, id, permits: wanted, fence, state }: ModelHold): Promise<void> {
    const reply = await this.#sendAcquire(this.writer, token, id, wanted);
    if (state === "live") expect(reply).toMatchObject({ outcome: "granted", how: "repeated", fence });
    else expect(reply).toMatchObject({ outcome: "lost" });
  }

  async #release(hold: ModelHold): Promise<void> {
    const reply = await sendRelease(this.direct, this.writer, this.#key, hold, `r${++this.#requests}`);
    expect(reply.outcome).toBe(hold.state === "live" ? "released" : "not_held");
    if (hold.state === "live" && this.#available !== undefined) this.#available += hold.permits;
    if (hold.state === "live") hold.state = "ended";
    this.#reclaim();
  }

  async #renew({ token, fence, state }: ModelHold): Promise<void> {
    // Each renewal uses a longer lease than the previous one, because a renewal that extends nothing does not reclaim
    // permits.
    const holds = [{ key: this.#key, token, fence, leaseMs: MODEL_LEASE_MS + ++this.#requests }];
    const [left] = await this.writer.renewMany(this.direct, EVENT_CHANNEL, holds);
    if (state !== "live") return expect(left).toBeNull();
    expect(left).toBeGreaterThan(MODEL_LEASE_MS / 2);
    this.#reclaim();
  }

  async #expire(hold: ModelHold): Promise<void> {
    hold.state = "expired";
    await expirePermits(this.direct, this.#permitsKey, computePermitIds(hold.token, hold.permits));
  }

  async #runJvm(action: string, count: number): Promise<void> {
    if (action === "jvm_acquire") {
      const isGranted = this.#available !== undefined && this.#available >= count;
      expect(await this.#jvm.tryAcquire(count)).toBe(isGranted);
      if (isGranted) this.#jvmPermits += count;
      if (isGranted && this.#available !== undefined) this.#available -= count;
      return;
    }
    if (this.#available === undefined || (action === "jvm_release" && this.#jvmPermits < count)) return;
    if (action === "jvm_release") {
      await this.#jvm.release(count);
      this.#jvmPermits -= count;
    } else await this.#jvm.addPermits(action === "jvm_add" ? count : -count);
    this.#available += action === "jvm_remove" ? -count : count;
  }
}

const checkModel = (direct: Redis, scripts: URL | undefined, runs: number, seed?: number) => {
  const writer = new PlainSemaphoreWriter(scripts);
  const expirable = new ExpirableSemaphoreWriter(scripts);
  return assertModel(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30, size: "max" }), async (steps) => {
      const machine = new PlainSemaphoreMachine(direct, writer, expirable);
      for (const each of steps) await machine.run(each);
    }),
    runs,
    seed,
  );
};

it("Redis equals the model after each of random acquires, releases, expirations and calls of a JVM", {
  timeout: 90_000,
}, async ({ direct }) => {
  await checkModel(direct, undefined, 200);
});

const SCRIPTS = "redisson/semaphore/";
const MUTANTS: readonly ScriptMutant[] = [
  ...SEMAPHORE_MUTANTS,
  {
    what: "a release creates a missing number",
    file: `${SCRIPTS}permits.lua`,
    from: "if returned > 0 and redis.call('EXISTS', KEYS[1]) == 1 then",
    to: "if returned > 0 then",
  },
  {
    what: "the total is compared with the permits of our holds alone",
    file: "redisson/plain-semaphore/recognition.lua",
    from: "  return nil",
    to: "  return _limit ~= _available + _acquired and _limit or nil",
  },
  {
    what: "the other kind takes permits of the same number",
    file: `${SCRIPTS}acquire.lua`,
    from: "if has_permits_at(7) then",
    to: "if false then",
  },
];

it.for(MUTANTS)(
  "the model notices that $what",
  { timeout: 90_000 },
  async (mutant, { direct, onTestFinished }) => {
    const { scripts, remove } = await createMutatedScripts(mutant);
    onTestFinished(remove);
    await expect(checkModel(direct, scripts, 500, 2026)).rejects.toThrow();
  },
);
