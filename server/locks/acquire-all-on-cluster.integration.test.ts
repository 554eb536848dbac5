import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { startTestCluster } from "../../test/support/cluster.ts";
import { catchLockError, createTestKey, getErrorCode, sleepMs } from "../../test/support/test-locks.ts";
import { openBackend } from "./backends/open-backend.ts";
import type { AcquiredGroup, Grant } from "./verbs/contract/grant.ts";

const ask = (owner: string, more = {}) => ({ owner, leaseMs: 30_000, ...more });
const toIds = ({ grants }: AcquiredGroup) => grants.map(({ key, token, fence }) => ({ key, token, fence }));
const requireGrant = (group: AcquiredGroup, at: number): Grant => {
  const grant = group.grants[at];
  if (grant === undefined) throw new Error("a grant is missing");
  return grant;
};

const it = test
  .extend("cluster", { scope: "file" }, async ({}, { onCleanup }) => {
    const cluster = await startTestCluster({ masters: 3 });
    onCleanup(() => cluster.stop());
    return cluster;
  })
  .extend("locks", { scope: "file" }, async ({ cluster }, { onCleanup }) => {
    const backend = await openBackend({ cluster: cluster.urls }, ["*"]);
    onCleanup(() => backend.close());
    return backend.verbs;
  })
  .extend("others", { scope: "file" }, async ({ cluster }, { onCleanup }) => {
    const backend = await openBackend({ cluster: cluster.urls }, ["*"]);
    onCleanup(() => backend.close());
    return backend.verbs;
  })
  // One key on each master, and two keys in one slot.
  .extend("keys", ({ cluster }) => {
    const tag = createTestKey("{tag");
    const apart = [0, 1, 2].map((master) => cluster.findKeyOnMaster(master, createTestKey()));
    return [...apart, `lock:${tag}}:1`, `lock:${tag}}:2`];
  });
it.beforeAll(async ({ cluster }) => {
  await cluster.masters[0]?.runCli("PING");
});

it("locks of several slots are acquired together, and each is held", async ({ locks, keys }) => {
  const group = await locks.acquireAll(keys, ask("me"));
  expect(group.grants.map(({ key }) => key)).toEqual(keys);
  for (const grant of group.grants) {
    expect(await locks.verify(grant)).toMatchObject({ held: true });
    expect(await locks.release(grant)).toMatchObject({ outcome: "released" });
  }
});

it("one held lock leaves none of the others held, whichever it is", async ({ locks, others, keys }) => {
  for (const key of keys) {
    const { grant } = await others.acquire(key, ask("you"));
    const error = await catchLockError(locks.acquireAll(keys, ask("me")));
    expect(error).toMatchObject({ code: "held", facts: { key } });
    await others.release(grant);
    const all = await others.acquireAll(keys, ask("you"));
    for (const each of all.grants) await others.release(each);
  }
});

it("a waiting request holds nothing, and gets all locks after the release", async ({
  locks,
  others,
  keys,
}) => {
  for (const key of keys) {
    const { grant } = await others.acquire(key, ask("you"));
    const waiting = locks.acquireAll(keys, ask("me", { waitMs: 20_000 }));
    await sleepMs(50);
    for (const free of keys.filter((each) => each !== key))
      expect(
        (await others.release((await others.acquire(free, ask("you", { waitMs: 1000 }))).grant)).outcome,
      ).toBe("released");
    await others.release(grant);
    for (const each of (await waiting).grants) await locks.release(each);
  }
});

it("a repeated request id returns the same holds, also from another process", async ({
  locks,
  others,
  keys,
}) => {
  const options = ask("me", { requestId: randomUUID() });
  const first = await locks.acquireAll(keys, options);
  const again = await others.acquireAll(keys, options);
  expect(again.isReplayed).toBe(true);
  expect(toIds(again)).toEqual(toIds(first));
  await locks.release(requireGrant(first, 2));
  expect(await getErrorCode(others.acquireAll(keys, options))).toBe("lost");
});

it("a repeated request after a withdrawal acquires all locks anew", async ({ locks, others, keys }) => {
  const options = ask("me", { requestId: randomUUID() });
  const { grant } = await others.acquire(keys[4] ?? "", ask("you"));
  expect(await getErrorCode(locks.acquireAll(keys, options))).toBe("held");
  await others.release(grant);
  const group = await others.acquireAll(keys, options);
  expect(group.isReplayed).toBe(false);
  for (const each of group.grants) expect(await locks.verify(each)).toMatchObject({ held: true });
});

it("two processes that repeat one request at the same time get the same holds or a refusal", async ({
  locks,
  others,
  keys,
}) => {
  for (let round = 0; round < 10; round++) {
    const options = ask("me", { requestId: randomUUID(), leaseMs: 10_000, waitMs: 10_000 });
    const [one, two] = await Promise.all([locks.acquireAll(keys, options), others.acquireAll(keys, options)]);
    expect(toIds(one)).toEqual(toIds(two));
    for (const each of one.grants) {
      expect(await others.verify(each)).toMatchObject({ held: true });
      await locks.release(each);
    }
  }
});
