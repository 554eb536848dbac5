import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type { Redis } from "ioredis";
import { expect } from "vitest";
import { buildCompanionKey, buildHolderCompanionKey } from "../../server/formats/keys.ts";
import type { LockWriter } from "../../server/formats/lock-writer.ts";
import type { WriteWriter } from "../../server/formats/redisson/read-write-writer.ts";
import { RedissonReadWriteThread } from "./redisson-read-write.ts";

const CHANNEL = "read-write-machine";
const SLOTS = 3;
const THREADS = 2;
/** Leases in milliseconds that do not end during a test and can be distinguished by their TTLs. */
const LEASES_MS = [100_000, 200_000, 300_000];
const TOLERANCE_MS = 20_000;

const slot = fc.nat(SLOTS - 1);
const thread = fc.nat(THREADS - 1);
const leaseMs = fc.constantFrom(...LEASES_MS);

/** Generates random steps of clients of Lockkeeper and Redisson, and changes to keys. */
export const readWriteStep = fc.oneof(
  {
    arbitrary: fc.record({ do: fc.constantFrom("acquire_read", "acquire_write"), slot, leaseMs }),
    weight: 6,
  },
  {
    arbitrary: fc.record({
      do: fc.constantFrom("release", "renew", "reenter", "downgrade", "verify"),
      slot,
      leaseMs,
    }),
    weight: 8,
  },
  {
    arbitrary: fc.record({ do: fc.constantFrom("repeat_acquire", "release_again"), slot, leaseMs }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      do: fc.constantFrom("lock_read", "lock_write", "unlock_read", "unlock_write"),
      slot: thread,
      leaseMs,
    }),
    weight: 6,
  },
  { arbitrary: fc.record({ do: fc.constantFrom("end_lease", "evict_companion"), slot, leaseMs }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constantFrom("end_foreign_lease"), slot: thread, leaseMs }), weight: 1 },
  { arbitrary: fc.record({ do: fc.constantFrom("delete"), slot, leaseMs }), weight: 1 },
);
export type ReadWriteStep = typeof readWriteStep extends fc.Arbitrary<infer Step> ? Step : never;

interface Slot {
  kind: "read" | "write";
  token: string;
  readonly fence: string;
  readonly request: { readonly id: string; readonly digest: string };
  readonly leaseMs: number;
  isDescribed: boolean;
  /** Whether the companion of this hold still has the request of its acquire. */
  isRemembered: boolean;
  isReleased: boolean;
}

/**
 * A reader or a writer in the lock. `leases` contains the numbers of a reader's acquires whose lease keys exist. A
 * writer has none.
 */
interface Field {
  count: number;
  readonly leases: Set<number>;
}

/**
 * Runs steps on a read/write lock in Redis and compares the result with a model of its holders, counts, leases and
 * fencing tokens.
 */
export class ReadWriteMachine {
  readonly #key = `lock:${randomUUID()}`;
  readonly #client = randomUUID();
  readonly #threads: readonly RedissonReadWriteThread[];
  readonly #slots: (Slot | undefined)[] = [];
  readonly #fields = new Map<string, Field>();
  #mode: "read" | "write" | undefined;
  #tokens = 0;
  #highestFence = 0n;
  /** Fencing token of the next reader. `undefined` if the next reader gets a new token. */
  #readerFence: string | undefined;
  #where = "";

  constructor(
    private readonly direct: Redis,
    private readonly writers: { readonly read: LockWriter; readonly write: WriteWriter },
  ) {
    this.#threads = Array.from(
      { length: THREADS },
      (_, at) => new RedissonReadWriteThread(direct, this.#key, `${randomUUID()}:${at + 1}`),
    );
  }

  async run(step: ReadWriteStep, where: string): Promise<void> {
    this.#where = where;
    await this.#perform(step);
    await this.#compare();
  }

