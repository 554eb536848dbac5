import { test } from "vitest";
import type { Key } from "../../lib/keys/key.ts";
import type { FormatRules } from "../../server/formats/format-rules.ts";
import type { HeldObservation } from "../../server/formats/observation.ts";
import type { HomeStore } from "../../server/home/home-store.ts";
import { openHomeStore, waitForHomeStore } from "../../server/home/open-home-store.ts";
import { openBackend } from "../../server/locks/backends/open-backend.ts";
import { LockClient } from "../../server/locks/client/lock-client.ts";
import type { VerbHold } from "../../server/locks/verbs/contract/grant.ts";
import type { AcquireOptions } from "../../server/locks/verbs/contract/verbs.ts";
import type { WatcherOptions } from "../../server/watch/watcher.ts";
import {
  EVENT_CHANNEL,
  forceReleaseObserved,
  getHolder,
  observeHeldLock,
  observeLock,
  RESERVED_BY_MEI,
} from "./observed-lock.ts";
import { RedissonTestbed } from "./redisson-testbed.ts";
import { createTestKey, openTestVerbs, startTestLocks } from "./test-locks.ts";
import { startTestMasters } from "./test-masters.ts";
import { startTestRedis, type TestRedisOptions } from "./test-redis.ts";
import { startTestServer, type TestServerOptions } from "./test-server.ts";
import { startTestWatcher } from "./test-watcher.ts";

// Each function returns a test function with fixtures. A fixture starts with the first test of the file that uses it
// and stops after the last test. Test files add fixtures with `const it = redisTest().extend(…)`.

/**
 * Returns a test function for tests on a temporary Redis. `redis` is the server, `direct` is a plain connection to the
 * server, and `key` is a new lock key for each test.
 */
export function redisTest(options: TestRedisOptions = {}) {
  return test
    .extend("redis", { scope: "file" }, async ({}, { onCleanup }) => {
      const redis = await startTestRedis(options);
      onCleanup(() => redis.stop());
      return redis;
    })
    .extend("direct", { scope: "file" }, ({ redis }) => redis.createClient())
    .extend("key", () => createTestKey());
}

/**
 * Returns a test function for the home store. Each test starts with an empty Redis. `openHome` opens a home store in
 * this Redis, as a new process does.
 */
export function homeTest() {
  return redisTest().extend("openHome", async ({ redis, direct }, { onCleanup }) => {
    const opened: HomeStore[] = [];
    onCleanup(() => {
      for (const home of opened) home.close();
    });
    await direct.flushall();
    return async () => {
      const home = openHomeStore(redis.url);
      opened.push(home);
      await waitForHomeStore(home, "the test's");
      return home;
    };
  });
}

/**
 * Returns a test function for the lock verbs on a temporary Redis. `env` contains the server, the verbs and a plain
 * connection, and `client` is the client library.
 */
export function locksTest(options: TestRedisOptions = {}) {
  return test
    .extend("env", { scope: "file" }, async ({}, { onCleanup }) => {
      const env = await startTestLocks(options);
      onCleanup(() => env.stop());
      return env;
    })
    .extend("direct", { scope: "file" }, ({ env }) => env.direct)
    .extend("locks", { scope: "file" }, ({ env }) => env.locks)
    .extend("acquire", { scope: "file" }, ({ env }) => env.acquire)
    .extend("client", { scope: "file" }, ({ env }) => env.openClient())
    .extend("key", () => createTestKey());
}

/**
 * Returns a test function for tests on `count` independent masters. `masters` are the servers, and `client` is the
 * client library with a quorum of all masters.
 */
export function mastersTest(count: number, optionsOf?: Parameters<typeof startTestMasters>[1]) {
  return test
    .extend("masters", { scope: "file" }, async ({}, { onCleanup }) => {
      const masters = await startTestMasters(count, optionsOf);
      onCleanup(() => masters.stop());
      return masters;
    })
    .extend("client", { scope: "file" }, async ({ masters }, { onCleanup }) => {
      const client = await LockClient.open({ quorum: masters.urls });
      onCleanup(() => client.close());
      return client;
    })
    .extend("key", () => createTestKey());
}

/**
 * Returns a test function for the lock verbs on a quorum of `count` masters. `backend` has the verbs, `acquire`
 * acquires a lock as "me" or another owner, and `release` releases a granted hold.
 */
export function quorumTest(count: number) {
  return mastersTest(count)
    .extend("backend", { scope: "file" }, async ({ masters }, { onCleanup }) => {
      const backend = await openBackend({ quorum: masters.urls }, ["*"]);
      onCleanup(() => backend.close());
      return backend;
    })
    .extend(
      "acquire",
      { scope: "file" },
      ({ backend }) =>
        async (key: string, owner = "me", more: Partial<AcquireOptions> = {}) =>
          (await backend.verbs.acquire(key, { owner, leaseMs: 20_000, ...more })).grant,
    )
    .extend(
      "release",
      { scope: "file" },
      ({ backend }) =>
        (hold: VerbHold) =>
          backend.verbs.release(hold),
    )
    .extend(
      "readFences",
      { scope: "file" },
      ({ masters }) =>
        async (key: string) =>
          (await masters.readCompanions(key)).map((hold) => hold?.fence ?? null),
    );
}

