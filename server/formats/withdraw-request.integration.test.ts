import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import type { WritableFormat } from "../../lib/contract/format.ts";
import { redisTest } from "../../test/support/fixtures.ts";
import { EVENT_CHANNEL } from "../../test/support/observed-lock.ts";
import { readCompanion, WRITABLE_FORMATS } from "../../test/support/test-locks.ts";
import { buildCompanionKey } from "./keys.ts";
import { LOCK_WRITERS } from "./lock-writer.ts";
import type { AcquireReply } from "./script-replies.ts";

const it = redisTest()
  .extend(
    "acquire",
    { scope: "file" },
    ({ direct }) =>
      (name: WritableFormat, key: string, id: string, more = {}) =>
        LOCK_WRITERS[name].acquire(direct, EVENT_CHANNEL, key, {
          ...{ id, digest: "-", owner: "me", leaseMs: 30_000, reentrant: true },
          ...{ record: undefined, graceMs: 0, minHoldMs: 0, unit: "ms" },
          ...more,
        }),
  )
  .extend(
    "withdraw",
    { scope: "file" },
    ({ direct }) =>
      (name: WritableFormat, key: string, acquiredBy: string) =>
        LOCK_WRITERS[name].release(direct, EVENT_CHANNEL, key, {
          ...{ id: `back:${acquiredBy}`, digest: "-", owner: "me", acquiredBy },
        }),
  );

describe.each(WRITABLE_FORMATS)("withdrawn acquires (%s)", (name) => {
  it("an acquire that arrives after its withdrawal is not granted", async ({
    withdraw,
    acquire,
    direct,
    key,
  }) => {
    expect(await withdraw(name, key, "late")).toMatchObject({ outcome: "not_held" });
    expect(await acquire(name, key, "late")).toMatchObject({ outcome: "lost", why: "withdrawn" });
    expect(await direct.exists(key)).toBe(0);
    expect(await acquire(name, key, "next")).toMatchObject({ outcome: "granted", how: "acquired" });
  });

  it("a withdrawn acquire is distinguished from one whose hold has ended", async ({
    acquire,
    withdraw,
    direct,
    key,
  }) => {
    await acquire(name, key, "taken-back");
    await withdraw(name, key, "taken-back");
    await acquire(name, key, "ended");
    await direct.del(key);
    expect(await acquire(name, key, "taken-back")).toMatchObject({ outcome: "lost", why: "withdrawn" });
    expect(await acquire(name, key, "ended")).toMatchObject({ outcome: "lost", why: "ended" });
  });

  it("a withdrawal takes back its own count only, and only once", async ({ acquire, withdraw, key }) => {
    await acquire(name, key, "outer");
    expect(await acquire(name, key, "inner")).toMatchObject({ count: 2, how: "reentered" });
    expect(await withdraw(name, key, "inner")).toMatchObject({ outcome: "released", count: 1 });
    expect(await withdraw(name, key, "never-seen")).toMatchObject({ outcome: "not_held" });
    expect(await acquire(name, key, "outer")).toMatchObject({ count: 1, how: "repeated" });
  });

  it("a withdrawn acquire leaves no minimum hold time", async ({ acquire, withdraw, key }) => {
    await acquire(name, key, "voted", { minHoldMs: 20_000 });
    await withdraw(name, key, "voted");
    expect(await acquire(name, key, "other", { owner: "you" })).toMatchObject({ outcome: "granted" });
  });
});