  async #perform({ do: action, slot: at, leaseMs: lease }: ReadWriteStep): Promise<void> {
    if (action === "acquire_read" || action === "acquire_write")
      return await this.#acquire(at, action === "acquire_read" ? "read" : "write", lease);
    const own = this.#slots[at];
    const jvm = this.#threads[at];
    switch (action) {
      case "lock_read":
      case "lock_write":
      case "unlock_read":
      case "unlock_write":
        return jvm && (await this.#runThread(action, jvm, lease));
      case "end_foreign_lease":
        return jvm && (await this.#endLeases(jvm.owner));
      case "delete":
        await this.direct.del(this.#key);
        return this.#clear();
    }
    if (own === undefined) return;
    switch (action) {
      case "end_lease":
        return await this.#endLeases(own.token);
      case "evict_companion":
        return await this.#evict(own);
      case "repeat_acquire":
        return await this.#repeat(own);
      case "release_again":
        return own.isReleased ? await this.#release(own) : undefined;
      case "downgrade":
        return await this.#downgrade(own);
      case "release":
        return await this.#release(own);
      default:
        return await this.#prolong(action, own, lease);
    }
  }

  async #acquire(at: number, kind: "read" | "write", lease: number): Promise<void> {
    const token = `${this.#client}:${++this.#tokens}${kind === "write" ? ":write" : ""}`;
    const request = { id: `a${this.#tokens}`, digest: "d" };
    const reply = await this.#send(kind, token, request, lease);
    const isGranted =
      this.#mode === undefined || (this.#mode === "read" && (kind === "read" || !this.#hasLive()));
    if (!isGranted) {
      this.#expect(reply, { outcome: "held" });
      return;
    }
    this.#expect(reply, { outcome: "granted", how: "acquired", token, count: 1, leaseMs: lease });
    if (reply.outcome !== "granted") return;
    this.#checkFence(kind, reply.fence);
    this.#removeDead();
    this.#mode = kind;
    this.#fields.set(token, { count: 1, leases: new Set(kind === "read" ? [1] : []) });
    const { fence } = reply;
    const flags = { isDescribed: true, isRemembered: true, isReleased: false };
    this.#slots[at] = { kind, token, fence, request, leaseMs: lease, ...flags };
    // The lock's companion only describes the last writer.
    if (kind === "write") this.#forgetOtherWriters(this.#slots[at]);
  }

  #send(kind: "read" | "write", token: string, request: { id: string; digest: string }, lease: number) {
    return this.writers[kind].acquire(this.direct, CHANNEL, this.#key, {
      ...{ token, owner: "me", leaseMs: lease, record: undefined, graceMs: 0, minHoldMs: 0, unit: "ms" },
      ...request,
    });
  }

  async #repeat(own: Slot): Promise<void> {
    if (!own.isRemembered) return;
    const reply = await this.#send(own.kind, own.token, own.request, own.leaseMs);
    const isHeld = this.#isHeld(own) && own.isDescribed;
    const count = this.#fields.get(own.token)?.count;
    this.#expect(
      reply,
      isHeld ? { outcome: "granted", how: "repeated", token: own.token, count } : { outcome: "lost" },
    );
  }

  async #prolong(verb: "renew" | "reenter" | "verify", own: Slot, lease: number): Promise<void> {
    const { kind, token, fence } = own;
    const writer = this.writers[kind];
    const isHeld = this.#isHeld(own);
    const field = this.#fields.get(token);
    if (verb === "verify") {
      const reply = await writer.verify(this.direct, this.#key, { token, fence });
      return this.#expect(reply, isHeld ? { outcome: "held", count: field?.count } : { outcome: "lost" });
    }
    const ask = { token, fence, leaseMs: lease, id: `u${++this.#tokens}`, digest: "d" };
    if (verb === "renew") {
      const reply = await writer.renew(this.direct, CHANNEL, this.#key, ask);
      return this.#expect(reply, isHeld ? { outcome: "granted", count: field?.count } : { outcome: "lost" });
    }
    const reply = await writer.reenter(this.direct, CHANNEL, this.#key, ask);
    if (!isHeld || !own.isDescribed || field === undefined) return this.#expect(reply, { outcome: "lost" });
    field.count++;
    if (kind === "read") field.leases.add(field.count);
    this.#expect(reply, { outcome: "granted", how: "reentered", count: field.count, fence });
  }

  async #release(own: Slot): Promise<void> {
    const { kind, token, fence } = own;
    const ask = { token, fence, id: `r${++this.#tokens}`, digest: "d" };
    const reply = await this.writers[kind].release(this.direct, CHANNEL, this.#key, ask);
    const field = this.#fields.get(token);
    if (!this.#isHeld(own) || field === undefined) return this.#expect(reply, { outcome: "not_held" });
    if (field.count > 1) {
      field.leases.delete(field.count--);
      return this.#expect(reply, { outcome: "still_held", count: field.count });
    }
    this.#expect(reply, { outcome: "released", count: 0 });
    own.isReleased = true;
    own.isDescribed = false;
    this.#fields.delete(token);
    if (this.#mode === "read") this.#removeDead();
    if (this.#fields.size === 0) this.#clear();
  }

  async #downgrade(own: Slot): Promise<void> {
    if (own.kind !== "write") return;
    const reader = own.token.replace(/:write$/, "");
    const ask = { token: own.token, fence: own.fence, reader };
    const reply = await this.writers.write.downgrade(this.direct, CHANNEL, this.#key, ask);
    const field = this.#fields.get(own.token);
    if (!this.#isHeld(own) || !own.isDescribed || field === undefined)
      return this.#expect(reply, { outcome: "lost" });
    if (field.count > 1) return this.#expect(reply, { outcome: "reentered", count: field.count });
    this.#expect(reply, { outcome: "granted", how: "acquired", token: reader, fence: own.fence, count: 1 });
    this.#expect(await this.writers.write.downgrade(this.direct, CHANNEL, this.#key, ask), {
      ...{ outcome: "granted", how: "repeated", token: reader, fence: own.fence, count: 1 },
    });
    this.#fields.delete(own.token);
    this.#fields.set(reader, { count: 1, leases: new Set([1]) });
    this.#mode = "read";
    Object.assign(own, { kind: "read", token: reader, isRemembered: false });
  }

  async #runThread(
    action: "lock_read" | "lock_write" | "unlock_read" | "unlock_write",
    jvm: RedissonReadWriteThread,
    lease: number,
  ): Promise<void> {
    const owns = this.#fields.has(jvm.writer);
    if (action === "lock_read") {
      const isGranted = this.#mode === undefined || this.#mode === "read" || owns;
      expect(await jvm.lockRead(lease), this.#where).toBe(isGranted);
      if (!isGranted) return;
      this.#mode ??= "read";
      const field = this.#fields.get(jvm.owner) ?? { count: 0, leases: new Set<number>() };
      field.leases.add(++field.count);
      this.#fields.set(jvm.owner, field);
    } else if (action === "lock_write") {
      const isGranted = this.#mode === undefined || (this.#mode === "write" && owns);
      expect(await jvm.lockWrite(lease), this.#where).toBe(isGranted);
      if (!isGranted) return;
      this.#mode = "write";
      const field = this.#fields.get(jvm.writer) ?? { count: 0, leases: new Set<number>() };
      field.count++;
      this.#fields.set(jvm.writer, field);
    } else if (action === "unlock_read") {
      await jvm.unlockRead();
      const field = this.#fields.get(jvm.owner);
      if (field === undefined) return;
      field.leases.delete(field.count--);
      if (field.count === 0) this.#fields.delete(jvm.owner);
      const hasLease = [...this.#fields.values()].some(({ leases }) => leases.size > 0);
      if (this.#fields.size === 0 || (!hasLease && this.#mode === "read")) this.#clear();
    } else {
      await jvm.unlockWrite(lease);
      const field = this.#fields.get(jvm.writer);
      if (field === undefined || this.#mode !== "write") return;
      if (--field.count > 0) return;
      this.#fields.delete(jvm.writer);
      if (this.#fields.size === 0) this.#clear();
      else this.#mode = "read";
    }
  }

  /** Ends the leases of a reader, as if they had expired. */
  async #endLeases(token: string): Promise<void> {
    const field = this.#fields.get(token);
    if (field === undefined || token.endsWith(":write")) return;
    for (const entry of field.leases) await this.direct.del(this.#getLeaseKey(token, entry));
    field.leases.clear();
  }

  async #evict(own: Slot): Promise<void> {
    const isRead = own.kind === "read";
    await this.direct.del(
      String(isRead ? buildHolderCompanionKey(this.#key, own.token) : buildCompanionKey(this.#key)),
    );
    if (isRead) Object.assign(own, { isDescribed: false, isRemembered: false });
    else {
      this.#readerFence = undefined;
      for (const each of this.#slots)
        if (each?.kind === "write") Object.assign(each, { isDescribed: false, isRemembered: false });
    }
  }

  #checkFence(kind: "read" | "write", fence: string): void {
    if (kind === "read" && this.#readerFence !== undefined) {
      expect(fence, this.#where).toBe(this.#readerFence);
      return;
    }
    expect(BigInt(fence), this.#where).toBeGreaterThan(this.#highestFence);
    this.#highestFence = BigInt(fence);
    this.#readerFence = fence;
  }

  #forgetOtherWriters(present: Slot | undefined): void {
    for (const each of this.#slots) if (each?.kind === "write" && each !== present) each.isDescribed = false;
  }

  #getLeaseKey = (token: string, entry: number) => `{${this.#key}}:${token}:rwlock_timeout:${entry}`;

  #isHeld({ kind, token }: Slot): boolean {
    const field = this.#fields.get(token);
    if (field === undefined) return false;
    return kind === "write" ? this.#mode === "write" : this.#mode === "read" && field.leases.size > 0;
  }

  #hasLive(): boolean {
    return [...this.#fields.values()].some(({ leases }) => leases.size > 0);
  }

  #removeDead(): void {
    for (const [token, { leases }] of this.#fields) if (leases.size === 0) this.#fields.delete(token);
  }

  #clear(): void {
    this.#fields.clear();
    this.#mode = undefined;
  }

  #expect(reply: unknown, expected: object): void {
    expect(reply, this.#where).toMatchObject(expected);
  }

  /** Compares the hash, the leases of each reader and the TTL of the lock with the model. */
  async #compare(): Promise<void> {
    const counts = [...this.#fields].map(([token, { count }]) => [token, String(count)]);
    const stored = this.#mode === undefined ? {} : { mode: this.#mode, ...Object.fromEntries(counts) };
    expect(await this.direct.hgetall(this.#key), this.#where).toEqual(stored);
    let longestMs = 0;
    for (const [token, { count, leases }] of this.#fields) {
      const keys = Array.from({ length: count + 1 }, (_, at) => this.#getLeaseKey(token, at + 1));
      const pttls = await Promise.all(keys.map((key) => this.direct.pttl(key)));
      const present = pttls.flatMap((ms, at) => (ms > 0 ? [at + 1] : []));
      const isOurs = token.startsWith(this.#client);
      // Redisson does not delete the lease key of an acquire that it has released.
      if (isOurs || present.length === leases.size) expect(present, this.#where).toEqual([...leases].sort());
      if (isOurs && this.#mode === "read" && leases.size > 0)
        expect(Math.min(...pttls.slice(0, count)), this.#where).toBeGreaterThan(0);
      longestMs = Math.max(longestMs, ...pttls.slice(0, count));
    }
    if (this.#mode === undefined) return;
    const ttlMs = await this.direct.pttl(this.#key);
    expect(ttlMs, this.#where).toBeGreaterThan(0);
    if (this.#mode === "read") expect(ttlMs, this.#where).toBeGreaterThanOrEqual(longestMs - TOLERANCE_MS);
  }
}
