import { describe, expect } from "vitest";
import { WritableFormat } from "../../lib/contract/format.ts";
import { watcherTest } from "../../test/support/fixtures.ts";
import { forceReleaseByOwner } from "../../test/support/force-release-by-owner.ts";
import { createTestKey } from "../../test/support/test-locks.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { acquireForeignLock } from "../../test/support/test-watcher.ts";
import { formatHoldId, parseHoldId } from "../formats/hold-id.ts";

const FORMATS = WritableFormat.options;
const BY_MEI = "lockkeeper:reserve:mei";
const MIN_HOLD = "lockkeeper:reserve:min-hold";

const buildAcquire = (owner: string, format: WritableFormat, leaseMs = 30_000) => ({
  owner,
  format,
  leaseMs,
});
const it = watcherTest()
  .extend(
    "findHold",
    { scope: "file" },
    ({ watcher }) =>
      (key: string) =>
        watcher.index.get(key),
  )
  .extend("getVersion", { scope: "file" }, ({ watcher }) => (key: string) => {
    const hold = watcher.index.get(key);
    return hold && watcher.locks.toLock(hold).version;
  })
  .extend(
    "waitForEvents",
    { scope: "file" },
    ({ watching }) =>
      async (key: string, count: number) =>
        (await watching.waitForEvents(key, count)).map(
          ({ type, owner, observed }) => `${type} ${owner} ${observed}`,
        ),
  );

