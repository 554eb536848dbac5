import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { quorumTest } from "../../../test/support/fixtures.ts";
import { catchLockError, createTestKey, readCompanion, sleepMs } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import type { AcquiredGroup } from "../verbs/contract/grant.ts";

const ask = (owner: string, more = {}) => ({ owner, leaseMs: 30_000, ...more });
const toIds = ({ grants }: AcquiredGroup) => grants.map(({ key, token, fence }) => ({ key, token, fence }));

const it = quorumTest(3).extend("keys", () => ["b", "a", "c"].map((name) => createTestKey(`lock:${name}`)));

it("all locks are granted by the majority, or none remains", async ({
  backend,
  acquire,
  release,
  masters,
  keys,
}) => {
  const locks = backend.verbs;
  for (const key of keys) {
    const held = await acquire(key, "you");
    const error = await catchLockError(locks.acquireAll(keys, ask("me")));
    expect(error).toMatchObject({ code: "held", facts: { key } });
    await release(held);
    await waitUntil(async () => {
      const counts = masters.clients.map((direct) => direct.exists(...keys));
      return (await Promise.all(counts)).every((count) => count === 0);
    });
  }
  const group = await locks.acquireAll(keys, ask("me"));
  expect(group.grants.map(({ key }) => key)).toEqual(keys);
  for (const each of group.grants) expect(await release(each)).toMatchObject({ outcome: "released" });
});

it("a waiting request gets all locks after the release, and repeats return them", async ({
  backend,
  acquire,
  release,
  keys,
}) => {
  const held = await acquire(keys[1] ?? "", "you");
  const options = ask("me", { waitMs: 20_000, requestId: randomUUID() });
  const waiting = backend.verbs.acquireAll(keys, options);
  await sleepMs(50);
  await release(held);
  const group = await waiting;
  expect(toIds(await backend.verbs.acquireAll(keys, options))).toEqual(toIds(group));
  for (const each of group.grants) expect(await release(each)).toMatchObject({ outcome: "released" });
});

it("holds on a quorum declare no release requests", async ({ backend, release, masters, keys }) => {
  const group = await backend.verbs.acquireAll(keys, ask("me", { receivesReleaseRequests: true }));
  for (const key of keys) {
    const companions = await Promise.all(masters.clients.map((direct) => readCompanion(direct, key)));
    expect(companions.filter((each) => each?.receivesReleaseRequests === true)).toEqual([]);
  }
  for (const each of group.grants) await release(each);
});
