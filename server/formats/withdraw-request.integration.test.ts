import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import type { WritableFormat } from "../../lib/contract/format.ts";
import { redisTest } from "../../test/support/fixtures.ts";
import { EVENT_CHANNEL } from "../../test/support/observed-lock.ts";
import { readCompanion, WRITABLE_FORMATS } from "../../test/support/test-locks.ts";
import { buildCompanionKey } from "./keys.ts";
import { LOCK_WRITERS } from "./lock-writer.ts";
import type { AcquireReply } from "./script-replies.ts";

/** Returns a token that is unique for a request id. */
const toToken = (id: string) => `${CLIENT}:${Buffer.from(id).readUIntBE(0, Math.min(6, id.length))}`;
const CLIENT = "0f8fad5b-d9cb-469f-a165-70867728950e";

const it = redisTest()
  .extend(
    "acquire",
    { scope: "file" },
    ({ direct }) =>
      (name: WritableFormat, key: string, id: string, more = {}) =>
        LOCK_WRITERS[name].acquire(direct, EVENT_CHANNEL, key, {
          ...{ id, digest: "-", token: toToken(id), owner: "me", leaseMs: 30_000 },
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
          ...{
            id: `back:${acquiredBy}`,
            digest: "-",
            token: toToken(acquiredBy),
            fence: undefined,
            acquiredBy,
          },
        }),
  );

function requireGrant(reply: AcquireReply) {
  if (reply.outcome !== "granted") throw new Error(reply.outcome);
  return reply;
}

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

  it("the withdrawal of another acquire leaves the hold and what the companion says of it", async ({
    acquire,
    withdraw,
    direct,
    key,
  }) => {
    const hold = requireGrant(await acquire(name, key, "stands", { owner: "checkout@pod-7" }));
    expect(await withdraw(name, key, "never-seen")).toMatchObject({ outcome: "not_held" });
    expect(await readCompanion(direct, key)).toMatchObject({
      ...{ token: hold.token, fence: hold.fence, owner: "checkout@pod-7", count: 1 },
    });
    expect(await acquire(name, key, "never-seen")).toMatchObject({ outcome: "lost", why: "withdrawn" });
    expect(await acquire(name, key, "stands", { owner: "checkout@pod-7" })).toMatchObject({
      how: "repeated",
    });
  });

  it("a withdrawal does not end a hold that another request acquired under the same token", async ({
    acquire,
    withdraw,
    direct,
    key,
  }) => {
    await acquire(name, key, "first");
    await withdraw(name, key, "first");
    const token = toToken("first");
    const again = requireGrant(await acquire(name, key, "again", { token }));
    const late = { id: "other", digest: "-", token, fence: undefined };
    const withdrawn = { ...late, acquiredBy: "first" };
    expect(await LOCK_WRITERS[name].release(direct, EVENT_CHANNEL, key, withdrawn)).toMatchObject({
      outcome: "not_held",
    });
    expect(await readCompanion(direct, key)).toMatchObject({ token, fence: again.fence, count: 1 });
    const own = { ...late, acquiredBy: "again" };
    expect(await LOCK_WRITERS[name].release(direct, EVENT_CHANNEL, key, own)).toMatchObject({
      outcome: "released",
    });
  });

  it("a withdrawn acquire leaves no minimum hold time", async ({ acquire, withdraw, key }) => {
    await acquire(name, key, "voted", { minHoldMs: 20_000 });
    await withdraw(name, key, "voted");
    expect(await acquire(name, key, "other")).toMatchObject({ outcome: "granted" });
  });
});