describe.each(WRITABLE_FORMATS)("holds and their fencing tokens (%s)", (name) => {
  const release = (direct: Redis, key: string, id: string, more = {}) =>
    LOCK_WRITERS[name].release(direct, EVENT_CHANNEL, key, { id, digest: "-", owner: "me", ...more });

  it("a release and its repetition return the fencing token of the hold", async ({
    acquire,
    key,
    direct,
  }) => {
    const taken = await acquire(name, key, "one");
    const fence = taken.outcome === "granted" ? taken.fence : undefined;
    await acquire(name, key, "two");
    expect(await release(direct, key, "r1")).toMatchObject({ outcome: "released", count: 1, fence });
    expect(await release(direct, key, "r2")).toMatchObject({ outcome: "released", count: 0, fence });
    expect(await release(direct, key, "r2")).toMatchObject({ outcome: "released", count: 0, fence });
  });

  it("a release by fencing token ends the whole hold and no other", async ({ acquire, direct, key }) => {
    const taken = await acquire(name, key, "one");
    await acquire(name, key, "two");
    const fence = taken.outcome === "granted" ? (taken.fence ?? "") : "";
    const other = String(Number(fence) - 1);
    expect(await release(direct, key, "e1", { fence: other })).toMatchObject({ outcome: "not_held" });
    expect(await acquire(name, key, "one")).toMatchObject({ count: 2 });
    expect(await release(direct, key, "e2", { fence })).toMatchObject({ outcome: "released", count: 0 });
    expect(await acquire(name, key, "three")).toMatchObject({ count: 1, how: "acquired" });
    expect(await release(direct, key, "e3", { fence })).toMatchObject({ outcome: "not_held" });
    expect(await direct.exists(key)).toBe(1);
  });

  it("an acquire can be withdrawn for as long as its hold lasts, despite many other requests", async ({
    acquire,
    direct,
    withdraw,
    key,
  }) => {
    await acquire(name, key, "taken");
    for (let n = 0; n < 200; n++) await release(direct, key, `no-${n}`, { owner: "you" });
    const companion = (await direct.get(String(buildCompanionKey(key)))) ?? "";
    expect(companion.length).toBeLessThan(3000);
    expect(await withdraw(name, key, "taken")).toMatchObject({ outcome: "released", count: 0 });
  });
});

describe.each(["token", "timestamp"] as const)("quorum agreement (%s)", (name) => {
  const getFence = (reply: AcquireReply) => {
    if (reply.outcome !== "granted" || reply.fence === null) throw new Error(reply.outcome);
    return reply.fence;
  };
  const more = (fence: string, by: number) => String(Number(fence) + by);

  it("an agreement sets the fencing token and the count for repetitions and withdrawals", async ({
    direct,
    acquire,
    withdraw,
    key,
  }) => {
    const from = getFence(await acquire(name, key, "one"));
    const fence = more(from, 7);
    expect(await LOCK_WRITERS[name].agree(direct, key, { owner: "me", from, fence, count: 3 })).toBe(true);
    expect(await acquire(name, key, "one")).toMatchObject({ count: 3, fence, how: "repeated" });
    expect(await withdraw(name, key, "one")).toMatchObject({ outcome: "released", count: 2 });
  });

  it("an agreement can lower the fencing token but never the count", async ({ acquire, direct, key }) => {
    const from = getFence(await acquire(name, key, "one"));
    await acquire(name, key, "two");
    const fence = more(from, -5);
    expect(await LOCK_WRITERS[name].agree(direct, key, { owner: "me", from, fence, count: 1 })).toBe(true);
    expect(await readCompanion(direct, key)).toMatchObject({ fence, count: 2 });
  });

  it("an agreement does not affect other holds or holds that have ended", async ({
    direct,
    key,
    acquire,
  }) => {
    const from = getFence(await acquire(name, key, "one"));
    const fence = more(from, 7);
    const agree = (owner: string, of: string) =>
      LOCK_WRITERS[name].agree(direct, key, { owner, from: of, fence, count: 2 });
    expect(await agree("you", from)).toBe(false);
    expect(await agree("me", more(from, -1))).toBe(false);
    expect(await readCompanion(direct, key)).toMatchObject({ fence: from, count: 1 });
    await direct.del(key);
    expect(await agree("me", from)).toBe(false);
    expect(await direct.exists(key)).toBe(0);
  });
});
