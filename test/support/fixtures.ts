import { test } from "vitest";
import { LockClient } from "../../server/locks/client/lock-client.ts";
import type { WatcherOptions } from "../../server/watch/watcher.ts";
import { createTestKey, startTestLocks } from "./test-locks.ts";
import { startTestMasters } from "./test-masters.ts";
import { startTestRedis, type TestRedisOptions } from "./test-redis.ts";
import { startTestServer, type TestServerOptions } from "./test-server.ts";
import { startTestWatcher } from "./test-watcher.ts";

// Each function returns a test function whose fixtures are started when the first test of the file asks for them and
// stopped after the last. A file extends the result with what only it needs: `const it = redisTest().extend(…)`.

/** Tests on a throwaway Redis: `redis` the server, `direct` a plain connection to it, `key` a new lock key per test. */
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

/** Tests of the verbs on a throwaway Redis: `env` holds the server, the verbs and the library. */
export function locksTest(options: TestRedisOptions = {}) {
  return test
    .extend("env", { scope: "file" }, async ({}, { onCleanup }) => {
      const env = await startTestLocks(options);
      onCleanup(() => env.stop());
      return env;
    })
    .extend("client", { scope: "file" }, ({ env }) => env.openClient())
    .extend("key", () => createTestKey());
}

/** Tests on `count` independent masters: `masters` the servers, `client` the library on all of them. */
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

/** Tests of the watcher on a throwaway Redis: `watching` is the watcher with its masters and its journal. */
export function watcherTest(redis: TestRedisOptions = {}, options: Partial<WatcherOptions> = {}) {
  return redisTest(redis).extend("watching", { scope: "file" }, async ({ redis }, { onCleanup }) => {
    const watching = await startTestWatcher(redis.url, options);
    onCleanup(() => watching.stop());
    return watching;
  });
}

/** Tests of the API on a throwaway Redis: `server` the API without pages, `direct` a plain connection to its Redis. */
export function serverTest(options: TestServerOptions = {}) {
  return test
    .extend("server", { scope: "file" }, async ({}, { onCleanup }) => {
      const server = await startTestServer(options);
      onCleanup(() => server.stop());
      return server;
    })
    .extend("direct", { scope: "file" }, ({ server }) => server.redis.createClient())
    .extend("key", () => createTestKey());
}
