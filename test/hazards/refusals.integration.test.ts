import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { buildCompanionKey } from "../../server/formats/keys.ts";
import type { AcquireOptions } from "../../server/locks/verbs/contract/verbs.ts";
import { hasServerFeature } from "../support/server-features.ts";
import {
  createTestKey,
  getErrorCode,
  startTestLocks,
  type TestLocks,
  WRITABLE_FORMATS,
} from "../support/test-locks.ts";
import type { TestRedisOptions } from "../support/test-redis.ts";
import { waitUntil } from "../support/test-server.ts";

interface RefusalCase {
  readonly error: string;
  begin(env: TestLocks): Promise<unknown>;
  end(env: TestLocks): Promise<unknown>;
}

const settings = (env: TestLocks, ...pairs: [string, string][]) =>
  Promise.all(pairs.map(([name, value]) => env.direct.config("SET", name, value)));

/** Errors that Redis returns temporarily. */
const PASSING: readonly RefusalCase[] = [
  {
    error: "READONLY",
    begin: ({ direct }) => direct.replicaof("127.0.0.1", 1),
    end: ({ direct }) => direct.replicaof("NO", "ONE"),
  },
  {
    error: "MASTERDOWN",
    async begin(env) {
      await settings(env, ["replica-serve-stale-data", "no"]);
      await env.direct.replicaof("127.0.0.1", 1);
    },
    end: ({ direct }) => direct.replicaof("NO", "ONE"),
  },
  {
    error: "NOREPLICAS",
    begin: (env) => settings(env, ["min-replicas-to-write", "1"]),
    end: (env) => settings(env, ["min-replicas-to-write", "0"]),
  },
  {
    error: "BUSY",
    async begin(env) {
      await settings(env, ["lua-time-limit", "20"]);
      const busy = env.redis.createClient();
      busy.eval("while true do end", 0).catch(() => undefined);
      await waitUntil(async () => (await getErrorCode(env.direct.ping())).includes("BUSY"));
    },
    async end({ direct }) {
      // When this command is refused, all commands sent before it have been refused too.
      await getErrorCode(direct.ping());
      await direct.script("KILL");
      await waitUntil(async () => (await getErrorCode(direct.ping())) === "ok");
      expect(await direct.info("commandstats")).toMatch(/cmdstat_evalsha:.*rejected_calls=[1-9]/);
    },
  },
];

const LASTING: readonly RefusalCase[] = [
  {
    error: "OOM",
    begin: (env) => settings(env, ["maxmemory", "1"], ["maxmemory-policy", "noeviction"]),
    end: (env) => settings(env, ["maxmemory", "0"]),
  },
  {
    error: "MISCONF",
    async begin(env) {
      await settings(env, ["save", "900 1"], ["stop-writes-on-bgsave-error", "yes"]);
      await env.direct.bgsave();
      await waitUntil(async () =>
        (await env.direct.info("persistence")).includes("rdb_last_bgsave_status:err"),
      );
    },
    end: (env) => settings(env, ["stop-writes-on-bgsave-error", "no"]),
  },
];

const it = test
  .extend("dir", async ({}, { onCleanup }) => {
    const dir = await mkdtemp(join(tmpdir(), "lockkeeper-hazard-"));
    onCleanup(() => rm(dir, { recursive: true, force: true }));
    return dir;
  })
  // Starts a separate server for each test.
  .extend("startLocks", async ({}, { onCleanup }) => {
    const started: TestLocks[] = [];
    onCleanup(async () => {
      for (const each of started) await each.stop();
    });
    return async (options: TestRedisOptions = {}) => {
      const locks = await startTestLocks(options);
      started.push(locks);
      return locks;
    };
  })
  .extend("key", () => createTestKey());

/**
 * Counts the replies with the given error to any client since the server started. Returns 1 for BUSY, because a busy
 * server does not report statistics.
 */
async function countErrors({ direct }: TestLocks, error: string): Promise<number> {
  if (error === "BUSY") return 1;
  const codes = (await hasServerFeature(direct, "script_error_codes")) ? [error] : [error, "ERR"];
  const stats = await direct.info("errorstats");
  const count = (code: string) =>
    Number(new RegExp(`^errorstat_${code}:count=(\\d+)`, "m").exec(stats)?.[1] ?? 0);
  return codes.reduce((sum, code) => sum + count(code), 0);
}

const isUntouched = async ({ direct }: TestLocks, key: string) =>
  (await direct.exists(key, String(buildCompanionKey(key)))) === 0;

