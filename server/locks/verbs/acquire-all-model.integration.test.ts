import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import type { WritableFormat } from "../../../lib/contract/format.ts";
import { locksTest } from "../../../test/support/fixtures.ts";
import { getErrorCode, WRITABLE_FORMATS } from "../../../test/support/test-locks.ts";
import type { Grant } from "./contract/grant.ts";
import type { RedisLocks } from "./redis-locks.ts";

const it = locksTest();
const KEYS = 4;

const keyIndex = fc.nat(KEYS - 1);
const lockSet = fc.uniqueArray(keyIndex, { minLength: 1, maxLength: KEYS });
const number = fc.nat(30);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("acquire_all" as const), set: lockSet }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("acquire" as const), key: keyIndex }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("repeat" as const), number }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("release" as const), number }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("abandon" as const), number }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom("delete" as const, "store_data" as const), key: keyIndex }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

interface ModelRequest {
  readonly set: readonly number[];
  readonly requestId: string;
  readonly abandon: () => void;
  /** The holds that the request was granted. */
  grants: readonly Grant[];
}

/** A model of the locks: each key is free, contains other data, or has one hold. */
class LockSetModel {
  readonly #keys: readonly string[];
  readonly #holds = new Map<number, Grant>();
  readonly #data = new Set<number>();
  readonly #requests: ModelRequest[] = [];

  constructor(
    private readonly locks: RedisLocks,
    private readonly direct: Redis,
    private readonly format: WritableFormat,
  ) {
    const name = randomUUID();
    this.#keys = Array.from({ length: KEYS }, (_, at) => `lock:${name}:${at}`);
  }

  async run(each: Step): Promise<void> {
    if (each.do === "acquire_all") await this.#acquireAll(each.set, randomUUID());
    else if (each.do === "acquire") await this.#acquire(each.key);
    else if (each.do === "repeat") await this.#repeat(each.number);
    else if (each.do === "release") await this.#release(each.number);
    else if (each.do === "abandon") await this.#abandon(each.number);
    else await this.#meddle(each.do, each.key);
    await this.#check();
  }

  async #acquireAll(set: readonly number[], requestId: string): Promise<void> {
    const asking = this.locks.acquireAll(this.#toKeys(set), this.#ask(requestId));
    const expected = this.#expectOutcome(set);
    if (expected !== "ok") return expect(await getErrorCode(asking)).toBe(expected);
    const { grants, isReplayed, abandon } = await asking;
    expect(isReplayed).toBe(false);
    expect(grants.map(({ key }) => key)).toEqual(this.#toKeys(set));
    for (const [at, grant] of grants.entries()) this.#holds.set(set[at] ?? -1, grant);
    this.#requests.push({ set, requestId, grants, abandon });
  }

  async #acquire(key: number): Promise<void> {
    const asking = this.locks.acquire(this.#toKeys([key])[0] ?? "", this.#ask(undefined));
    const expected = this.#expectOutcome([key]);
    if (expected !== "ok") return expect(await getErrorCode(asking)).toBe(expected);
    this.#holds.set(key, (await asking).grant);
  }

  /** Repeats a request, which returns its holds while it has all of them. */
  async #repeat(at: number): Promise<void> {
    const request = this.#pickRequest(at);
    if (request === undefined) return;
    const again = this.locks.acquireAll(this.#toKeys(request.set), this.#ask(request.requestId));
    if (!request.grants.every((grant) => this.#isLive(grant))) {
      const isData = request.set.some((key) => this.#data.has(key));
      return expect(isData ? ["lost", "not_a_lock"] : ["lost"]).toContain(await getErrorCode(again));
    }
    const { grants, isReplayed } = await again;
    expect(isReplayed).toBe(true);
    expect(grants.map(({ token, fence }) => ({ token, fence }))).toEqual(
      request.grants.map(({ token, fence }) => ({ token, fence })),
    );
  }

  async #release(at: number): Promise<void> {
    const [key, grant] = [...this.#holds][at % Math.max(1, this.#holds.size)] ?? [];
    if (key === undefined || grant === undefined) return;
    expect(await this.locks.release(grant)).toMatchObject({ outcome: "released" });
    this.#holds.delete(key);
  }

  /** Withdraws the remaining locks of a request, but not later holds of the same keys. */
  async #abandon(at: number): Promise<void> {
    const request = this.#pickRequest(at);
    if (request === undefined) return;
    request.abandon();
    this.#requests.splice(this.#requests.indexOf(request), 1);
    for (const [index, grant] of request.grants.entries()) {
      if (!this.#isLive(grant)) continue;
      const held = request.set[index] ?? -1;
      this.#holds.delete(held);
      // The first withdrawal on a server is sent twice, because the server does not know the script yet.
      await expect.poll(() => this.direct.exists(this.#keys[held] ?? "")).toBe(0);
    }
  }

  async #meddle(what: "delete" | "store_data", index: number): Promise<void> {
    const [key = ""] = this.#toKeys([index]);
    await this.direct.del(key);
    this.#holds.delete(index);
    this.#data.delete(index);
    if (what === "delete") return;
    await this.direct.rpush(key, "job");
    this.#data.add(index);
  }

  async #check(): Promise<void> {
    for (const [index, key] of this.#keys.entries()) {
      const exists = this.#holds.has(index) || this.#data.has(index) ? 1 : 0;
      expect(await this.direct.exists(key), key).toBe(exists);
    }
    for (const grant of this.#holds.values())
      expect(await this.locks.verify(grant)).toMatchObject({ held: true, fence: grant.fence, count: 1 });
  }

  #expectOutcome(set: readonly number[]): "ok" | "held" | "not_a_lock" {
    if (set.some((key) => this.#data.has(key))) return "not_a_lock";
    return set.some((key) => this.#holds.has(key)) ? "held" : "ok";
  }

  #isLive(grant: Grant): boolean {
    return [...this.#holds.values()].includes(grant);
  }

  #pickRequest(at: number): ModelRequest | undefined {
    return this.#requests[at % Math.max(1, this.#requests.length)];
  }

  #ask(requestId: string | undefined) {
    return { owner: "me", leaseMs: 60_000, format: this.format, requestId };
  }

  #toKeys(set: readonly number[]): string[] {
    return set.map((at) => this.#keys[at] ?? "");
  }
}

describe.each(WRITABLE_FORMATS)("any sequence of requests for several locks (%s)", (format) => {
  it("grants all locks or none, and leaves every lock as the model has it", { timeout: 60_000 }, async ({
    locks,
    direct,
  }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const model = new LockSetModel(locks, direct, format);
        for (const each of steps) await model.run(each);
      }),
      { numRuns: 80 },
    );
  });
});
