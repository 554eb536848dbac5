import { readFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import { requireServerFeature } from "../../test/support/server-features.ts";
import { createTestKey } from "../../test/support/test-locks.ts";
import { findFreePort, startTestRedis } from "../../test/support/test-redis.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { createForeignOwner, startTestWatcher } from "../../test/support/test-watcher.ts";
import { parseRedisAddress, type RedisAddress } from "../redis/connect.ts";
import type { WatcherOptions } from "./watcher.ts";

const NEEDED = "Kghszxe$";
const SETTING = "notify-keyspace-events";
const [CERT, KEY] = ["cert.pem", "key.pem"].map((name) =>
  fileURLToPath(new URL(`../../test/support/tls/${name}`, import.meta.url)),
) as [string, string];

const it = test
  .extend("dir", { scope: "file" }, async ({}, { onCleanup }) => {
    const dir = await realpath(await mkdtemp(join(tmpdir(), "lockkeeper-socket-")));
    onCleanup(() => rm(dir, { recursive: true, force: true }));
    return dir;
  })
  .extend("redis", { scope: "file" }, async ({ dir }, { onCleanup }) => {
    const redis = await startTestRedis({
      args: ["--unixsocket", join(dir, "redis.sock"), "--repl-diskless-sync-delay", "0"],
    });
    onCleanup(() => redis.stop());
    return redis;
  })
  .extend("client", { scope: "file" }, ({ redis }) => redis.createClient())
  // Restores the notification setting, which a test may have changed.
  .extend("direct", ({ client }, { onCleanup }) => {
    onCleanup(async () => void (await client.config("SET", SETTING, NEEDED)));
    return client;
  })
  .extend("startWatching", ({}, { onCleanup }) => {
    const open: (() => void)[] = [];
    onCleanup(() => {
      for (const stop of open) stop();
    });
    return async (where: string | RedisAddress, more: Partial<WatcherOptions> = {}) => {
      const { watcher, stop } = await startTestWatcher(where, more);
      open.push(stop);
      return watcher;
    };
  })
  .extend("createUser", ({ redis, direct }) => async (name: string, ...rules: readonly string[]) => {
    await direct.call("ACL", "SETUSER", name, "reset", "resetchannels", "on", ">secret", ...rules);
    return `redis://${name}:secret@127.0.0.1:${redis.port}`;
  });

/** Blocks the event loop as a garbage collection or a large sort would: no timer fires and nothing is read. */
function blockEventLoop(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

async function acquireLock(direct: Redis): Promise<string> {
  const key = createTestKey();
  await direct.hset(key, createForeignOwner(), 1);
  return key;
}

describe("blocked event loop", () => {
  it("a watcher whose process was blocked for 2 s stays live and keeps its index", async ({
    redis,
    direct,
    startWatching,
  }) => {
    const watcher = await startWatching(redis.url);
    const states = new Set<string>();
    watcher.onChange(() => states.add(watcher.health().state));
    blockEventLoop(2000);
    const key = await acquireLock(direct);
    await waitUntil(() => watcher.index.get(key) !== undefined);
    expect([...states]).toEqual(["live"]);
  });
});

describe("Redis addresses", () => {
  it("a watcher receives changes over a unix socket and in another database", async ({
    dir,
    redis,
    direct,
    startWatching,
  }) => {
    const watchers = [
      await startWatching(`unix://${join(dir, "redis.sock")}?db=5`),
      await startWatching(`${redis.url}/5`),
    ];
    await direct.select(5);
    const key = await acquireLock(direct);
    for (const watcher of watchers) {
      await waitUntil(() => watcher.index.get(key) !== undefined);
      expect(watcher.health()).toMatchObject({ state: "live", notifications: "on" });
    }
    // SWAPDB changes all keys of a database at once, without a notification.
    await direct.swapdb(5, 6);
    for (const watcher of watchers) await waitUntil(() => watcher.index.get(key) === undefined);
    await direct.swapdb(5, 6);
    for (const watcher of watchers) await waitUntil(() => watcher.index.get(key) !== undefined);
    await direct.select(0);
  });

  it("a watcher receives changes over TLS", async ({ direct, startWatching, skip }) => {
    await requireServerFeature({ skip }, direct, "tls");
    const port = await findFreePort();
    // Sets the port last, because Redis loads the certificate when it opens the port.
    for (const [name, value] of [
      ["tls-cert-file", CERT],
      ["tls-key-file", KEY],
      ["tls-ca-cert-file", CERT],
      ["tls-auth-clients", "no"],
      ["tls-port", String(port)],
    ] as const)
      await direct.config("SET", name, value);
    const { options, ...address } = parseRedisAddress(`rediss://localhost:${port}`);
    const tls = { ...options.tls, ca: readFileSync(CERT) };
    const watcher = await startWatching({ ...address, options: { ...options, tls } });
    const key = await acquireLock(direct);
    await waitUntil(() => watcher.index.get(key) !== undefined);
    expect(watcher.health()).toMatchObject({ state: "live", notifications: "on" });
  });
});

describe("notification canary", () => {
  it("without CONFIG rights, the canary detects notifications being on, switched off and on again", async ({
    direct,
    startWatching,
    createUser,
  }) => {
    const url = await createUser("managed", "~*", "&*", "+@all", "-config");
    const watcher = await startWatching(url);
    expect(watcher.health()).toMatchObject({ notifications: "on" });
    await direct.config("SET", SETTING, "");
    await waitUntil(() => watcher.health().notifications === "off");
    expect(watcher.health().detail).toContain("in the configuration of this Redis");
    const key = await acquireLock(direct);
    await waitUntil(() => watcher.index.get(key) !== undefined);
    await direct.config("SET", SETTING, NEEDED);
    await waitUntil(() => watcher.health().notifications === "on");
    const laterKey = await acquireLock(direct);
    await waitUntil(() => watcher.index.get(laterKey) !== undefined);
  });

  it("notifications count as off when those of one key type are missing", async ({
    direct,
    startWatching,
    createUser,
  }) => {
    const watcher = await startWatching(await createUser("managed", "~*", "&*", "+@all", "-config"));
    await direct.config("SET", SETTING, NEEDED.replace("h", ""));
    await waitUntil(() => watcher.health().notifications === "off");
    const key = await acquireLock(direct);
    await waitUntil(() => watcher.index.get(key) !== undefined);
  });

  it("the CONFIG setting is used when ACL rules do not allow the canary key", async ({
    direct,
    startWatching,
    createUser,
  }) => {
    const watcher = await startWatching(
      await createUser(
        "narrow",
        "~lock:*",
        "~*lock:*",
        "&__keyspace@0__:lock:*",
        "&lockkeeper:events:0",
        "+@all",
      ),
    );
    expect(watcher.health()).toMatchObject({ state: "live", notifications: "on" });
    const key = await acquireLock(direct);
    await waitUntil(() => watcher.index.get(key) !== undefined);
  });
});

describe("read-only targets", () => {
  it("a read-only user can watch a target without denied commands, and FLUSHALL and SWAPDB are noticed", async ({
    direct,
    startWatching,
    createUser,
  }) => {
    const url = await createUser(
      "reader",
      ...[
        "~*",
        "&*",
        "-@all",
        "+@read",
        "+evalsha",
        "+script|load",
        "+info",
        "+config|get",
        "+ping",
        "+time",
      ],
      ...["+select", "+client|setname", "+psubscribe", "+subscribe", "+pubsub|numsub", "+command"],
    );
    await direct.call("ACL", "LOG", "RESET");
    const watcher = await startWatching(url, { readOnly: true });
    expect(watcher.health()).toMatchObject({ state: "live", notifications: "on" });
    const key = await acquireLock(direct);
    await waitUntil(() => watcher.index.get(key) !== undefined);
    await direct.flushall();
    await waitUntil(() => watcher.index.get(key) === undefined);
    const again = await acquireLock(direct);
    await waitUntil(() => watcher.index.get(again) !== undefined);
    await direct.swapdb(0, 1);
    await waitUntil(() => watcher.index.get(again) === undefined);
    await direct.config("SET", SETTING, "");
    await waitUntil(() => watcher.health().notifications === "off");
    expect(await direct.keys("lockkeeper:*")).toEqual([]);
    expect(await direct.call("ACL", "LOG")).toEqual([]);
  });
});

describe("demoted masters", () => {
  it("a master that becomes a replica is down and names its master; after promotion the index holds its new data", async ({
    redis,
    direct,
    startWatching,
  }) => {
    const other = await startTestRedis({ args: ["--repl-diskless-sync-delay", "0"] });
    const copied = await acquireLock(other.createClient());
    const [writer, reader] = [
      await startWatching(redis.url),
      await startWatching(redis.url, { readOnly: true }),
    ];
    const gone = await acquireLock(direct);
    await waitUntil(() => [writer, reader].every(({ index }) => index.get(gone) !== undefined));
    await direct.replicaof("127.0.0.1", other.port);
    for (const watcher of [writer, reader]) {
      await waitUntil(() => watcher.health().state === "down");
      await waitUntil(() => watcher.health().detail?.includes(`replica of 127.0.0.1:${other.port}`) ?? false);
    }
    await waitUntil(async () => (await direct.info("replication")).includes("master_link_status:up"));
    await direct.replicaof("NO", "ONE");
    for (const watcher of [writer, reader]) {
      await waitUntil(() => watcher.health().state === "live");
      expect(watcher.index.get(gone)).toBeUndefined();
      expect(watcher.index.get(copied)).toBeDefined();
    }
    await other.stop();
  });
});
