import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { expect } from "vitest";
import { buildFairKeys } from "../../server/formats/keys.ts";
import { FAIR_WAIT_MS } from "../../server/formats/lock-requests.ts";
import type { LockWriter } from "../../server/formats/lock-writer.ts";
import type { QueueDeparture } from "../../server/formats/stop-waiting.ts";
import { FAIR_CLIENTS, type FairStep } from "./fair-steps.ts";
import { observeLock } from "./observed-lock.ts";
import { RedissonFixture } from "./redisson-fixture.ts";

const CHANNEL = "fair-machine";
const LEASE_MS = 60_000;
const WAIT_MS = 60_000;

/** The scripts of fair locks that are compared with the model. */
export interface FairScripts {
  readonly writer: LockWriter;
  leave(redis: Redis, channel: string, key: string, departure: QueueDeparture): Promise<unknown>;
  forceRelease(redis: Redis, key: string): Promise<string>;
}

interface Waiter {
  readonly id: string;
  readonly side: "ours" | "theirs";
  /** `gone`: the heartbeat or the timeout of the waiter has passed. `kept`: the waiter left and may return. */
  state: "alive" | "gone" | "kept";
}

interface Wait {
  readonly id: string;
  readonly requestId: string;
  sinceMs: number | undefined;
}

type Holder =
  | { readonly side: "ours"; readonly token: string; readonly fence: string }
  | { readonly side: "theirs"; readonly thread: number }
  | { readonly side: "reserved" };

/**
 * Runs steps on a fair lock in Redis and compares the result with a model, which is the list of waiters in order of
 * arrival. Only the first live waiter can acquire the lock, and every change that allows this waiter to acquire the
 * lock wakes it.
 */
export class FairMachine {
  readonly #key = `lock:${randomUUID()}`;
  readonly #client = randomUUID();
  readonly #theirs: RedissonFixture;
  readonly #waits: (Wait | undefined)[] = Array.from({ length: FAIR_CLIENTS }, () => undefined);
  readonly #woken: string[] = [];
  #queue: Waiter[] = [];
  #holder: Holder | undefined;
  #shouldWake: string[] = [];
  #ids = 0;
  /**
   * Tolerance of the timeouts in milliseconds. A force-release does not shorten the timeouts, because it does not know
   * the fair wait time.
   */
  #extraMs = 0;
  #where = "";

  private constructor(
    private readonly direct: Redis,
    private readonly listener: Redis,
    private readonly scripts: FairScripts,
  ) {
    this.#theirs = new RedissonFixture(direct);
  }

  /**
   * Creates a machine and subscribes to the messages that wake waiters.
   *
   * @param listener a separate connection for the subscription
   */
  static async create(direct: Redis, listener: Redis, scripts: FairScripts): Promise<FairMachine> {
    const machine = new FairMachine(direct, listener, scripts);
    listener.on("pmessage", machine.#hear);
    await listener.psubscribe(`${machine.#channel}:*`);
    return machine;
  }

  async close(): Promise<void> {
    this.listener.off("pmessage", this.#hear);
    await this.listener.punsubscribe(`${this.#channel}:*`);
  }

  async run(step: FairStep, where: string): Promise<void> {
    this.#where = where;
    this.#shouldWake = [];
    this.#woken.length = 0;
    await this.#perform(step);
    await this.#compare();
  }

  get #channel(): string {
    return this.#theirs.channels.lock(this.#key);
  }

  readonly #hear = (_: string, channel: string) => {
    this.#woken.push(channel.slice(this.#channel.length + 1));
  };