describe.concurrent("hazard 16: errors raised before execution", () => {
  it.for(PASSING)(
    "a temporary $error error is retried and the acquire succeeds once it has passed",
    async ({ error, begin, end }, { startLocks, key }) => {
      const env = await startLocks();
      await begin(env);
      const before = error === "BUSY" ? 0 : await countErrors(env, error);
      const acquired = env.acquire(key, "me");
      await waitUntil(async () => (await countErrors(env, error)) > before);
      await end(env);
      expect((await acquired).count).toBe(1);
    },
  );

  it("a persistent NOREPLICAS error returns unavailable with its name and changes nothing", async ({
    startLocks,
    key,
  }) => {
    const env = await startLocks();
    await settings(env, ["min-replicas-to-write", "1"]);
    const refused: unknown = await env.acquire(key, "me").catch((reason: unknown) => reason);
    expect(refused).toMatchObject({ code: "unavailable", message: expect.stringContaining("NOREPLICAS") });
    await settings(env, ["min-replicas-to-write", "0"]);
    expect(await isUntouched(env, key)).toBe(true);
  });

  it.for(LASTING)(
    "a lasting $error error is returned within 1 s and changes nothing",
    async ({ error, begin, end }, { dir, startLocks, key }) => {
      const env = await startLocks({ dir });
      // Without its folder, the server cannot save a snapshot.
      await rm(dir, { recursive: true });
      await begin(env);
      const startedAt = performance.now();
      const refused: unknown = await env.acquire(key, "me").catch((reason: unknown) => reason);
      expect(performance.now() - startedAt).toBeLessThan(1000);
      expect(refused).toMatchObject({ code: "unavailable", message: expect.stringContaining(error) });
      await end(env);
      expect(await isUntouched(env, key)).toBe(true);
      expect((await env.acquire(key, "me")).count).toBe(1);
    },
  );

  it.for(WRITABLE_FORMATS)(
    "%s: locks with and without a grace period can be released while Redis is out of memory",
    async (format, { startLocks }) => {
      const env = await startLocks();
      const holds = await Promise.all(
        [{}, { graceMs: 1000 }].map((more) => env.acquire(createTestKey(), "me", { format, ...more })),
      );
      await settings(env, ["maxmemory", "1"]);
      for (const hold of holds) {
        expect(await env.locks.release(hold)).toMatchObject({ outcome: "released" });
        expect(await env.direct.exists(hold.key)).toBe(0);
      }
    },
  );

  it.for<Pick<AcquireOptions, "format" | "kind">>([
    ...WRITABLE_FORMATS.map((format) => ({ format })),
    ...(["fair", "read", "write", "semaphore", "plain_semaphore"] as const).map((kind) => ({ kind })),
  ])("%o: holds can be renewed while Redis is out of memory", async (what, { startLocks, key }) => {
    const env = await startLocks();
    const permits = what.kind?.endsWith("semaphore") ? { permits: 1, limit: 2 } : {};
    const hold = await env.acquire(key, "me", { ...what, ...permits, leaseMs: 10_000 });
    await settings(env, ["maxmemory", "1"]);
    const { remainingMs } = await env.locks.renew(hold, { leaseMs: 60_000 });
    expect(remainingMs).toBeGreaterThan(50_000);
    const [settled] = await env.locks.renewHolds([{ ...hold, leaseMs: 90_000 }]);
    expect(settled).toMatchObject({ status: "fulfilled" });
  });

  it.for(WRITABLE_FORMATS)(
    "%s: partial releases and not_held are reported correctly while Redis is out of memory",
    async (format, { startLocks }) => {
      const env = await startLocks();
      const hold = await env.acquire(createTestKey(), "me", { format });
      for (let n = 0; n < 2; n++) await env.locks.reenter(hold);
      await settings(env, ["maxmemory", "1"]);
      for (const [outcome, count] of [
        ["still_held", 2],
        ["still_held", 1],
        ["released", 0],
      ] as const) {
        const released = await env.locks.release(hold, { requestId: `left-${count}` });
        expect(released).toMatchObject({ outcome, count });
      }
      for (const ended of [hold, { ...hold, key: createTestKey() }]) {
        expect(await env.locks.release(ended)).toMatchObject({ outcome: "not_held" });
      }
    },
  );

  it("an acquire during LOADING succeeds once Redis has loaded its data", async ({ dir, startLocks }) => {
    // Loading takes about half a millisecond for each key, and Redis replies to clients after every 2 MB.
    const args = ["--key-load-delay", "400", "--rdbcompression", "no"];
    const env = await startLocks({ dir, args });
    const { direct, redis } = env;
    const full = direct.pipeline();
    for (let n = 0; n < 1000; n++) full.set(`data:${n}`, "x".repeat(10_000));
    await full.exec();
    await direct.save();
    await redis.kill();
    const back = redis.restart();
    const codes: string[] = [];
    const acquired = waitUntil(async () => {
      codes.push(await getErrorCode(env.acquire("lock:early", "me")));
      return codes.at(-1) === "ok";
    }, 15_000);
    await Promise.all([back, acquired]);
    // LOADING must be reported as a temporary error. A busy Redis may also reply too late to a command that it has
    // executed.
    const allowed = ["ok", "unavailable", "unknown_outcome"];
    expect(codes.filter((code) => !allowed.includes(code))).toEqual([]);
    expect(await direct.exists("data:999")).toBe(1);
  });
});