describe.each(FORMATS)("Lockkeeper holds in the format %s", (format) => {
  it("a Lockkeeper hold is indexed with its format, and each of its events is emitted exactly once", async ({
    watcher,
    journal,
    locks,
    findHold,
    waitForEvents,
    key,
  }) => {
    const live: string[] = [];
    journal.subscribe((event) => event.key === key && live.push(`${event.type} ${event.observed}`));
    const { grant } = await locks.acquire(key, buildAcquire("me", format));
    await waitUntil(() => findHold(key) !== undefined);
    const hold = findHold(key);
    expect(hold && watcher.locks.toLock(hold)).toMatchObject({
      format,
      version: `fence.${grant.fence}`,
      leaseMs: 30_000,
      holders: [{ owner: "me", count: 1, fence: grant.fence }],
    });
    await locks.reenter(grant);
    await locks.renew(grant, { leaseMs: 40_000 });
    await locks.release(grant, { requestId: "one" });
    await locks.release(grant);
    await waitForEvents(key, 4);
    expect(live).toEqual([
      "acquired exact",
      "reentered exact",
      "renewed exact",
      "released exact",
      "released exact",
    ]);
    expect(findHold(key)).toBeUndefined();
  });

  it("a Lockkeeper hold is shown with its holdId, a reservation without one", async ({
    watcher,
    locks,
    findHold,
    key,
  }) => {
    const { grant } = await locks.acquire(key, { ...buildAcquire("me", format), unit: "s" });
    await waitUntil(() => findHold(key) !== undefined);
    const hold = findHold(key);
    const [holder] = (hold && watcher.locks.toLock(hold).holders) ?? [];
    expect(holder?.holdId).toBe(formatHoldId({ target: "test", ...grant }));
    expect(parseHoldId(holder?.holdId ?? "")).toMatchObject({
      ...{ target: "test", key, format, unit: format === "timestamp" ? "s" : undefined },
      ...{ token: grant.token, fence: grant.fence },
    });
    await locks.release(grant, { reservedMs: 30_000 });
    await waitUntil(() => findHold(key)?.seen.holders[0].fence !== grant.fence);
    const reserved = findHold(key);
    const [reservation] = (reserved && watcher.locks.toLock(reserved).holders) ?? [];
    expect(reservation).toMatchObject({ owner: expect.stringMatching(/^lockkeeper:reserve:/), holdId: null });
  });

  it("the next hold of the same owner has a different version", async ({
    locks,
    findHold,
    getVersion,
    key,
  }) => {
    const { grant } = await locks.acquire(key, buildAcquire("me", format));
    await waitUntil(() => getVersion(key) !== undefined);
    const before = getVersion(key);
    await locks.renew(grant, { leaseMs: 40_000 });
    await waitUntil(() => (findHold(key)?.seen.holders[0].seq ?? 0) > 1);
    expect(getVersion(key)).toBe(before);
    await locks.release(grant);
    await locks.acquire(key, buildAcquire("me", format));
    await waitUntil(() => getVersion(key) !== undefined && getVersion(key) !== before);
  });

  it("a hold is reported expired no earlier than the lock can be acquired again", async ({
    journal,
    locks,
    findHold,
    waitForEvents,
    key,
  }) => {
    const { grant } = await locks.acquire(key, buildAcquire("me", format, 300));
    const observed = new Promise<number>((resolve) =>
      journal.subscribe((event) => event.key === key && event.type === "expired" && resolve(Date.now())),
    );
    await waitUntil(() => findHold(key) !== undefined);
    const hold = findHold(key);
    const endsAt = (hold?.seen.asOf ?? 0) + (hold?.seen.remainingMs ?? 0);
    // Both times are rounded to whole milliseconds, so their difference can be 1 ms less than the lease.
    expect(endsAt).toBeGreaterThanOrEqual(grant.asOf + 299);
    expect((await observed) - endsAt).toBeGreaterThanOrEqual(-5);
    expect((await locks.acquire(key, buildAcquire("you", format))).grant.count).toBe(1);
    expect(await waitForEvents(key, 3)).toEqual([
      "acquired me exact",
      "expired me inferred",
      "acquired you exact",
    ]);
  });

  it("a hold with a grace period is reported expired after the grace, not at the end of its lease", async ({
    locks,
    listEvents,
    key,
  }) => {
    await locks.acquire(key, { ...buildAcquire("me", format, 100), graceMs: 400 });
    await waitUntil(() => listEvents(key).length === 2);
    const [began, ended] = listEvents(key);
    expect(ended).toMatchObject({ type: "expired", owner: "me" });
    expect((ended?.at ?? 0) - (began?.at ?? 0)).toBeGreaterThanOrEqual(490);
  });

  it("a force-release with reservation emits the release with operator and reason, then the reservation", async ({
    locks,
    listEvents,
    findHold,
    waitForEvents,
    key,
  }) => {
    const { grant } = await locks.acquire(key, buildAcquire("me", format));
    await forceReleaseByOwner(locks, key, format, {
      token: grant.token,
      fence: grant.fence,
      by: "mei",
      reason: "node lost",
      reservation: { owner: BY_MEI, reservedMs: 400 },
    });
    await waitUntil(() => findHold(key)?.seen.holders[0].owner === BY_MEI);
    expect(findHold(key)?.seen.format).toBe(format);
    expect(await waitForEvents(key, 4)).toEqual([
      "acquired me exact",
      "force_released me exact",
      `acquired ${BY_MEI} exact`,
      `expired ${BY_MEI} inferred`,
    ]);
    expect(listEvents(key)[1]).toMatchObject({ by: "mei", reason: "node lost", fence: grant.fence });
    expect(Number(listEvents(key)[2]?.fence)).toBeGreaterThan(Number(grant.fence));
  });

  it("a release before the minimum hold time emits released, then a hold for the remaining time", async ({
    locks,
    waitForEvents,
    key,
  }) => {
    const { grant } = await locks.acquire(key, { ...buildAcquire("me", format), minHoldMs: 400 });
    await locks.release(grant);
    expect(await waitForEvents(key, 4)).toEqual([
      "acquired me exact",
      "released me exact",
      `acquired ${MIN_HOLD} exact`,
      `expired ${MIN_HOLD} inferred`,
    ]);
  });

  it("a reservation emits acquired and expired like any other hold", async ({
    locks,
    waitForEvents,
    key,
  }) => {
    await locks.reserve(key, { by: "mei", reservedMs: 300, format });
    expect(await waitForEvents(key, 2)).toEqual([`acquired ${BY_MEI} exact`, `expired ${BY_MEI} inferred`]);
  });

  it("an overwritten lock emits one released event, and the string that replaced it is a possible lock", async ({
    direct,
    locks,
    findHold,
    waitForEvents,
    key,
  }) => {
    await locks.acquire(key, buildAcquire("me", format));
    await waitUntil(() => findHold(key) !== undefined);
    await direct.set(key, "somebody's text");
    const events = await waitForEvents(key, 3);
    expect(events.slice(0, 2)).toEqual(["acquired me exact", "released me inferred"]);
    expect(events).toHaveLength(3);
    expect(findHold(key)?.seen).toMatchObject({ format: "token", confidence: "possible" });
  });
});

