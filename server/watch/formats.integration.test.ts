import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { LockEvent } from "../../lib/contract/event.ts";
import { SpokenFormat } from "../../lib/contract/format.ts";
import { forceByName } from "../../test/support/force-release-by-owner.ts";
import { openVerbs, type TestVerbs } from "../../test/support/test-locks.ts";
import { startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { until } from "../../test/support/test-server.ts";
import { startTestWatcher, type TestWatcher } from "../../test/support/test-watcher.ts";
import type { Journal } from "../history/journal.ts";
import type { Locks } from "../locks/verbs/redis-locks.ts";
import type { Watcher } from "./watcher.ts";

const FORMATS = SpokenFormat.options;
const BY_MEI = "lockkeeper:reserve:mei";
const MIN_HOLD = "lockkeeper:reserve:min-hold";

let redis: TestRedis;
let direct: Redis;
let verbs: TestVerbs;
let watching: TestWatcher;
let locks: Locks;
let journal: Journal;
let watcher: Watcher;

beforeAll(async () => {
  redis = await startTestRedis();
  direct = redis.client();
});
afterAll(async () => await redis.stop());

beforeEach(async () => {
  verbs = await openVerbs(redis.port);
  ({ locks } = verbs);
  await watch();
});
afterEach(() => {
  watching.stop();
  verbs.close();
});

async function watch(): Promise<void> {
  watching = await startTestWatcher(redis.url);
  ({ watcher, journal } = watching);
}

const fresh = () => `lock:${randomUUID()}`;
const ask = (owner: string, format: SpokenFormat, leaseMs = 30_000) => ({
  owner,
  format,
  leaseMs,
  reentrant: true,
});
const story = (key: string) => journal.ofKey(key, 100).items.reverse();
const told = (events: LockEvent[]) =>
  events.map(({ type, owner, observed }) => `${type} ${owner} ${observed}`);
const holdOf = (key: string) => watcher.mirror.get(key);
const versionOf = (key: string) => {
  const hold = holdOf(key);
  return hold && watcher.lockOf(hold).version;
};

/** Long enough for the watcher to tell what it has wrongly concluded: a look, its wait for a word, and another look. */
async function storyAtRest(key: string, length: number): Promise<string[]> {
  await until(() => story(key).length >= length);
  await new Promise((resolve) => setTimeout(resolve, 150));
  await watcher.settled();
  return told(story(key));
}

describe.each(FORMATS)("Lockkeeper holds in the format %s", (format) => {
  it("a Lockkeeper hold is indexed with its format, and each of its events is emitted exactly once", async () => {
    const key = fresh();
    const live: string[] = [];
    journal.subscribe((event) => event.key === key && live.push(`${event.type} ${event.observed}`));
    const { grant } = await locks.acquire(key, ask("me", format));
    await until(() => holdOf(key) !== undefined);
    const hold = holdOf(key);
    expect(hold && watcher.lockOf(hold)).toMatchObject({
      format,
      version: `fence.${grant.fence}`,
      leaseMs: 30_000,
      holders: [{ owner: "me", count: 1, fence: grant.fence }],
    });
    await locks.acquire(key, ask("me", format));
    await locks.renew(key, { owner: "me", format, leaseMs: 40_000 });
    await locks.release(key, { owner: "me", format });
    await locks.release(key, { owner: "me", format });
    await storyAtRest(key, 4);
    expect(live).toEqual([
      "acquired exact",
      "reentered exact",
      "renewed exact",
      "released exact",
      "released exact",
    ]);
    expect(holdOf(key)).toBeUndefined();
  });

  it("the next hold of the same owner has a different version", async () => {
    const key = fresh();
    await locks.acquire(key, ask("me", format));
    await until(() => versionOf(key) !== undefined);
    const before = versionOf(key);
    await locks.renew(key, { owner: "me", format, leaseMs: 40_000 });
    await until(() => (holdOf(key)?.seen.holders[0].seq ?? 0) > 1);
    expect(versionOf(key)).toBe(before);
    await locks.release(key, { owner: "me", format });
    await locks.acquire(key, ask("me", format));
    await until(() => versionOf(key) !== undefined && versionOf(key) !== before);
  });

  it("a hold is reported expired no earlier than the lock can be acquired again", async () => {
    const key = fresh();
    const { grant } = await locks.acquire(key, ask("me", format, 300));
    const heard = new Promise<number>((resolve) =>
      journal.subscribe((event) => event.key === key && event.type === "expired" && resolve(Date.now())),
    );
    await until(() => holdOf(key) !== undefined);
    const hold = holdOf(key);
    const endsAt = (hold?.seen.asOf ?? 0) + (hold?.seen.remainingMs ?? 0);
    // Two times that are whole milliseconds each.
    expect(endsAt).toBeGreaterThanOrEqual(grant.asOf + 299);
    const lateMs = (await heard) - endsAt;
    expect(lateMs).toBeGreaterThanOrEqual(-5);
    expect(lateMs).toBeLessThan(250);
    expect((await locks.acquire(key, ask("you", format))).grant.count).toBe(1);
    expect(await storyAtRest(key, 3)).toEqual([
      "acquired me exact",
      "expired me derived",
      "acquired you exact",
    ]);
  });

  it("a hold with a grace period is reported expired after the grace, not at the end of its lease", async () => {
    const key = fresh();
    await locks.acquire(key, { ...ask("me", format, 100), graceMs: 400 });
    await until(() => story(key).length === 2);
    const [began, ended] = story(key);
    expect(ended).toMatchObject({ type: "expired", owner: "me" });
    expect((ended?.at ?? 0) - (began?.at ?? 0)).toBeGreaterThanOrEqual(490);
  });

  it("a force-release with reservation emits the release with operator and reason, then the reservation", async () => {
    const key = fresh();
    const { grant } = await locks.acquire(key, ask("me", format));
    await forceByName(locks, key, format, {
      owner: "me",
      fence: grant.fence,
      by: "mei",
      reason: "node lost",
      holdOff: { owner: BY_MEI, holdOffMs: 400 },
    });
    await until(() => holdOf(key)?.seen.holders[0].owner === BY_MEI);
    expect(holdOf(key)?.seen.format).toBe(format);
    expect(await storyAtRest(key, 4)).toEqual([
      "acquired me exact",
      "force_released me exact",
      `acquired ${BY_MEI} exact`,
      `expired ${BY_MEI} derived`,
    ]);
    expect(story(key)[1]).toMatchObject({ by: "mei", reason: "node lost", fence: grant.fence });
    expect(Number(story(key)[2]?.fence)).toBeGreaterThan(Number(grant.fence));
  });

  it("a release before the minimum hold time emits released, then a hold for the remaining time", async () => {
    const key = fresh();
    await locks.acquire(key, { ...ask("me", format), minHoldMs: 400 });
    await locks.release(key, { owner: "me", format });
    expect(await storyAtRest(key, 4)).toEqual([
      "acquired me exact",
      "released me exact",
      `acquired ${MIN_HOLD} exact`,
      `expired ${MIN_HOLD} derived`,
    ]);
  });

  it("a reservation emits acquired and expired like any other hold", async () => {
    const key = fresh();
    await locks.reserve(key, { by: "mei", holdOffMs: 300, format });
    expect(await storyAtRest(key, 2)).toEqual([`acquired ${BY_MEI} exact`, `expired ${BY_MEI} derived`]);
  });

  it("an overwritten lock emits one released event, and the value that replaced it is not a lock", async () => {
    const key = fresh();
    await locks.acquire(key, ask("me", format));
    await until(() => holdOf(key) !== undefined);
    await direct.set(key, "somebody's text");
    expect(await storyAtRest(key, 2)).toEqual(["acquired me exact", "released me derived"]);
    expect(holdOf(key)).toBeUndefined();
    await direct.set(key, "something else");
    expect(await storyAtRest(key, 2)).toHaveLength(2);
  });
});

it("a force-release with reservation of a Redisson lock emits exact events with no inferred ones after them", async () => {
  const key = fresh();
  const owner = `${randomUUID()}:7`;
  await direct.multi().hset(key, owner, 1).pexpire(key, 30_000).exec();
  await until(() => holdOf(key) !== undefined);
  await forceByName(locks, key, "redisson", {
    owner,
    fence: null,
    by: "mei",
    reason: "node lost",
    holdOff: { owner: BY_MEI, holdOffMs: 30_000 },
  });
  expect(await storyAtRest(key, 3)).toEqual([
    `acquired ${owner} derived`,
    `force_released ${owner} exact`,
    `acquired ${BY_MEI} exact`,
  ]);
});

it("a timestamp deadline in seconds expires at the second when the lock can be acquired again", async () => {
  const key = fresh();
  await locks.acquire(key, { ...ask("me", "timestamp", 100), unit: "s" });
  await until(() => holdOf(key) !== undefined);
  const deadline = Number(await direct.get(key));
  await until(() => story(key).length === 2);
  expect(Math.abs((story(key)[1]?.at ?? 0) - (deadline + 1) * 1000)).toBeLessThanOrEqual(5);
});

it("strings that no lock library writes are not locks under a watched pattern and do not disturb the watcher", async () => {
  const strings = [
    "",
    "7",
    "held by me",
    '{"by":"me"}',
    "9".repeat(13),
    "-1",
    "1e9",
    "\n\n\n",
    "x".repeat(5000),
    "\ud83d\udd12",
  ];
  const keys = strings.map(fresh);
  await Promise.all(keys.map((key, at) => direct.set(key, strings[at] ?? "")));
  const bytes = fresh();
  await direct.set(bytes, Buffer.from([0xff, 0x00, 0x0a, 0xfe]));
  // What anybody may write in a companion's place, beside a string that would fit it.
  const told = [
    "me\nx\n1\n1\n1\n1\n0\n0\n1\ntoken\n",
    "me\nx\n1\n1\n1\n1\n0\n0\n1\nnonsense\n",
    "me\nx\n1\n1\n1\n1\n0\n0\n1\ntimestamp\n",
    "\n\n\n\n",
    "x",
  ];
  const pretended = told.map(fresh);
  for (const [at, key] of pretended.entries()) {
    await direct.set(`lockkeeper:hold:{${key}}`, told[at] ?? "");
    await direct.set(key, "x");
  }
  const ours = fresh();
  await locks.acquire(ours, ask("me", "token"));
  await until(() => holdOf(ours) !== undefined);
  await watcher.settled();
  const known = [...watcher.mirror.keys()];
  for (const key of [...keys, bytes]) expect(known).not.toContain(key);
  expect(watcher.health().state).toBe("live");
  for (const key of keys) expect((await watcher.look(key)).observation.state).toBe("not_a_lock");
});

it("without keyspace notifications, a reservation still emits exact events", async () => {
  await direct.config("SET", "notify-keyspace-events", "");
  try {
    await until(() => watcher.health().notifications === "off");
    const key = fresh();
    await locks.acquire(key, { ...ask("me", "token"), minHoldMs: 30_000 });
    await locks.release(key, { owner: "me", format: "token" });
    expect(await storyAtRest(key, 3)).toEqual([
      "acquired me exact",
      "released me exact",
      `acquired ${MIN_HOLD} exact`,
    ]);
  } finally {
    await direct.config("SET", "notify-keyspace-events", "Kghszxe$");
  }
});
