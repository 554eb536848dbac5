import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { expect } from "vitest";
import { buildConditionKeys } from "../../server/formats/condition-keys.ts";
import type {
  AwaitReply,
  ConditionKind,
  ConditionScripts,
  LeaveMode,
} from "../../server/formats/conditions/condition-scripts.ts";
import type { LockWriter } from "../../server/formats/lock-writer.ts";
import type { AcquireReply } from "../../server/formats/script-replies.ts";
import { CONDITION_CLIENTS, type ConditionName, type ConditionStep } from "./condition-steps.ts";

const CHANNEL = "condition-machine";
const LIMITS = { waitersMax: 1000, fairWaitMs: 300_000 };
const PLAIN = { record: undefined, graceMs: 0, minHoldMs: 0, unit: "ms" as const, leaseMs: 60_000 };

/** The scripts of a lock and of its conditions that are compared with the model. */
export interface ScriptsUnderTest {
  readonly kind: ConditionKind;
  readonly writer: LockWriter;
  readonly conditions: ConditionScripts;
}

interface Hold {
  readonly client: number;
  readonly token: string;
  readonly fence: string;
  count: number;
}

interface Waiter {
  readonly id: string;
  readonly condition: ConditionName;
  /** Position in the order in which clients began to wait. */
  readonly number: number;
  readonly given: Hold;
  state: "waiting" | "signalled" | "stopped" | "expired";
  /**
   * Number of the last waiter when the signal that this waiter received was sent. The signal can only pass to waiters
   * up to this number.
   */
  bound: number | undefined;
  /** Whether Redis counts the client of this waiter as alive. */
  isAlive: boolean;
}

/**
 * Runs steps on the conditions of a lock in Redis and compares the result with a model, which is a list of waiters with
 * states. A signal belongs to one waiter. If this waiter leaves or dies, the signal passes to another waiter that was
 * waiting when the signal was sent. The signal is used when its waiter holds the lock again with the count that it gave
 * up.
 */
export class ConditionMachine {
  readonly #key = `lock:${randomUUID()}`;
  readonly #keys = buildConditionKeys(this.#key).map(String);
  readonly #lock: { readonly key: string; readonly kind: ConditionKind };
  #waiters: Waiter[] = [];
  readonly #ended: (Hold | undefined)[] = Array.from({ length: CONDITION_CLIENTS }, () => undefined);
  #holder: Hold | undefined;
  /** The waiter whose hold the current holder resumed, for repeated requests of the same await. */
  #restored: { readonly waiter: Waiter } | undefined;
  #signalled:
    | {
        readonly id: string;
        readonly condition: ConditionName;
        readonly who: "one" | "all";
        readonly count: number;
      }
    | undefined;
  #lastFence = 0n;
  #ids = 0;
  #numbers = 0;
  #where = "";

  constructor(
    private readonly direct: Redis,
    private readonly scripts: ScriptsUnderTest,
  ) {
    this.#lock = { key: this.#key, kind: scripts.kind };
  }

  async run(step: ConditionStep, where: string): Promise<void> {
    this.#where = where;
    await this.#perform(step);
    await this.#compare();
  }