describe.each(WRITABLE_FORMATS)("holds and their fencing tokens (%s)", (name) => {
  const release = (
    direct: Redis,
    key: string,
    id: string,
    hold: { token: string; fence: string },
    more = {},
  ) =>
    LOCK_WRITERS[name].release(direct, EVENT_CHANNEL, key, {
      ...{ id, digest: "d", token: hold.token, fence: hold.fence, ...more },
    });
  const reenter = (direct: Redis, key: string, id: string, hold: { token: string; fence: string }) =>
    LOCK_WRITERS[name].reenter(direct, EVENT_CHANNEL, key, {
      ...{ id, digest: "d", token: hold.token, fence: hold.fence, leaseMs: undefined },
    });

  it("a release and its repetition return the fencing token of the hold", async ({
    acquire,
    key,
    direct,
  }) => {
    const hold = requireGrant(await acquire(name, key, "one"));
    const { fence } = hold;
    await reenter(direct, key, "two", hold);
    expect(await release(direct, key, "r1", hold)).toMatchObject({ outcome: "still_held", count: 1, fence });
    expect(await release(direct, key, "r2", hold)).toMatchObject({ outcome: "released", count: 0, fence });
    expect(await release(direct, key, "r2", hold)).toMatchObject({ outcome: "released", count: 0, fence });
  });

  it("a release of all counts ends the whole hold and no other", async ({ acquire, direct, key }) => {
    const hold = requireGrant(await acquire(name, key, "one"));
    await reenter(direct, key, "two", hold);
    const other = { ...hold, fence: String(Number(hold.fence) - 1) };
    const all = { counts: "all" };
    expect(await release(direct, key, "e1", other, all)).toMatchObject({ outcome: "not_held" });
    expect(await release(direct, key, "e2", hold, all)).toMatchObject({ outcome: "released", count: 0 });
    expect(await acquire(name, key, "three")).toMatchObject({ count: 1, how: "acquired" });
    expect(await release(direct, key, "e3", hold, all)).toMatchObject({ outcome: "not_held" });
    expect(await direct.exists(key)).toBe(1);
  });

  it("a release that finds another format's lock leaves what the companion says of it", async ({
    acquire,
    direct,
    key,
  }) => {
    const other = name === "token" ? "timestamp" : "token";
    const hold = requireGrant(await acquire(other, key, "other"));
    const ask = { id: "r1", digest: "d", token: `${CLIENT}:1`, fence: "1795216496123456" };
    expect(await LOCK_WRITERS[name].release(direct, EVENT_CHANNEL, key, ask)).toMatchObject({
      outcome: "not_held",
    });
    expect(await readCompanion(direct, key)).toMatchObject({ token: hold.token, fence: hold.fence });
  });

  it("an acquire can be withdrawn for as long as its hold lasts, despite many other requests", async ({
    acquire,
    direct,
    withdraw,
    key,
  }) => {
    const hold = requireGrant(await acquire(name, key, "taken"));
    for (let n = 0; n < 200; n++) {
      await reenter(direct, key, `in-${n}`, hold);
      await release(direct, key, `out-${n}`, hold);
    }
    const companion = (await direct.get(String(buildCompanionKey(key)))) ?? "";
    expect(companion.length).toBeLessThan(3000);
    expect(await withdraw(name, key, "taken")).toMatchObject({ outcome: "released", count: 0 });
  });
});

describe.each(["token", "timestamp"] as const)("quorum agreement (%s)", (name) => {
  const more = (fence: string, by: number) => String(Number(fence) + by);

  it("an agreement sets the fencing token and the count for repetitions and withdrawals", async ({
    direct,
    acquire,
    withdraw,
    key,
  }) => {
    const from = requireGrant(await acquire(name, key, "one")).fence;
    const fence = more(from, 7);
    expect(
      await LOCK_WRITERS[name].agree(direct, key, { token: toToken("one"), from, fence, count: 3 }),
    ).toBe(true);
    expect(await acquire(name, key, "one")).toMatchObject({ count: 3, fence, how: "repeated" });
    expect(await withdraw(name, key, "one")).toMatchObject({ outcome: "released", count: 0, fence });
  });

  it("an agreement can lower the fencing token but never the count", async ({ acquire, direct, key }) => {
    const hold = requireGrant(await acquire(name, key, "one"));
    const { token, fence: from } = hold;
    const ask = { id: "two", digest: "d", token, fence: from, leaseMs: undefined };
    await LOCK_WRITERS[name].reenter(direct, EVENT_CHANNEL, key, ask);
    const fence = more(from, -5);
    expect(
      await LOCK_WRITERS[name].agree(direct, key, { token: toToken("one"), from, fence, count: 1 }),
    ).toBe(true);
    expect(await readCompanion(direct, key)).toMatchObject({ fence, count: 2 });
  });

  it("an agreement does not affect other holds or holds that have ended", async ({
    direct,
    key,
    acquire,
  }) => {
    const from = requireGrant(await acquire(name, key, "one")).fence;
    const fence = more(from, 7);
    const agree = (id: string, of: string) =>
      LOCK_WRITERS[name].agree(direct, key, { token: toToken(id), from: of, fence, count: 2 });
    expect(await agree("two", from)).toBe(false);
    expect(await agree("one", more(from, -1))).toBe(false);
    expect(await readCompanion(direct, key)).toMatchObject({ fence: from, count: 1 });
    await direct.del(key);
    expect(await agree("one", from)).toBe(false);
    expect(await direct.exists(key)).toBe(0);
  });
});