  #perform(step: FairStep): Promise<void> {
    if ("theirs" in step)
      return step.do === "wait" ? this.#waitTheirs(step.theirs) : this.#timeOut(step.theirs);
    if (!("ours" in step)) return step.do === "expire" ? this.#expire() : this.#end(step.do);
    if (step.do === "wait") return this.#waitOurs(step.ours);
    if (step.do === "acquire_now") return this.#acquireNow();
    return step.do === "stall" ? this.#stall(step.ours) : this.#leave(step.ours, step.do);
  }

  async #waitOurs(at: number): Promise<void> {
    const wait: Wait = this.#waits[at] ?? {
      id: `${this.#client}:${++this.#ids}`,
      requestId: `w${this.#ids}`,
      sinceMs: undefined,
    };
    const waiting = { waitMs: WAIT_MS, sinceMs: wait.sinceMs, waitersMax: 1000 };
    const reply = await this.#acquire(wait.id, wait.requestId, waiting);
    this.#prune(wait.id);
    const isFirst = this.#holder === undefined && (this.#first === undefined || this.#first.id === wait.id);
    if (isFirst) {
      this.#expectReply(reply, "granted");
      this.#remove(wait.id);
      this.#waits[at] = undefined;
      if (reply.outcome === "granted")
        this.#holder = { side: "ours", token: reply.token, fence: reply.fence };
      return;
    }
    this.#expectReply(reply, "held");
    if (reply.outcome === "held") wait.sinceMs ??= reply.asOf;
    this.#waits[at] = wait;
    const queued = this.#queue.find(({ id }) => id === wait.id);
    if (queued === undefined) this.#queue.push({ id: wait.id, side: "ours", state: "alive" });
    else queued.state = "alive";
    this.#expectNudge();
  }

  async #acquireNow(): Promise<void> {
    const id = `${this.#client}:${++this.#ids}`;
    const reply = await this.#acquire(id, `n${this.#ids}`);
    this.#prune();
    if (this.#holder !== undefined || this.#first !== undefined) {
      this.#expectReply(reply, "held");
      return this.#expectNudge();
    }
    this.#expectReply(reply, "granted");
    if (reply.outcome === "granted") this.#holder = { side: "ours", token: reply.token, fence: reply.fence };
  }

  #acquire(token: string, id: string, waiting?: Parameters<LockWriter["acquire"]>[4]) {
    const plain = { record: undefined, graceMs: 0, minHoldMs: 0, unit: "ms" as const };
    const ask = { token, owner: "checkout", id, digest: "-", leaseMs: LEASE_MS, ...plain };
    return this.scripts.writer.acquire(this.direct, CHANNEL, this.#key, ask, waiting);
  }

  async #waitTheirs(thread: number): Promise<void> {
    if (this.#holder?.side === "theirs" && this.#holder.thread === thread) return;
    const owner = this.#theirs.getOwner(thread);
    const reply = await this.#theirs.acquireFair(this.#key, { thread, leaseMs: LEASE_MS });
    this.#pruneTheirs();
    const isFirst = this.#holder === undefined && (this.#first === undefined || this.#first.id === owner);
    expect(reply === null, this.#where).toBe(isFirst);
    if (isFirst) {
      this.#remove(owner);
      this.#holder = { side: "theirs", thread };
    } else if (!this.#queue.some(({ id }) => id === owner)) {
      const isBehindTimedOut = this.#queue.at(-1)?.state === "gone" && this.#queue.at(-1)?.side === "theirs";
      this.#queue.push({ id: owner, side: "theirs", state: "alive" });
      if (isBehindTimedOut) await this.#postponeTimeout(owner);
    }
  }

  /**
   * Restores the order of the timeouts after a waiter joined behind a timed-out waiter. Redisson computes the timeout
   * of a new waiter from the timeout of the last waiter, which `#timeOut` has ended early. Real timeouts end in the
   * order of the queue.
   */
  async #postponeTimeout(id: string): Promise<void> {
    const untilMs = (await this.#readTime()) + LEASE_MS + this.#queue.length * FAIR_WAIT_MS;
    await this.direct.zadd(this.#theirs.getTimeoutKey(this.#key), "XX", untilMs, id);
  }

  async #end(how: "release" | "release_reserved" | "force_release"): Promise<void> {
    const holder = this.#holder;
    if (holder === undefined) return;
    if (how === "force_release") {
      expect(await this.scripts.forceRelease(this.direct, this.#key), this.#where).toBe("released");
      this.#holder = undefined;
      this.#extraMs += this.#prune() * FAIR_WAIT_MS;
    } else if (holder.side === "ours") await this.#release(holder, how);
    else if (holder.side === "theirs" && how === "release") {
      expect(await this.#theirs.releaseFair(this.#key, holder.thread), this.#where).toBe(true);
      this.#holder = undefined;
      this.#pruneTheirs();
    } else return;
    if (this.#first !== undefined) this.#shouldWake = [this.#first.id];
  }

  async #release(
    { token, fence }: Extract<Holder, { side: "ours" }>,
    how: "release" | "release_reserved",
  ): Promise<void> {
    const reservation =
      how === "release" ? undefined : { owner: "lockkeeper:reserve:mei", reservedMs: LEASE_MS };
    const ask = { token, fence, id: `r${++this.#ids}`, digest: "-", reservation };
    const reply = await this.scripts.writer.release(this.direct, CHANNEL, this.#key, ask);
    expect(reply.outcome, this.#where).toBe("released");
    this.#holder = reservation === undefined ? undefined : { side: "reserved" };
    this.#prune();
  }

  /** Expires the lock. Redis sends no message in this case. */
  async #expire(): Promise<void> {
    await this.direct.pexpire(this.#key, 1);
    while ((await this.direct.exists(this.#key)) === 1);
    this.#holder = undefined;
  }

  async #leave(at: number, how: "leave" | "keep"): Promise<void> {
    const wait = this.#waits[at];
    if (wait === undefined) return;
    const departure = { waiterId: wait.id, sinceMs: wait.sinceMs, owner: "checkout", seenMs: undefined };
    const keepMs = how === "keep" ? 5000 : 0;
    const rest = { keepMs, isKept: false, fairWaitMs: FAIR_WAIT_MS };
    await this.scripts.leave(this.direct, CHANNEL, this.#key, { ...departure, ...rest });
    const queued = this.#queue.find(({ id }) => id === wait.id);
    const isItsTurn = this.#holder === undefined && this.#first?.id === wait.id;
    if (how === "keep" && queued !== undefined && !isItsTurn) {
      queued.state = "kept";
      return;
    }
    this.#remove(wait.id);
    if (how === "leave") this.#waits[at] = undefined;
    if (this.#holder !== undefined) return;
    this.#prune();
    if (this.#first !== undefined) this.#shouldWake = [this.#first.id];
  }

  /** Makes the heartbeat of a waiter expire, as if its process had stopped running. */
  async #stall(at: number): Promise<void> {
    const queued = this.#queue.find(({ id }) => id === this.#waits[at]?.id);
    if (queued === undefined) return;
    const [, , heartbeats = ""] = buildFairKeys(this.#key).map(String);
    await this.direct.zadd(heartbeats, "XX", (await this.#readTime()) - 1, queued.id);
    queued.state = "gone";
  }

  async #timeOut(thread: number): Promise<void> {
    const queued = this.#queue.find(({ id }) => id === this.#theirs.getOwner(thread));
    if (queued === undefined) return;
    const timeouts = this.#theirs.getTimeoutKey(this.#key);
    // If the time had really passed, the timeouts of the waiters behind this one would also be shorter.
    this.#extraMs += LEASE_MS + (this.#queue.indexOf(queued) + 1) * FAIR_WAIT_MS;
    await this.direct.zadd(timeouts, "XX", (await this.#readTime()) - 1, queued.id);
    queued.state = "gone";
  }

  get #first(): Waiter | undefined {
    return this.#queue[0];
  }

  #remove(waiter: string): void {
    this.#queue = this.#queue.filter(({ id }) => id !== waiter);
  }

  /**
   * Removes waiters from the front of the model's queue like Lockkeeper's scripts.
   * @returns the number of removed waiters that were clients of Lockkeeper
   */
  #prune(caller?: string): number {
    let ours = 0;
    for (let head = this.#first; head !== undefined && head.id !== caller; head = this.#first) {
      const isPassedOver = head.state === "kept" && this.#holder === undefined;
      if (head.state !== "gone" && !isPassedOver) break;
      if (head.side === "ours") ours++;
      this.#queue.shift();
    }
    return ours;
  }

  /** Removes waiters from the front of the model's queue like Redisson's scripts, which only use timeouts. */
  #pruneTheirs(): void {
    while (this.#first?.side === "theirs" && this.#first.state === "gone") this.#queue.shift();
  }

  /**
   * Expects a message to the first waiter if it is a client of Redisson and the lock is free. Such a waiter may have
   * missed the end of a lease.
   */
  #expectNudge(): void {
    if (this.#holder === undefined && this.#first?.side === "theirs") this.#shouldWake = [this.#first.id];
  }

  #expectReply({ outcome }: { readonly outcome: string }, wanted: string): void {
    expect(outcome, this.#where).toBe(wanted);
  }

  async #compare(): Promise<void> {
    const [queue = "", timeouts = "", heartbeats = ""] = buildFairKeys(this.#key).map(String);
    const [listed, ends, beats, now, { state }] = await Promise.all([
      this.direct.lrange(queue, 0, -1),
      this.#readScores(timeouts),
      this.#readScores(heartbeats),
      this.#readTime(),
      observeLock(this.direct, this.#key),
      this.#waitForMessages(),
    ]);
    const ids = this.#queue.map(({ id }) => id);
    expect(listed, this.#where).toEqual(ids);
    expect([...ends.keys()].toSorted(), this.#where).toEqual(ids.toSorted());
    for (const [at, each] of this.#queue.entries()) {
      const untilMs = ends.get(each.id) ?? 0;
      // If the timeout of a live waiter passed, Redisson would remove this waiter.
      if (each.side === "ours" && each.state === "alive") expect(untilMs, this.#where).toBeGreaterThan(now);
      const most = now + LEASE_MS + (at + 1) * FAIR_WAIT_MS + this.#extraMs;
      expect(untilMs, this.#where).toBeLessThanOrEqual(most);
      expect(beats.has(each.id), this.#where).toBe(each.side === "ours");
    }
    expect(state === "held", this.#where).toBe(this.#holder !== undefined);
    expect(this.#woken, this.#where).toEqual(this.#shouldWake);
  }

  async #readScores(key: string): Promise<Map<string, number>> {
    const flat = await this.direct.zrange(key, "0", "-1", "WITHSCORES");
    const ids = flat.filter((_, at) => at % 2 === 0);
    return new Map(ids.map((id, at) => [id, Number(flat[2 * at + 1])]));
  }

  /**
   * Waits until all messages published so far have been received. Messages arrive in the order in which they were
   * published.
   */
  async #waitForMessages(): Promise<void> {
    await this.direct.publish(`${this.#channel}:last`, "0");
    while (this.#woken.at(-1) !== "last") await new Promise((resolve) => setImmediate(resolve));
    this.#woken.pop();
  }

  async #readTime(): Promise<number> {
    const [seconds, micros] = (await this.direct.time()).map(Number);
    return (seconds ?? 0) * 1000 + Math.floor((micros ?? 0) / 1000);
  }
}