/**
 * Returns a test function for tests that kill or freeze masters. Each test has `count` separate masters. `openClient`
 * opens the client library with the URLs of these masters or other URLs.
 */
export function separateMastersTest(count: number) {
  return test
    .extend("masters", async ({}, { onCleanup }) => {
      const masters = await startTestMasters(count);
      onCleanup(() => masters.stop());
      return masters;
    })
    .extend("openClient", async ({ masters }, { onCleanup }) => {
      const clients: LockClient[] = [];
      onCleanup(() => {
        for (const client of clients) client.close();
      });
      return async (urls: readonly string[] = masters.urls) => {
        const client = await LockClient.open({ quorum: urls });
        clients.push(client);
        return client;
      };
    })
    .extend("key", () => createTestKey());
}

/**
 * Returns a test function for formats on a temporary Redis. `observe` and `observeHeld` read a lock, `forceRelease`
 * force-releases an observed lock as the operator mei, and `messages` are the messages that scripts published.
 */
export function formatTest(options: TestRedisOptions = {}) {
  return redisTest(options)
    .extend(
      "observe",
      { scope: "file" },
      ({ direct }) =>
        (key: Key, rules?: FormatRules) =>
          observeLock(direct, key, rules),
    )
    .extend(
      "observeHeld",
      { scope: "file" },
      ({ direct }) =>
        (key: Key, rules?: FormatRules) =>
          observeHeldLock(direct, key, rules),
    )
    .extend(
      "forceRelease",
      { scope: "file" },
      ({ direct }) =>
        (seen: HeldObservation, { owner, reservedMs }: { owner?: string; reservedMs?: number } = {}) =>
          forceReleaseObserved(direct, EVENT_CHANNEL, seen, {
            holder: owner === undefined ? undefined : getHolder(seen, owner),
            reservation: reservedMs === undefined ? undefined : { owner: RESERVED_BY_MEI, reservedMs },
          }),
    )
    .extend("messages", { scope: "file" }, async ({ redis }) => {
      const messages: Buffer[] = [];
      const listener = redis.createClient();
      listener.on("messageBuffer", (_, message) => messages.push(message));
      await listener.subscribe(EVENT_CHANNEL);
      return messages;
    });
}

/**
 * Returns a test function for tests with Redisson clients on a temporary Redis. `scene` contains the server and the
 * clients.
 */
export function redissonTest() {
  return test
    .extend("scene", { scope: "file" }, async ({}, { onCleanup }) => {
      const scene = await RedissonTestbed.open();
      onCleanup(() => scene.close());
      return scene;
    })
    .extend("key", () => createTestKey());
}

/**
 * Returns a test function for the watcher on a temporary Redis. `watching` is the watcher with its masters and its
 * journal, `locks` are the lock verbs, and `listEvents` lists the events of a key.
 */
export function watcherTest(redis: TestRedisOptions = {}, options: Partial<WatcherOptions> = {}) {
  return redisTest(redis)
    .extend("watching", { scope: "file" }, async ({ redis }, { onCleanup }) => {
      const watching = await startTestWatcher(redis.url, options);
      onCleanup(() => watching.stop());
      return watching;
    })
    .extend("watcher", { scope: "file" }, ({ watching }) => watching.watcher)
    .extend("journal", { scope: "file" }, ({ watching }) => watching.journal)
    .extend("listEvents", { scope: "file" }, ({ watching }) => watching.listEvents)
    .extend("locks", { scope: "file" }, async ({ redis }, { onCleanup }) => {
      const verbs = await openTestVerbs(redis.port);
      onCleanup(() => verbs.close());
      return verbs.locks;
    });
}

/**
 * Returns a test function for the API on a temporary Redis. `server` is an instance without the console, `other` is
 * another instance with the same Redis and home store, `direct` is a plain connection to this Redis, and `key` is a new
 * lock key for each test.
 */
export function serverTest(options: TestServerOptions = {}) {
  return test
    .extend("server", { scope: "file" }, async ({}, { onCleanup }) => {
      const server = await startTestServer(options);
      onCleanup(() => server.stop());
      return server;
    })
    .extend("other", { scope: "file" }, async ({ server }, { onCleanup }) => {
      const other = await startTestServer({ environment: { REDIS_URL: server.redis.url } });
      onCleanup(() => other.stop());
      return other;
    })
    .extend("direct", { scope: "file" }, ({ server }) => server.redis.createClient())
    .extend("key", () => createTestKey());
}
