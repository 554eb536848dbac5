import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect } from "vitest";
import type { GapEvent, HistoryEntry, LockEvent } from "../../lib/contract/event.ts";
import { isGap } from "../../lib/contract/gap.ts";
import { redisTest } from "../../test/support/fixtures.ts";
import { startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { buildCompanionKey } from "../formats/keys.ts";
import type { HomeStore } from "../home/home-store.ts";
import { openHomeStore } from "../home/open-home-store.ts";
import { Election } from "./election.ts";
import type { EventRetention } from "./events/event-index.ts";
import { type AppendRequest, type AppendResult, EventStore, type Leadership } from "./events/event-store.ts";
import type { UnnumberedEvent } from "./events/stream-entry.ts";
import { Journal, type PublishedEvent } from "./journal.ts";
import { Recorder } from "./recorder.ts";
import type { RecorderTimes } from "./recorder-options.ts";
import { StreamTail } from "./stream-tail.ts";

const SHORT_TIMES = { pollMs: 10, leaseMs: 400, giveWayMs: 60, lagMs: 50 };
const RETENTION: EventRetention = { most: 10_000, ms: 86_400_000 };
let targets = 0;
/** `target` is the name of a target without history. `startInstance` starts an instance that records the target. */
const it = redisTest()
  .extend("target", () => `t${++targets}`)
  .extend("startInstance", ({ redis, target }, { onCleanup }) => {
    const started: Instance[] = [];
    onCleanup(() => {
      // Without this, the instances of a failed test would continue to call a stopped Redis while the tests of other
      // files run.
      for (const instance of started) instance.kill();
    });
    return (options?: { kept?: EventRetention; times?: RecorderTimes }) => {
      const instance = new Instance(redis, target, options);
      started.push(instance);
      return instance;
    };
  });

/** The fault of the next append: it is not sent (`unsent`), or its reply is lost (`unanswered`). */
type StoreFault = "none" | "unsent" | "unanswered";

class FlakyStore extends EventStore {
  fault: StoreFault = "none";

  override async append(lead: Leadership, ask: AppendRequest): Promise<AppendResult> {
    const { fault } = this;
    this.fault = "none";
    if (fault === "unsent") throw new Error("never sent");
    const reply = await super.append(lead, ask);
    if (fault === "unanswered") throw new Error("no answer");
    return reply;
  }
}

/** An instance, with the history that it shows. */
class Instance {
  readonly journal: Journal;
  readonly store: FlakyStore;
  readonly published: PublishedEvent[] = [];
  isWatching = true;
  readonly #recorder: Recorder;
  readonly #tail: StreamTail;
  readonly #connections: HomeStore[];
  #hasEnded = false;

  constructor(
    at: TestRedis,
    private readonly target: string,
    { times = SHORT_TIMES, kept = RETENTION } = {},
  ) {
    const own = openHomeStore(at.url, "history");
    const tail = openHomeStore(at.url, "tail", { commandTimeout: 5000 });
    this.#connections = [own, tail];
    this.journal = new Journal(kept);
    this.journal.subscribeAll((change) => this.published.push(change));
    this.store = new FlakyStore(own, target, kept);
    const sight = { isWhole: () => this.isWatching, now: () => Date.now() };
    const election = new Election(own, this.store.lockKey, times.leaseMs);
    this.#recorder = new Recorder(this.store, election, this.journal.index, sight, this.journal, times);
    this.#tail = new StreamTail(this.store, this.#recorder, tail);
    this.journal.attachRecorder(this.#recorder);
    this.#recorder.start();
    this.#tail.start();
  }

  observe(event: UnnumberedEvent): void {
    this.journal.append({ ...event, target: this.target });
  }

  get isLeading(): boolean {
    return this.#recorder.isLeading;
  }

  get entries(): HistoryEntry[] {
    return this.journal.listRecent(100_000);
  }

  applySession(isWatching: boolean): void {
    this.isWatching = isWatching;
    this.#recorder.onSessionChange();
  }

  async stop(): Promise<void> {
    this.#hasEnded = true;
    this.#tail.stop();
    await this.#recorder.stop();
    for (const connection of this.#connections) connection.close();
  }

  /** Simulates a killed process: it sends no more requests, and the recorder's lock remains until the lease expires. */
  kill(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const connection of this.#connections) connection.close();
    this.#tail.stop();
    void this.#recorder.stop();
  }
}

const buildAcquired = (key: string, n: number, more: Partial<UnnumberedEvent> = {}): UnnumberedEvent => ({
  type: "acquired",
  target: "t",
  key,
  at: n,
  owner: "me",
  count: 1,
  observed: "exact",
  fence: String(1_000_000 + n),
  seq: 1,
  ...more,
});

const listKeys = (entries: readonly HistoryEntry[]) =>
  entries.map((entry) => (isGap(entry) ? "gap" : entry.key));
const waitUntilLeading = async (one: Instance) => await waitUntil(() => one.isLeading);

describe("single recorder", () => {
  it("observed events are recorded under stream ids and loaded again after a restart", async ({
    direct,
    target,
    startInstance,
  }) => {
    const first = startInstance();
    await waitUntilLeading(first);
    for (let n = 0; n < 500; n++) first.observe(buildAcquired(`lock:${n}`, n));
    await waitUntil(() => first.entries.length === 500);
    const stream = await direct.xrange(`{lockkeeper}:events:${target}`, "-", "+");
    expect(first.entries.map(({ id }) => id)).toEqual(stream.map(([id]) => id));
    await first.stop();
    const second = startInstance();
    await waitUntil(() => second.entries.length >= 500);
    expect(second.entries.slice(0, 500)).toEqual(first.entries);
    expect(second.published.filter(({ entry }) => !isGap(entry))).toEqual([]);
    await second.stop();
  });

  it("the time without a running instance is recorded as a gap, and earlier events are kept", async ({
    startInstance,
  }) => {
    const first = startInstance();
    await waitUntilLeading(first);
    first.observe(buildAcquired("lock:a", 1));
    await waitUntil(() => first.entries.length === 1);
    await first.stop();
    const stoppedAt = Date.now();
    await sleep(100);
    const second = startInstance();
    await waitUntil(() => second.entries.length === 2);
    const [, gap] = second.entries;
    expect(gap).toMatchObject({ type: "gap" });
    expect((gap as { from: number }).from).toBeLessThanOrEqual(stoppedAt);
    expect((gap as { to: number }).to).toBeGreaterThanOrEqual(stoppedAt + 100);
    await second.stop();
  });

  it("events are published while the store is down and recorded once after it returns", async ({
    target,
  }) => {
    const home = await startTestRedis({ args: ["--appendonly", "yes", "--appendfsync", "always"] });
    const one = new Instance(home, target);
    await waitUntilLeading(one);
    one.observe(buildAcquired("lock:a", 1));
    await waitUntil(() => one.entries.length === 1);
    await home.kill();
    await waitUntil(() => !one.isLeading);
    one.observe(buildAcquired("lock:b", 2));
    await waitUntil(() => one.published.length === 2);
    expect(one.published.at(-1)).toMatchObject({ isStored: false, entry: { key: "lock:b" } });
    const temporaryId = one.published.at(-1)?.entry.id;
    await home.restart();
    await waitUntil(() => one.entries.length === 2);
    expect(listKeys(one.entries)).toEqual(["lock:a", "lock:b"]);
    expect(one.published.at(-1)).toMatchObject({ previousId: temporaryId, isStored: true });
    await one.stop();
    await home.stop();
  });

  it("a recorder whose companion was deleted releases its lock and continues before the lease ends", async ({
    direct,
    startInstance,
  }) => {
    const one = startInstance({ times: { ...SHORT_TIMES, leaseMs: 600_000 } });
    await waitUntilLeading(one);
    one.observe(buildAcquired("lock:a", 1));
    await waitUntil(() => one.entries.length === 1);
    await direct.del(String(buildCompanionKey(one.store.lockKey)));
    one.observe(buildAcquired("lock:b", 2));
    await waitUntil(() => one.entries.length === 2);
    expect(listKeys(one.entries)).toEqual(["lock:a", "lock:b"]);
    await one.stop();
  });

  it("events lost by the store are written again", async ({ target }) => {
    const home = await startTestRedis();
    const one = new Instance(home, target);
    await waitUntilLeading(one);
    for (let n = 0; n < 300; n++) one.observe(buildAcquired(`lock:${n}`, n));
    await waitUntil(() => one.entries.length === 300);
    const ids = one.entries.map(({ id }) => id);
    await home.restart();
    await waitUntilLeading(one);
    one.observe(buildAcquired("lock:new", 301));
    await waitUntil(() => one.entries.length === 301);
    const stream = await home.createClient().xrange(`{lockkeeper}:events:${target}`, "-", "+");
    expect(stream.map(([id]) => id).slice(0, 300)).toEqual(ids);
    expect(stream).toHaveLength(301);
    await one.stop();
    await home.stop();
  });

  it("a time without observation is a gap from the last recorded moment, although the store returns without data", async ({
    target,
  }) => {
    const home = await startTestRedis();
    const one = new Instance(home, target);
    await waitUntilLeading(one);
    one.observe(buildAcquired("lock:a", 1));
    await waitUntil(() => one.entries.length === 1);
    const lostAt = Date.now();
    await home.kill();
    one.applySession(false);
    await sleep(50);
    const observedAt = Date.now();
    one.applySession(true);
    await home.restart();
    await waitUntil(() => one.entries.length === 2);
    const [, gap] = one.entries;
    expect(gap).toMatchObject({ type: "gap" });
    expect((gap as GapEvent).from).toBeLessThanOrEqual(lostAt);
    expect((gap as GapEvent).to).toBeGreaterThanOrEqual(observedAt);
    await one.stop();
    await home.stop();
  });

  it("a store that was flushed has the same history again, without a gap, and still knows that older events are gone", async ({
    direct,
    target,
    startInstance,
  }) => {
    const kept = { most: 100, ms: 86_400_000 };
    const one = startInstance({ kept });
    await waitUntilLeading(one);
    for (let n = 0; n < 150; n++) one.observe(buildAcquired(`lock:${n}`, n));
    await waitUntil(() => one.entries.at(-1)?.at === 149);
    await direct.flushall();
    one.observe(buildAcquired("lock:new", 151));
    await waitUntil(() => one.entries.at(-1)?.at === 151);
    expect(one.entries.filter(isGap)).toEqual([]);
    const stamp = await direct.get(`{lockkeeper}:recorded:${target}`);
    expect(stamp).toMatch(/ 1$/);
    const stream = await direct.xrange(`{lockkeeper}:events:${target}`, "-", "+");
    expect(stream.slice(-one.entries.length).map(([id]) => id)).toEqual(one.entries.map(({ id }) => id));
    await one.stop();
  });

  it("the stream and the in-memory index stay within the configured event count", async ({
    direct,
    target,
    startInstance,
  }) => {
    const kept = { most: 1000, ms: 86_400_000 };
    const one = startInstance({ kept });
    await waitUntilLeading(one);
    for (let n = 0; n < 5000; n++) {
      one.observe(buildAcquired(`lock:${n % 50}`, n));
      if (n % 500 === 0) await sleep(5);
    }
    await waitUntil(() => one.entries.at(-1)?.at === 4999);
    expect(await direct.xlen(`{lockkeeper}:events:${target}`)).toBeLessThan(1200);
    expect(one.entries.length).toBeLessThan(1200);
    await one.stop();
    const next = startInstance({ kept });
    await waitUntil(() => next.journal.index.size > 900);
    expect(
      (await next.journal.listHistory({ limit: 2000, order: "newest_first", matches: () => true }))
        .isComplete,
    ).toBe(false);
    await next.stop();
  });

  it("large events are kept in smaller number, in the stream and in memory", async ({
    direct,
    target,
    startInstance,
  }) => {
    const kept = { most: 1000, ms: 86_400_000 };
    const one = startInstance({ kept });
    await waitUntilLeading(one);
    const large = { owner: "o".repeat(1024), by: "mei", reason: "r".repeat(500) };
    for (let n = 0; n < 3000; n++) {
      one.observe(buildAcquired(`lock:${"k".repeat(1000)}${n % 50}`, n, large));
      if (n % 500 === 0) await sleep(5);
    }
    await waitUntil(() => one.entries.at(-1)?.at === 2999);
    const inMemory = one.entries.length;
    expect(inMemory).toBeGreaterThan(200);
    expect(inMemory).toBeLessThan(500);
    expect(await direct.xlen(`{lockkeeper}:events:${target}`)).toBeLessThan(2 * inMemory);
    await one.stop();
    const next = startInstance({ kept });
    await waitUntil(() => next.entries.at(-1)?.at === 2999);
    expect(next.entries.length).toBeLessThan(500);
    expect(next.journal.index.isTruncated).toBe(true);
    await next.stop();
  });
});

describe("two recorders", () => {
  it("two instances share one history, and the second continues without duplicates or gaps after the first is killed", async ({
    startInstance,
  }) => {
    const [first, second] = [startInstance(), startInstance()];
    await waitUntil(() => first.isLeading !== second.isLeading);
    const [leader, other] = first.isLeading ? [first, second] : [second, first];
    let n = 0;
    const both = async (count: number) => {
      for (const end = n + count; n < end; n++) {
        for (const one of [leader, other]) one.observe(buildAcquired(`lock:${n % 7}`, n));
        await sleep(2);
      }
    };
    await both(100);
    leader.kill();
    for (const end = n + 100; n < end; n++) {
      other.observe(buildAcquired(`lock:${n % 7}`, n));
      await sleep(5);
    }
    await waitUntil(() => other.entries.length === 200);
    expect(other.entries.map(({ at }) => at)).toEqual(Array.from({ length: 200 }, (_, at) => at));
    expect(
      other.published.filter(({ previousId }) => previousId === undefined).map(({ entry }) => entry.at),
    ).toHaveLength(200);
    await other.stop();
  });

  it("the instance with uninterrupted observation becomes the recorder", async ({ startInstance }) => {
    const first = startInstance();
    await waitUntilLeading(first);
    const second = startInstance();
    await sleep(100);
    first.applySession(false);
    await waitUntilLeading(second);
    first.applySession(true);
    second.observe(buildAcquired("lock:a", 1));
    await waitUntil(() => first.entries.length === 1);
    expect(listKeys(first.entries)).toEqual(["lock:a"]);
    await first.stop();
    await second.stop();
  });
});

describe("two recorders whose store loses its data", () => {
  it.for(["the recorder", "the other instance"] as const)(
    "what nobody observed is a gap when %s takes over",
    async (who, { target }) => {
      const home = await startTestRedis();
      const both = [new Instance(home, target), new Instance(home, target)] as const;
      await waitUntil(() => both[0].isLeading !== both[1].isLeading);
      const [leader, other] = both[0].isLeading ? both : [both[1], both[0]];
      for (const one of both) one.observe(buildAcquired("lock:a", 1));
      await waitUntil(() => both.every(({ entries }) => entries.length === 1));
      // Waits until the instance has read a stamp that covers its entry.
      await sleep(SHORT_TIMES.lagMs + 5 * SHORT_TIMES.pollMs);
      const lostAt = Date.now();
      await home.kill();
      for (const one of both) one.applySession(false);
      await sleep(20);
      const observedAt = Date.now();
      const next = who === "the recorder" ? leader : other;
      next.applySession(true);
      await home.restart();
      await waitUntilLeading(next);
      for (const one of both) one.applySession(true);
      await waitUntil(() => both.every(({ entries }) => entries.some(isGap)));
      for (const { entries } of both) {
        const gaps = entries.filter(isGap);
        expect(gaps).toHaveLength(1);
        expect(gaps[0]?.from).toBeLessThanOrEqual(lostAt);
        expect(gaps[0]?.to).toBeGreaterThanOrEqual(observedAt);
      }
      const stream = await home.createClient().xrange(`{lockkeeper}:events:${target}`, "-", "+");
      expect(stream.map(([id]) => id)).toEqual(both[0].entries.map(({ id }) => id));
      await Promise.all(both.map((one) => one.stop()));
      await home.stop();
    },
  );
});

const KEYS = ["lock:own", "lock:foreign", "lock:both", "lock:permits", "lock:readers"] as const;

/** The changes to the semaphore `lock:permits`, or to the read/write lock `lock:readers`. */
class SharedTruth {
  readonly #open: UnnumberedEvent[] = [];
  #fence = "1";

  constructor(private readonly key: (typeof KEYS)[number]) {}

  /** Builds the next change. Only readers can have the same fencing token and owner. */
  buildNext(choice: number, at: number): UnnumberedEvent {
    const count = this.#open.length;
    const hasWriter = this.#open.some(({ shared }) => shared === undefined);
    if (hasWriter || count > 3 || (count > 0 && choice % 2 === 0)) return this.#buildEnd(choice, at);
    const isWriter = this.key === "lock:readers" && count === 0 && choice % 3 === 0;
    if (isWriter || this.key === "lock:permits") this.#fence = String(at * 1000);
    const begun = buildAcquired(this.key, at, {
      ...{ owner: `they-${choice % 2}`, fence: this.#fence },
      ...(isWriter ? {} : { shared: true }),
    });
    this.#open.push(begun);
    return begun;
  }

  #buildEnd(choice: number, at: number): UnnumberedEvent {
    const [held] = this.#open.splice(choice % this.#open.length, 1);
    if (held === undefined) throw new Error("no hold is open");
    const { count: _, seq: __, shared, ...ended } = held;
    const isMarked = shared === true && (this.key === "lock:readers" || choice % 3 === 0);
    return {
      ...{ ...ended, type: "released", at, heldMs: at - held.at },
      ...(isMarked ? { shared } : {}),
      ...(isMarked && choice % 4 === 0 ? { observed: "inferred" } : {}),
    };
  }
}

/** Builds the changes that actually happened to a few locks, in order. */
function buildTruth(choices: readonly number[]): UnnumberedEvent[] {
  const open = new Map<string, UnnumberedEvent>();
  const shared = new Map<string, SharedTruth>(
    (["lock:permits", "lock:readers"] as const).map((key) => [key, new SharedTruth(key)]),
  );
  return choices.map((one, n) => {
    const key = KEYS[one % KEYS.length] ?? KEYS[0];
    const choice = Math.floor(one / KEYS.length);
    const at = 1_790_000_000_000 + n * 100;
    const sharedNext = shared.get(key)?.buildNext(choice, at);
    if (sharedNext !== undefined) return sharedNext;
    const held = open.get(key);
    if (held === undefined) {
      const next = buildBegun(key, choice, at);
      open.set(key, next);
      return next;
    }
    if (held.fence !== undefined && (held.seq ?? 0) < 3 && choice % 5 === 0) {
      const next = {
        ...held,
        type: "reentered" as const,
        at,
        seq: (held.seq ?? 0) + 1,
        count: (held.count ?? 0) + 1,
      };
      open.set(key, next);
      return next;
    }
    open.delete(key);
    const { count: _, seq: __, ...ended } = held;
    return { ...ended, type: choice % 3 === 0 ? ("expired" as const) : ("released" as const), at };
  });
}

/** Builds the start of an exclusive hold. */
function buildBegun(key: (typeof KEYS)[number], choice: number, at: number): UnnumberedEvent {
  const isOwn = key === "lock:own" || (key === "lock:both" && choice % 2 === 0);
  if (isOwn) return buildAcquired(key, at, { fence: String(at * 1000) });
  const { fence: _, seq: __, ...foreign } = buildAcquired(key, at, { owner: `they-${choice % 2}` });
  return { ...foreign, observed: "inferred" };
}

/**
 * Returns a change as another instance observes it. The time of an inferred event depends on when that instance reads
 * the key.
 */
function buildObserved(event: UnnumberedEvent, offMs: number): UnnumberedEvent {
  if (event.observed !== "inferred") return event;
  const { at, heldMs } = event;
  return { ...event, at: at + offMs, ...(heldMs === undefined ? {} : { heldMs: heldMs + offMs }) };
}

type InstanceMove = "observe" | "depose" | "unsent" | "unanswered" | "blind";

describe("interleaved recorders", () => {
  it("any interleaving of two recorders stores and publishes each event once and in order per key", async ({
    redis,
    direct,
  }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(1000), { minLength: 10, maxLength: 80 }),
        fc.array(
          fc.tuple(
            fc.constantFrom<InstanceMove>("observe", "observe", "observe", "depose", "unsent", "unanswered"),
            fc.nat(6),
            fc.nat(1),
          ),
          { minLength: 5, maxLength: 40 },
        ),
        fc.integer({ min: -40, max: 40 }),
        async (choices, moves, offMs) => {
          const target = `t${++targets}`;
          const both = [new Instance(redis, target), new Instance(redis, target)] as const;
          await waitUntil(() => both.some(({ isLeading }) => isLeading));
          const truth = buildTruth(choices);
          let n = 0;
          const observe = (count: number) => {
            for (const event of truth.slice(n, n + count)) {
              both[0].observe(event);
              both[1].observe(buildObserved(event, offMs));
            }
            n += count;
          };
          for (const [move, count, who] of moves) {
            if (move === "observe") observe(count);
            else if (move === "depose") await direct.del(`{lockkeeper}:recorder:${target}`);
            else both[who === 0 ? 0 : 1].store.fault = move === "unsent" ? "unsent" : "unanswered";
            await sleep(count % 4);
          }
          observe(truth.length);
          const isWhole = ({ entries }: Instance) => entries.length >= truth.length;
          await waitUntil(() => both.every(isWhole)).catch(() => undefined);
          for (const instance of both) expectTimeline(instance, truth);
          expect(both[0].entries).toEqual(both[1].entries);
          await Promise.all(both.map((one) => one.stop()));
        },
      ),
      { numRuns: 15 },
    );
  }, 60_000);
});

function expectTimeline({ entries, published }: Instance, truth: readonly UnnumberedEvent[]): void {
  expect(entries.filter(isGap)).toEqual([]);
  const first = published.filter(({ previousId }) => previousId === undefined).map(({ entry }) => entry);
  for (const key of KEYS) {
    const expected = truth.filter((event) => event.key === key).map(formatEntry);
    expect(entries.filter((entry) => !isGap(entry) && entry.key === key).map(formatEntry)).toEqual(expected);
    expect(first.filter((entry) => !isGap(entry) && entry.key === key).map(formatEntry)).toEqual(expected);
  }
}

function formatEntry(entry: HistoryEntry | UnnumberedEvent): string {
  const { type, owner, fence, seq } = entry as LockEvent;
  return [type, owner, fence, seq].join(" ");
}
