import { describe, expect } from "vitest";
import type { WritableFormat } from "../../lib/contract/format.ts";
import { redisTest } from "../../test/support/fixtures.ts";
import { EVENT_CHANNEL, observeHeldLock } from "../../test/support/observed-lock.ts";
import { readCompanion, WRITABLE_FORMATS } from "../../test/support/test-locks.ts";
import { buildCompanionKey } from "./keys.ts";
import { LOCK_WRITERS } from "./lock-writer.ts";
import type { GrantedReply } from "./script-replies.ts";

const CLIENT = "0f8fad5b-d9cb-469f-a165-70867728950e";

/** Creates a request with an id and a token that only this client can create. */
const createRequest = (number: number, more = {}) => ({
  ...{ id: `client.${number}`, digest: "-", token: `${CLIENT}:${number}`, owner: "me", leaseMs: 30_000 },
  ...{ record: undefined, graceMs: 0, minHoldMs: 0, unit: "ms" as const },
  ...more,
});

const it = redisTest()
  .extend(
    "acquire",
    { scope: "file" },
    ({ direct }) =>
      (format: WritableFormat, key: string, number: number, more = {}) =>
        LOCK_WRITERS[format].acquire(direct, EVENT_CHANNEL, key, createRequest(number, more)),
  )
  .extend(
    "release",
    { scope: "file" },
    ({ direct }) =>
      (format: WritableFormat, key: string, { token, fence }: GrantedReply, id: string, more = {}) =>
        LOCK_WRITERS[format].release(direct, EVENT_CHANNEL, key, { id, digest: "-", token, fence, ...more }),
  )
  .extend("readText", { scope: "file" }, ({ direct }) => async (key: string) => {
    return (await direct.get(String(buildCompanionKey(key)))) ?? "";
  });

function requireGrant(reply: { readonly outcome: string }): GrantedReply {
  if (reply.outcome !== "granted") throw new Error(reply.outcome);
  return reply as GrantedReply;
}

