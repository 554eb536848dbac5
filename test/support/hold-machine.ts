import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { expect } from "vitest";
import { parseCompanion } from "../../server/formats/companion.ts";
import { buildCompanionKey } from "../../server/formats/keys.ts";
import type { LockWriter } from "../../server/formats/lock-writer.ts";
import type { HoldStep, MeddlingStep, Naming } from "./hold-steps.ts";

const CHANNEL = "hold-machine";
/** Owner of all holds. No script may distinguish holds by the owner. */
const OWNER = "checkout@pod-7";
const LEASE_MS = 60_000;

interface Slot {
  readonly token: string;
  readonly fence: string;
  readonly principal: string;
  readonly acquireId: string;
  reenterId?: string;
  releaseId?: string;
}

interface DescribedHold {
  token: string;
  fence: string;
  count: number;
  principal: string;
  readonly requests: Map<string, { readonly verb: string; readonly fence: string }>;
}

/**
 * Runs steps on a lock in Redis and compares the result with a model. The model determines which verbs each hold may
 * use, and has no notion of time.
 */
export class HoldMachine {
  readonly #key = `lock:${randomUUID()}`;
  readonly #client = randomUUID();
  readonly #slots: (Slot | undefined)[] = [];
  /**
   * The expected lock. `stored` is a token of the model or a value of another client. `count` is the re-entrancy count
   * of the format `redisson`.
   */
  #lock: { readonly stored: string; count: number } | undefined;
  #companion: DescribedHold | undefined;
  #tokens = 0;
  #ids = 0;
  #highestFence = 0n;
  #where = "";

  constructor(
    private readonly direct: Redis,
    private readonly writer: LockWriter,
  ) {}

  async run(step: HoldStep, where: string): Promise<void> {
    this.#where = where;
    await this.#perform(step);
    await this.#compare();
  }