it("holds of one label on two keys and a foreign holder named like it are kept apart", async ({
  direct,
  watcher,
  locks,
  findHold,
  key,
}) => {
  const [two, theirs] = [createTestKey(), createTestKey()];
  const label = await acquireForeignLock(direct, theirs);
  const { grant: one } = await locks.acquire(key, buildAcquire(label, "token"));
  const { grant: other } = await locks.acquire(two, buildAcquire(label, "token"));
  await waitUntil(() => [key, two, theirs].every((each) => findHold(each) !== undefined));
  const locked = [key, two, theirs].flatMap((each) => {
    const hold = findHold(each);
    return hold === undefined ? [] : [watcher.locks.toLock(hold)];
  });
  expect(locked.map(({ holders }) => holders[0]?.owner)).toEqual([label, label, label]);
  expect(locked.map(({ sharedWith }) => sharedWith)).toEqual([[], [], []]);
  expect(locked.map(({ holders }) => holders[0]?.holdId)).toEqual([
    formatHoldId({ target: "test", ...one }),
    formatHoldId({ target: "test", ...other }),
    null,
  ]);
  expect(new Set(locked.map(({ version }) => version)).size).toBe(3);
});

it("a force-release with reservation of a Redisson lock emits exact events with no inferred ones after them", async ({
  direct,
  locks,
  findHold,
  waitForEvents,
  key,
}) => {
  const owner = await acquireForeignLock(direct, key);
  await waitUntil(() => findHold(key) !== undefined);
  await forceReleaseByOwner(locks, key, "redisson", {
    token: owner,
    fence: null,
    by: "mei",
    reason: "node lost",
    reservation: { owner: BY_MEI, reservedMs: 30_000 },
  });
  expect(await waitForEvents(key, 3)).toEqual([
    `acquired ${owner} inferred`,
    `force_released ${owner} exact`,
    `acquired ${BY_MEI} exact`,
  ]);
});

it("a timestamp deadline in seconds expires at the second when the lock can be acquired again", async ({
  direct,
  locks,
  listEvents,
  findHold,
  key,
}) => {
  await locks.acquire(key, { ...buildAcquire("me", "timestamp", 100), unit: "s" });
  await waitUntil(() => findHold(key) !== undefined);
  const deadline = Number(await direct.get(key));
  await waitUntil(() => listEvents(key).length === 2);
  expect(Math.abs((listEvents(key)[1]?.at ?? 0) - (deadline + 1) * 1000)).toBeLessThanOrEqual(5);
});

it("strings that no lock library writes are possible locks and do not disturb the watcher", async ({
  direct,
  watcher,
  locks,
  findHold,
}) => {
  const strings = [
    "",
    "7",
    "held by me",
    '{"by":"me"}',
    "9".repeat(13),
    "-1",
    "1e9",
    "\n\n\n",
    "\ud83d\udd12",
  ];
  const keys = strings.map(() => createTestKey());
  await Promise.all(keys.map((key, at) => direct.set(key, strings[at] ?? "")));
  const bytes = createTestKey();
  await direct.set(bytes, Buffer.from([0xff, 0x00, 0x0a, 0xfe]));
  // Companions that another client could write for a key whose value looks like a lock.
  const companions = [
    "x\n\n1\n1\n1\n1\n0\n0\n1\ntoken\nme\n\n",
    "x\nx\n1\n1\n1\n1\n0\n0\n1\nnonsense\nme\n\n",
    "me\nx\n1\n1\n1\n1\n0\n0\n1\ntimestamp\nme\n\n",
    "\n\n\n\n",
    "x",
  ];
  const pretended = companions.map(() => createTestKey());
  for (const [at, key] of pretended.entries()) {
    await direct.set(`lockkeeper:hold:{${key}}`, companions[at] ?? "");
    await direct.set(key, "x");
  }
  const ours = createTestKey();
  await locks.acquire(ours, buildAcquire("me", "token"));
  await waitUntil(() => findHold(ours) !== undefined);
  await watcher.waitUntilSettled();
  const large = createTestKey();
  await direct.set(large, "x".repeat(5000));
  const possible = [...keys, bytes];
  await waitUntil(() => possible.every((key) => findHold(key)?.seen.confidence === "possible"));
  expect(watcher.health().state).toBe("live");
  expect((await watcher.readKey(large)).observation.state).toBe("not_a_lock");
});

it("without keyspace notifications, a reservation still emits exact events", async ({
  direct,
  watcher,
  locks,
  waitForEvents,
  key,
}) => {
  await direct.config("SET", "notify-keyspace-events", "");
  try {
    await waitUntil(() => watcher.health().notifications === "off");
    const { grant } = await locks.acquire(key, { ...buildAcquire("me", "token"), minHoldMs: 30_000 });
    await locks.release(grant);
    expect(await waitForEvents(key, 3)).toEqual([
      "acquired me exact",
      "released me exact",
      `acquired ${MIN_HOLD} exact`,
    ]);
  } finally {
    await direct.config("SET", "notify-keyspace-events", "Kghszxe$");
  }
});