describe.each(WRITABLE_FORMATS)("the last acquire of a companion (%s)", (format) => {
  it("is stored with its id only, and completed by the next request", async ({
    acquire,
    release,
    readText,
    key,
  }) => {
    const first = requireGrant(await acquire(format, key, 1));
    expect(await readText(key)).toMatch(/\nclient\.1\t$/);
    await release(format, key, first, "back.1");
    const [, acquired, released] =
      /\nclient\.1\tacquire\t-\t\t(\d{13})\nback\.1\treleased\t-\t\t(\d{13})$/.exec(await readText(key)) ?? [
        "",
        "",
        "",
      ];
    expect(Number(acquired)).toBe(Number(first.fence.slice(0, 13)));
    expect(Number(released)).toBeGreaterThanOrEqual(Number(acquired));
  });

  it("is the same after either path", async ({ acquire, release, readText, key }) => {
    const texts: string[] = [];
    // A repeated request runs the complete script.
    for (const more of [{}, { retryMs: 0 }]) {
      const name = `${key}:${texts.length}`;
      const hold = requireGrant(await acquire(format, name, 1, more));
      texts.push(await readText(name));
      await release(format, name, hold, "back.1", more);
      texts.push(await readText(name));
    }
    const [held, released, ...others] = texts.map((text) => text.replace(/\d{13,16}/g, "time"));
    expect(others).toEqual([held, released]);
  });

  it("repeats its grant only while its hold exists", async ({ acquire, release, direct, key }) => {
    const hold = requireGrant(await acquire(format, key, 1));
    expect(await acquire(format, key, 1, { retryMs: 0 })).toMatchObject({
      ...{ outcome: "granted", how: "repeated", token: hold.token, fence: hold.fence },
    });
    await release(format, key, hold, "back.1");
    expect(await acquire(format, key, 1, { retryMs: 0 })).toMatchObject({ outcome: "lost", why: "ended" });
    // Another client deletes the lock, and the first request arrives again during the hold of the second.
    const second = requireGrant(await acquire(format, key, 2));
    await direct.del(key);
    const third = requireGrant(await acquire(format, key, 3));
    expect(BigInt(third.fence)).toBeGreaterThan(BigInt(second.fence));
    expect(await acquire(format, key, 2, { retryMs: 0 })).toMatchObject({ outcome: "lost", why: "ended" });
    expect(await acquire(format, key, 3, { retryMs: 0 })).toMatchObject({
      ...{ outcome: "granted", how: "repeated", token: third.token },
    });
  });

  it("can be withdrawn, also after more requests than the window takes", async ({
    acquire,
    release,
    direct,
    key,
  }) => {
    const withdraw = { fence: undefined, acquiredBy: "client.1" };
    const hold = requireGrant(await acquire(format, key, 1));
    for (let n = 0; n < 60; n++) {
      const ask = {
        token: hold.token,
        fence: hold.fence,
        leaseMs: 30_000,
        id: `renewal.${n}`.padEnd(60, "r"),
      };
      await LOCK_WRITERS[format].renew(direct, EVENT_CHANNEL, key, { ...ask, digest: "d" });
    }
    expect(await release(format, key, hold, "back.1", withdraw)).toMatchObject({ outcome: "released" });
    expect(await direct.exists(key)).toBe(0);
    expect(await acquire(format, key, 1)).toMatchObject({ outcome: "lost", why: "withdrawn" });
  });

  it("can be withdrawn while it is open", async ({ acquire, release, readText, key }) => {
    const hold = requireGrant(await acquire(format, key, 1));
    const withdraw = { fence: undefined, acquiredBy: "client.1" };
    expect(await release(format, key, hold, "back.1", withdraw)).toMatchObject({ outcome: "released" });
    expect(await readText(key)).toMatch(/\nclient\.1\twithdrawn\t-\t\t\d{13}\nback\.1\treleased\t/);
    expect(await acquire(format, key, 1)).toMatchObject({ outcome: "lost", why: "withdrawn" });
  });

  it("has a fence if its token or its request id may be used again", async ({ acquire, readText, key }) => {
    const reservation = { token: "lockkeeper:reserve:mei" };
    requireGrant(await acquire(format, key, 1, reservation));
    expect(await readText(key)).toMatch(/\nclient\.1\tacquire\t-\t\d{16}\t\d{13}$/);
    requireGrant(await acquire(format, `${key}:2`, 2, { digest: "d" }));
    expect(await readText(`${key}:2`)).toMatch(/\nclient\.2\tacquire\td\t\d{16}\t\d{13}$/);
  });
});

it("the start of a hold is not stored if the fencing token contains it", async ({
  acquire,
  direct,
  readText,
  key,
}) => {
  const hold = requireGrant(await acquire("redisson", key, 1));
  const sinceMs = Number(hold.fence.slice(0, 13));
  expect(await readText(key)).toContain(`\n${hold.fence}\n\n30000\n`);
  expect(await readCompanion(direct, key)).toMatchObject({ sinceMs });
  expect((await observeHeldLock(direct, key)).holders[0].sinceMs).toBe(sinceMs);
});

it("the start of a hold is stored if a larger fencing token was issued before", async ({
  acquire,
  release,
  direct,
  readText,
  key,
}) => {
  const ahead = `\n\n0\n9000000000000000\n0\n0\n0\n0\n2\nredisson\n\n\n`;
  await direct.set(String(buildCompanionKey(key)), ahead);
  const before = Date.now();
  const hold = requireGrant(await acquire("redisson", key, 1));
  expect(hold.fence).toBe("9000000000000001");
  const { sinceMs } = (await readCompanion(direct, key)) ?? {};
  expect(Math.abs(Number(sinceMs) - before)).toBeLessThan(60_000);
  await release("redisson", key, hold, "back.1");
  expect(await readText(key)).toContain(`\nclient.1\tacquire\t-\t\t${sinceMs}\n`);
});

it("a held lock of a client takes at most 44 bytes beyond its token, owner, fence and request id", async ({
  acquire,
  readText,
  key,
}) => {
  const { fence } = requireGrant(await acquire("redisson", key, 1));
  const { token, owner, id } = createRequest(1);
  const text = await readText(key);
  expect(text.length - [token, owner, id, fence].join("").length).toBeLessThanOrEqual(44);
});