  async #perform(step: HoldStep): Promise<unknown> {
    switch (step.do) {
      case "acquire":
        return await this.#acquire(step.slot, step.principal, `a${++this.#ids}`);
      case "repeat_acquire":
        return await this.#repeatAcquire(step.slot);
      case "reenter":
      case "renew":
      case "release":
      case "verify":
        return await this.#use(step.do, step.slot, step.naming);
      case "repeat_reenter":
        return await this.#repeatReenter(step.slot);
      case "repeat_release":
        return await this.#repeatRelease(step.slot);
      case "release_all":
        return await this.#releaseAll(step.slot);
      case "force_release":
        return await this.#forceRelease(step.slot);
      default:
        return await this.#meddle(step);
    }
  }

  async #acquire(at: number, principal: string, id: string): Promise<void> {
    const token = `${this.#client}:${++this.#tokens}`;
    const reply = await this.writer.acquire(this.direct, CHANNEL, this.#key, {
      ...{ token, owner: OWNER, id, digest: "d", leaseMs: LEASE_MS, principal: principal || undefined },
      ...{ record: undefined, graceMs: 0, minHoldMs: 0, unit: "ms" },
    });
    const known = this.#companion?.requests.get(id);
    if (known !== undefined) {
      const stands = this.#described !== undefined && this.#described.fence === known.fence;
      const granted = {
        outcome: "granted",
        how: "repeated",
        token: this.#described?.token,
        fence: known.fence,
      };
      this.#expect(reply, stands ? { ...granted, count: this.#count } : { outcome: "lost" });
      return;
    }
    if (this.#lock !== undefined) return this.#expect(reply, { outcome: "held" });
    this.#expect(reply, { outcome: "granted", how: "acquired", token, count: 1 });
    if (reply.outcome !== "granted") return;
    expect(BigInt(reply.fence), this.#where).toBeGreaterThan(this.#highestFence);
    this.#highestFence = BigInt(reply.fence);
    const { fence } = reply;
    this.#slots[at] = { token, fence, principal, acquireId: id };
    this.#lock = { stored: token, count: 1 };
    const requests = this.#companion?.requests ?? new Map();
    requests.set(id, { verb: "acquire", fence });
    this.#companion = { token, fence, count: 1, principal, requests };
  }

  async #repeatAcquire(at: number): Promise<void> {
    const slot = this.#slots[at];
    if (slot !== undefined) await this.#acquire(at, slot.principal, slot.acquireId);
  }

  async #use(verb: "reenter" | "renew" | "release" | "verify", at: number, naming: Naming): Promise<void> {
    const slot = this.#slots[at];
    if (slot === undefined) return;
    const id = `u${++this.#ids}`;
    const fence = naming === "other_fence" ? String(BigInt(slot.fence) + 1n) : slot.fence;
    const principal = naming === "other_principal" ? "key-9" : slot.principal;
    const stands = this.#judge(slot.token, fence, principal);
    const hold = { token: slot.token, fence, principal: principal || undefined };
    if (verb === "verify") return await this.#verify(hold, stands);
    if (verb === "release") return await this.#release(slot, hold, stands, id);
    const ask = { ...hold, id, digest: "d", leaseMs: undefined };
    const isDescribed = this.#described !== undefined;
    if (verb === "renew") {
      const leased = { ...ask, leaseMs: LEASE_MS };
      const reply = await this.writer.renew(this.direct, CHANNEL, this.#key, leased);
      this.#expect(
        reply,
        stands === "held" ? { outcome: "granted", count: this.#count } : { outcome: stands },
      );
      if (stands === "held" && isDescribed) this.#companion?.requests.set(id, { verb, fence });
      return;
    }
    const mayEnter = stands === "held" && isDescribed;
    const reply = await this.writer.reenter(this.direct, CHANNEL, this.#key, ask);
    if (!mayEnter) return this.#expect(reply, { outcome: stands === "not_owner" ? stands : "lost" });
    this.#addCount(1);
    slot.reenterId = id;
    this.#companion?.requests.set(id, { verb, fence });
    this.#expect(reply, {
      outcome: "granted",
      how: "reentered",
      count: this.#count,
      token: slot.token,
      fence,
    });
  }

  async #verify(hold: { token: string; fence: string; principal: string | undefined }, stands: string) {
    const reply = await this.writer.verify(this.direct, this.#key, hold);
    this.#expect(reply, stands === "held" ? { outcome: "held", count: this.#count } : { outcome: stands });
  }

  async #release(
    slot: Slot,
    hold: { token: string; fence: string; principal: string | undefined },
    stands: string,
    id: string,
  ): Promise<void> {
    const before = this.#count;
    const withoutId = await this.writer.release(this.direct, CHANNEL, this.#key, {
      ...hold,
      id,
      digest: "-",
    });
    if (stands !== "held") {
      return this.#expect(withoutId, { outcome: stands === "lost" ? "not_held" : stands });
    }
    const needsId = before > 1;
    if (needsId) this.#expect(withoutId, { outcome: "request_id_required" });
    const reply = needsId
      ? await this.writer.release(this.direct, CHANNEL, this.#key, { ...hold, id, digest: "d" })
      : withoutId;
    const outcome = before > 1 ? "still_held" : "released";
    this.#expect(reply, { outcome, count: before - 1, fence: hold.fence });
    const requests = this.#companion?.requests ?? new Map();
    requests.set(id, { verb: outcome, fence: hold.fence });
    if (needsId) slot.releaseId = id;
    if (before > 1) return this.#addCount(-1);
    this.#end(requests);
  }

  async #repeatReenter(at: number): Promise<void> {
    const slot = this.#slots[at];
    if (slot?.reenterId === undefined || !this.#companion?.requests.has(slot.reenterId)) return;
    const { token, fence, principal, reenterId: id } = slot;
    const stands = this.#judge(token, fence, principal) === "held" && this.#described !== undefined;
    const ask = { token, fence, principal: principal || undefined, id, digest: "d", leaseMs: undefined };
    const reply = await this.writer.reenter(this.direct, CHANNEL, this.#key, ask);
    this.#expect(
      reply,
      stands ? { outcome: "granted", how: "repeated", count: this.#count } : { outcome: "lost" },
    );
  }

  async #repeatRelease(at: number): Promise<void> {
    const slot = this.#slots[at];
    if (slot?.releaseId === undefined || !this.#companion?.requests.has(slot.releaseId)) return;
    const { token, fence, principal, releaseId: id } = slot;
    const ask = { token, fence, principal: principal || undefined, id, digest: "d" };
    const reply = await this.writer.release(this.direct, CHANNEL, this.#key, ask);
    const isLeft = this.#described?.token === token && this.#described.fence === fence;
    this.#expect(
      reply,
      isLeft ? { outcome: "still_held", count: this.#count } : { outcome: "released", count: 0 },
    );
  }

  async #releaseAll(at: number): Promise<void> {
    const slot = this.#slots[at];
    if (slot === undefined) return;
    const { token, fence, principal } = slot;
    const stands = this.#judge(token, fence, principal);
    const ask = { token, fence, principal: principal || undefined, id: `w${++this.#ids}`, digest: "-" };
    const reply = await this.writer.release(this.direct, CHANNEL, this.#key, { ...ask, counts: "all" });
    this.#expect(reply, {
      outcome: stands === "held" ? "released" : stands === "lost" ? "not_held" : stands,
    });
    if (stands === "held") this.#end(this.#companion?.requests ?? new Map());
  }

  async #forceRelease(at: number): Promise<void> {
    const slot = this.#slots[at];
    if (slot === undefined) return;
    const described = this.#described;
    const ask = { token: slot.token, fence: slot.fence, by: "mei", reason: "stuck" };
    const reply = await this.writer.forceRelease(this.direct, CHANNEL, this.#key, ask);
    const isSeen = described?.token === slot.token && described.fence === slot.fence;
    if (this.#lock === undefined) return this.#expect(reply, { outcome: "gone" });
    this.#expect(reply, { outcome: isSeen ? "released" : "changed" });
    if (isSeen) this.#end(this.#companion?.requests ?? new Map());
  }

  async #meddle(step: MeddlingStep): Promise<void> {
    switch (step.do) {
      case "evict_companion":
        await this.direct.del(String(buildCompanionKey(this.#key)));
        this.#companion = undefined;
        return;
      case "delete":
        await this.direct.del(this.#key);
        this.#lock = undefined;
        return;
      case "expire":
        await this.direct.pexpire(this.#key, 1);
        while ((await this.direct.exists(this.#key)) === 1);
        this.#lock = undefined;
        return;
      case "acquire_foreign":
        return this.#lock === undefined ? await this.#recreate(randomUUID()) : undefined;
      case "recreate_with_owner_text":
        return await this.#recreate(OWNER);
      case "recreate_with_token": {
        const slot = this.#slots[step.slot];
        if (slot !== undefined && this.writer.name !== "timestamp") await this.#recreate(slot.token);
      }
    }
  }

  /**
   * Replaces the lock with one of another client whose value is `text`, converted to the form that the format requires.
   */
  async #recreate(text: string): Promise<void> {
    await this.direct.del(this.#key);
    const { name } = this.writer;
    const stored = name === "redisson" && !text.includes(":") ? `${randomUUID()}:7` : text;
    await this.#write(name === "timestamp" ? String(Date.now() + 2 * LEASE_MS) : stored);
    this.#lock = { stored, count: 1 };
  }

  async #write(stored: string): Promise<void> {
    if (this.writer.name !== "redisson") await this.direct.set(this.#key, stored, "PX", LEASE_MS);
    else await this.direct.multi().hset(this.#key, stored, 1).pexpire(this.#key, LEASE_MS).exec();
  }

  /** The hold that the companion describes, if this hold is also in the lock. */
  get #described(): DescribedHold | undefined {
    return this.#lock !== undefined && this.#companion?.token === this.#lock.stored
      ? this.#companion
      : undefined;
  }

  get #count(): number {
    if (this.writer.name === "redisson") return this.#lock?.count ?? 0;
    return this.#described?.count ?? (this.#lock === undefined ? 0 : 1);
  }

  #addCount(by: number): void {
    if (this.#lock !== undefined && this.writer.name === "redisson") this.#lock.count += by;
    // In the format `redisson`, the lock itself contains the count. The companion only has a copy.
    if (this.#companion !== undefined)
      this.#companion.count = this.#count + (this.writer.name === "redisson" ? 0 : by);
  }

  #end(requests: DescribedHold["requests"]): void {
    const fence = this.#companion?.fence ?? "";
    this.#lock = undefined;
    this.#companion = { token: "", fence, count: 0, principal: "", requests };
  }

  #judge(token: string, fence: string, principal: string): "held" | "lost" | "not_owner" {
    if (this.#lock?.stored !== token) return "lost";
    const described = this.#described;
    if (described === undefined)
      return principal === "" && this.writer.name !== "timestamp" ? "held" : "lost";
    if (described.fence !== fence) return "lost";
    return described.principal === principal ? "held" : "not_owner";
  }

  #expect(reply: unknown, expected: object): void {
    expect(reply, this.#where).toMatchObject(expected);
  }

  async #compare(): Promise<void> {
    const { name } = this.writer;
    const content =
      name === "redisson" ? await this.direct.hgetall(this.#key) : await this.direct.get(this.#key);
    const { stored, count } = this.#lock ?? { stored: "", count: 0 };
    if (name === "redisson")
      expect(content, this.#where).toEqual(stored === "" ? {} : { [stored]: String(count) });
    else if (name === "token") expect(content, this.#where).toBe(stored === "" ? null : stored);
    else expect(content === null, this.#where).toBe(stored === "");
    const companion = parseCompanion((await this.direct.get(String(buildCompanionKey(this.#key)))) ?? "");
    const described = this.#described;
    if (described === undefined) return;
    expect(companion, this.#where).toMatchObject({
      token: described.token,
      fence: described.fence,
      owner: OWNER,
    });
    if (name !== "redisson") expect(companion?.count, this.#where).toBe(described.count);
  }
}