  #perform(step: ConditionStep): Promise<void> | void {
    switch (step.do) {
      case "acquire":
        return this.#acquire(step.client);
      case "wait":
        return this.#wait(step.client, step.condition);
      case "await":
        return this.#await(step.condition);
      case "signal":
      case "signal_all":
        return this.#signal(step.condition, step.do === "signal" ? "one" : "all");
      case "repeat_signal":
        return this.#repeatSignal();
      case "reenter":
        return this.#reenter();
      case "release":
      case "expire":
        return this.#end(step.do);
      case "await_lost":
      case "signal_lost":
        return this.#tryEndedHold(step.client, step.do);
      case "repeat_await":
        return this.#repeatAwait(step.client);
      default:
        return this.#change(step.client, step.do);
    }
  }

  async #acquire(client: number): Promise<void> {
    if (this.#holder !== undefined || this.#findWaiter(client) !== undefined) return;
    this.#begin(client, 1, await this.#sendAcquire(this.#createId()));
  }

  async #wait(client: number, condition: ConditionName): Promise<void> {
    await this.#acquire(client);
    if (this.#holder?.client === client) await this.#await(condition);
  }

  /** Sends an acquire. @param restores ID of the waiter whose hold is resumed */
  #sendAcquire(id: string, restores?: string): Promise<AcquireReply> {
    const token = `${randomUUID()}:1`;
    const ask = {
      ...PLAIN,
      token,
      owner: "checkout",
      id,
      digest: "-",
      restores,
      fairWaitMs: LIMITS.fairWaitMs,
    };
    return this.scripts.writer.acquire(this.direct, CHANNEL, this.#key, ask);
  }

  #begin(client: number, count: number, reply: AcquireReply): void {
    this.#expectEqual(reply.outcome, "granted");
    if (reply.outcome !== "granted") return;
    this.#expectEqual([reply.count, reply.how], [count, "acquired"]);
    this.#expectEqual(BigInt(reply.fence) > this.#lastFence, true);
    this.#lastFence = BigInt(reply.fence);
    this.#holder = { client, token: reply.token, fence: reply.fence, count };
    this.#restored = undefined;
    this.#signalled = undefined;
  }

  async #await(condition: ConditionName): Promise<void> {
    const hold = this.#holder;
    if (hold === undefined) return;
    const id = this.#createId();
    this.#expectWaiting(await this.#sendAwait(hold, id, condition), "waiting", hold.count);
    this.#expire();
    this.#finish();
    const number = ++this.#numbers;
    this.#waiters.push({
      id,
      condition,
      number,
      given: hold,
      state: "waiting",
      bound: undefined,
      isAlive: true,
    });
  }

  #sendAwait({ token, fence }: Hold, id: string, condition: ConditionName): Promise<AwaitReply> {
    const ask = { token, fence, id, digest: "-", condition };
    return this.scripts.conditions.await(this.direct, CHANNEL, this.#lock, ask, LIMITS);
  }

  async #repeatAwait(client: number): Promise<void> {
    const waiter = this.#findWaiter(client);
    if (waiter === undefined) {
      const restored = this.#restored?.waiter;
      if (restored?.given.client !== client) return;
      const reply = await this.#sendAwait(restored.given, restored.id, restored.condition);
      return this.#expectEqual(reply.outcome, "done");
    }
    const reply = await this.#sendAwait(waiter.given, waiter.id, waiter.condition);
    this.#revive(waiter);
    this.#expectWaiting(reply, waiter.state, waiter.given.count);
  }

  async #signal(condition: ConditionName, who: "one" | "all"): Promise<void> {
    if (this.#holder === undefined) return;
    const id = this.#createId();
    const reply = await this.#sendSignal(this.#holder, id, condition, who);
    this.#expire();
    const waiting = this.#waiters.filter((each) => each.state === "waiting" && each.condition === condition);
    const bound = waiting.at(-1)?.number;
    const chosen = who === "one" ? waiting.slice(0, 1) : waiting;
    for (const each of chosen) Object.assign(each, { state: "signalled", bound });
    this.#expectEqual(reply, { outcome: "signalled", asOf: expect.any(Number), count: chosen.length });
    this.#signalled = { id, condition, who, count: chosen.length };
  }

  #sendSignal({ token, fence }: Hold, id: string, condition: ConditionName, who: "one" | "all") {
    const ask = { token, fence, id, digest: "-", condition };
    return this.scripts.conditions.signal(this.direct, this.#lock, ask, who);
  }

  async #repeatSignal(): Promise<void> {
    if (this.#holder === undefined || this.#signalled === undefined) return;
    const { id, condition, who, count } = this.#signalled;
    const reply = await this.#sendSignal(this.#holder, id, condition, who);
    if (count === 0) this.#expire();
    this.#expectEqual(reply, { outcome: "signalled", asOf: expect.any(Number), count });
  }

  /** Executes a step that changes a single waiter. */
  async #change(client: number, what: "renew" | "die" | "reacquire" | LeaveMode): Promise<void> {
    const waiter = this.#findWaiter(client);
    if (waiter === undefined) return;
    if (what === "die") return await this.#die(waiter);
    if (what === "reacquire") return await this.#reacquire(waiter);
    if (what === "renew") {
      const [status] = await this.scripts.conditions.renew(this.direct, this.#key, [waiter.id]);
      this.#revive(waiter);
      this.#expire();
      return this.#expectEqual(status?.state, waiter.state);
    }
    const status = await this.scripts.conditions.leave(this.direct, this.#key, waiter.id, what, 5000);
    this.#revive(waiter);
    if (what === "stop") {
      if (waiter.state === "waiting") waiter.state = "stopped";
      this.#expectEqual(status.state, waiter.state);
    } else if (what === "leave") {
      this.#waiters = this.#waiters.filter((each) => each !== waiter);
      this.#expire();
      if (waiter.state === "signalled") this.#pass(waiter);
    }
  }

  /** Expires the heartbeat of a waiter, so that the next script detects its death. */
  async #die(waiter: Waiter): Promise<void> {
    if (waiter.state === "expired") return;
    await this.direct.zadd(this.#keys[2] ?? "", "1", waiter.id);
    waiter.isAlive = false;
  }

  async #reacquire(waiter: Waiter): Promise<void> {
    const reply = await this.#sendAcquire(waiter.id, waiter.id);
    if (waiter.state === "waiting") return this.#expectEqual(reply.outcome, "lost");
    if (this.#holder !== undefined) return this.#expectEqual(reply.outcome, "held");
    this.#begin(waiter.given.client, waiter.given.count, reply);
    this.#waiters = this.#waiters.filter((each) => each !== waiter);
    this.#restored = { waiter };
  }

  async #reenter(): Promise<void> {
    if (this.#holder === undefined) return;
    const { token, fence } = this.#holder;
    const ask = { token, fence, leaseMs: undefined, id: this.#createId(), digest: "-" };
    const reply = await this.scripts.writer.reenter(this.direct, CHANNEL, this.#key, ask);
    this.#expectEqual(reply.outcome, "granted");
    this.#holder.count++;
  }

  async #end(how: "release" | "expire"): Promise<void> {
    const hold = this.#holder;
    if (hold === undefined) return;
    if (how === "expire") await this.direct.del(this.#key);
    else await this.#release(hold);
    if (how === "expire" || hold.count === 0) this.#finish();
  }

  async #release(hold: Hold): Promise<void> {
    const { token, fence } = hold;
    const ask = { token, fence, id: this.#createId(), digest: "d", fairWaitMs: LIMITS.fairWaitMs };
    const reply = await this.scripts.writer.release(this.direct, CHANNEL, this.#key, ask);
    hold.count--;
    this.#expectEqual(reply.outcome, hold.count === 0 ? "released" : "still_held");
  }

  /** Ends the hold of the current holder in the model. */
  #finish(): void {
    if (this.#holder !== undefined) this.#ended[this.#holder.client] = this.#holder;
    this.#holder = undefined;
    this.#restored = undefined;
    this.#signalled = undefined;
  }

  async #tryEndedHold(client: number, how: "await_lost" | "signal_lost"): Promise<void> {
    const hold = this.#ended[client];
    if (hold === undefined) return;
    const id = this.#createId();
    const reply =
      how === "await_lost"
        ? await this.#sendAwait(hold, id, "full")
        : await this.#sendSignal(hold, id, "full", "all");
    this.#expectEqual(reply.outcome, "lost");
  }

  #revive(waiter: Waiter): void {
    waiter.isAlive = true;
    if (waiter.state === "expired") waiter.state = "stopped";
  }

  /** Expires the waiters whose clients died and then passes their signals on, in the order of their IDs as in Redis. */
  #expire(): void {
    const dead = this.#waiters.filter(({ isAlive, state }) => !isAlive && state !== "expired");
    dead.sort((a, b) => (a.id < b.id ? -1 : 1));
    const unused = dead.filter(({ state }) => state === "signalled");
    for (const each of dead) each.state = "expired";
    for (const each of unused) this.#pass(each);
  }

  #pass({ condition, bound = 0 }: Waiter): void {
    const next = this.#waiters.find(
      (each) => each.state === "waiting" && each.condition === condition && each.number <= bound,
    );
    if (next !== undefined) Object.assign(next, { state: "signalled", bound });
  }

  async #compare(): Promise<void> {
    const [order = "", records = "", beats = ""] = this.#keys;
    const places = await this.direct.zrange(order, "0", "-1");
    const stored = await this.direct.hgetall(records);
    const alive = await this.direct.zrange(beats, "0", "-1");
    const waiting = this.#waiters.filter(({ state }) => state === "waiting");
    const seen = Object.entries(stored).map(([id, text]) => {
      const [state, condition, number, , , count] = text.split("\n")[0]?.split("\t") ?? [];
      return { id, state, condition, count: Number(count), number: Number(number) };
    });
    // The stored numbers are server times, so only their order can be compared.
    const numbers = new Map(this.#waiters.map(({ id, number }) => [id, number]));
    for (const one of seen)
      for (const other of seen) {
        const isBefore = (numbers.get(one.id) ?? 0) < (numbers.get(other.id) ?? 0);
        this.#expectEqual(one.number < other.number, isBefore);
      }
    this.#expectEqual(
      seen.map(({ id, state, condition, count }) => ({ id, state, condition, count })).sort(byId),
      this.#waiters
        .map(({ id, state, condition, given }) => ({ id, state, condition, count: given.count }))
        .sort(byId),
    );
    for (const name of ["full", "full-2"]) {
      const ids = places
        .filter((place) => place.startsWith(`${name}\t`))
        .map((place) => place.split("\t")[2]);
      this.#expectEqual(
        ids,
        waiting.filter(({ condition }) => condition === name).map(({ id }) => id),
      );
    }
    this.#expectEqual(alive.sort(), this.#waiters.map(({ id }) => id).sort());
    const holder = this.#holder;
    const lock = holder === undefined ? {} : { [holder.token]: String(holder.count) };
    this.#expectEqual(await this.direct.hgetall(this.#key), lock);
  }

  #findWaiter(client: number): Waiter | undefined {
    return this.#waiters.find(({ given }) => given.client === client);
  }

  #createId(): string {
    return `w${String(++this.#ids).padStart(6, "0")}`;
  }

  #expectWaiting(reply: AwaitReply, state: Waiter["state"], count: number): void {
    this.#expectEqual(reply.outcome === "waiting" && [reply.state, reply.count, reply.leaseMs, reply.owner], [
      state,
      count,
      PLAIN.leaseMs,
      "checkout",
    ]);
  }

  #expectEqual(actual: unknown, expected: unknown): void {
    expect(actual, this.#where).toEqual(expected);
  }
}

const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);
