import { expect } from "vitest";
import { redisTest } from "../../test/support/fixtures.ts";
import { startTestProxy } from "../../test/support/test-proxy.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { acquireForeignLock, startTestWatcher } from "../../test/support/test-watcher.ts";

const it = redisTest();

it("a lock that could not be read before is not reported as acquired when it can be read", async ({
  redis,
  direct,
  key,
  onTestFinished,
}) => {
  await acquireForeignLock(direct, key);
  await direct.call("ACL", "SETUSER", "app", "on", ">secret", "+@all", "&*", "~lockkeeper:*");
  const { watcher, listEvents, stop } = await startTestWatcher(`redis://app:secret@127.0.0.1:${redis.port}`);
  onTestFinished(stop);
  await waitUntil(() => watcher.health().unreadableKeys?.count === 1);
  expect(watcher.isStateUnknown(key)).toBe(true);
  await direct.call("ACL", "SETUSER", "app", "~lock:*");
  await direct.pexpire(key, 50_000);
  await waitUntil(() => watcher.index.get(key) !== undefined);
  expect(watcher.isStateUnknown(key)).toBe(false);
  expect(watcher.index.get(key)?.holders[0].since).toBe("at_least");
  expect(listEvents(key).map(({ type }) => type)).not.toContain("acquired");
  expect(watcher.missedChanges.counts).toMatchObject({ found: 0, changed: 0 });
  // The next hold starts while the key can be read.
  await direct.del(key);
  await waitUntil(() => watcher.index.get(key) === undefined);
  await acquireForeignLock(direct, key);
  await waitUntil(() => watcher.index.get(key) !== undefined);
  expect(watcher.index.get(key)?.holders[0].since).toBe("exact");
});

it("a lock whose first read timed out is not reported as acquired when it is read", async ({
  redis,
  direct,
  key,
  onTestFinished,
}) => {
  const proxy = await startTestProxy(redis.port);
  onTestFinished(() => proxy.stop());
  proxy.heldText = await acquireForeignLock(direct, key);
  const { watcher, listEvents, stop } = await startTestWatcher(`redis://127.0.0.1:${proxy.port}`);
  onTestFinished(stop);
  expect([watcher.index.get(key), watcher.isStateUnknown(key)]).toEqual([undefined, true]);
  proxy.heldText = undefined;
  await waitUntil(() => watcher.index.get(key) !== undefined, 10_000);
  expect(watcher.index.get(key)?.holders[0].since).toBe("at_least");
  expect(listEvents(key).map(({ type }) => type)).toEqual(["seen"]);
  expect(watcher.missedChanges.counts).toMatchObject({ found: 0, changed: 0 });
});
