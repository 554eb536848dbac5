import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { findFreePort, startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { startTestWatcher } from "../../test/support/test-watcher.ts";
import { parseRedisAddress, type RedisAddress } from "../redis/connect.ts";
import type { WatcherOptions } from "./watcher.ts";

const NEEDED = "Kghszxe$";
const SETTING = "notify-keyspace-events";
const [CERT, KEY] = ["cert.pem", "key.pem"].map((name) =>
  fileURLToPath(new URL(`../../test/support/tls/${name}`, import.meta.url)),
) as [string, string];

let dir: string;
let tlsPort: number;
let redis: TestRedis;
let direct: Redis;
let open: (() => void)[] = [];

beforeAll(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "lockkeeper-socket-")));
  tlsPort = await findFreePort();
  redis = await startTestRedis({
    args: [
      ...["--unixsocket", join(dir, "redis.sock"), "--repl-diskless-sync-delay", "0"],
      ...["--tls-port", String(tlsPort), "--tls-cert-file", CERT, "--tls-key-file", KEY],
      ...["--tls-ca-cert-file", CERT, "--tls-auth-clients", "no"],
    ],
  });
  direct = redis.createClient();
});
afterEach(async () => {
  for (const close of open) close();
  open = [];
  await direct.config("SET", SETTING, NEEDED);
});
afterAll(async () => {
  await redis.stop();
  await rm(dir, { recursive: true, force: true });
});

async function watching(where: string | RedisAddress, more: Partial<WatcherOptions> = {}) {
  const { watcher, stop } = await startTestWatcher(where, more);
  open.push(stop);
  return watcher;
}

/** As a collection of garbage or the sorting of a million locks does, when no timer fires and nothing is read. */
function blockEventLoop(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const createKey = () => `lock:${randomUUID()}`;

async function acquireForeignLock(at: Redis = direct, key = createKey()): Promise<string> {
  await at.hset(key, `${randomUUID()}:1`, 1);
  return key;
}

async function createUser(name: string, ...rules: readonly string[]): Promise<string> {
  await direct.call("ACL", "SETUSER", name, "reset", "on", ">secret", ...rules);
  return `redis://${name}:secret@127.0.0.1:${redis.port}`;
}

describe("blocked event loop", () => {
  it("a watcher whose process was blocked for 2 s stays live and keeps its index", async () => {
    const watcher = await watching(redis.url);
    const states = new Set<string>();
    watcher.onChange(() => states.add(watcher.health().state));
    blockEventLoop(2000);
    const key = await acquireForeignLock();
    await waitUntil(() => watcher.index.get(key) !== undefined);
    expect([...states]).toEqual(["live"]);
  });
});

describe("Redis addresses", () => {
  it("a watcher receives changes over a unix socket, in another database and over TLS", async () => {
    const tls = parseRedisAddress(`rediss://localhost:${tlsPort}/5`);
    const secured = { ...tls.options, tls: { ...tls.options.tls, ca: readFileSync(CERT) } };
    const watchers = [
      await watching(`unix://${join(dir, "redis.sock")}?db=5`),
      await watching(`${redis.url}/5`),
      await watching({ ...tls, options: secured }),
    ];
    await direct.select(5);
    const key = await acquireForeignLock();
    for (const watcher of watchers) {
      await waitUntil(() => watcher.index.get(key) !== undefined, 1000);
      expect(watcher.health()).toMatchObject({ state: "live", notifications: "on" });
    }
    // All keys of a database change at once, and Redis says nothing of it.
    await direct.swapdb(5, 6);
    for (const watcher of watchers) await waitUntil(() => watcher.index.get(key) === undefined, 3000);
    await direct.swapdb(5, 6);
    for (const watcher of watchers) await waitUntil(() => watcher.index.get(key) !== undefined, 3000);
    await direct.select(0);
  });
});

describe("notification canary", () => {
  it("without CONFIG rights, the canary detects notifications being on, switched off and on again", async () => {
    const url = await createUser("managed", "~*", "&*", "+@all", "-config");
    const watcher = await watching(url);
    expect(watcher.health()).toMatchObject({ notifications: "on" });
    await direct.config("SET", SETTING, "");
    await waitUntil(() => watcher.health().notifications === "off", 3000);
    expect(watcher.health().detail).toContain("where this Redis is administered");
    const key = await acquireForeignLock();
    await waitUntil(() => watcher.index.get(key) !== undefined, 1500);
    await direct.config("SET", SETTING, NEEDED);
    await waitUntil(() => watcher.health().notifications === "on", 3000);
    const heard = await acquireForeignLock();
    await waitUntil(() => watcher.index.get(heard) !== undefined, 1000);
  });

  it("notifications count as off when those of one key type are missing", async () => {
    const watcher = await watching(await createUser("managed", "~*", "&*", "+@all", "-config"));
    await direct.config("SET", SETTING, NEEDED.replace("h", ""));
    await waitUntil(() => watcher.health().notifications === "off", 3000);
    const key = await acquireForeignLock();
    await waitUntil(() => watcher.index.get(key) !== undefined, 1500);
  });

  it("the CONFIG setting is used when ACL rules do not allow the canary key", async () => {
    const watcher = await watching(
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
    const key = await acquireForeignLock();
    await waitUntil(() => watcher.index.get(key) !== undefined, 1000);
  });
});

describe("read-only targets", () => {
  it("a read-only user can watch a target without denied commands, and FLUSHALL and SWAPDB are noticed", async () => {
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
    const watcher = await watching(url, { readOnly: true });
    expect(watcher.health()).toMatchObject({ state: "live", notifications: "on" });
    const key = await acquireForeignLock();
    await waitUntil(() => watcher.index.get(key) !== undefined, 1000);
    await direct.flushall();
    await waitUntil(() => watcher.index.get(key) === undefined, 3000);
    const again = await acquireForeignLock();
    await waitUntil(() => watcher.index.get(again) !== undefined, 1000);
    await direct.swapdb(0, 1);
    await waitUntil(() => watcher.index.get(again) === undefined, 3000);
    await direct.config("SET", SETTING, "");
    await waitUntil(() => watcher.health().notifications === "off", 3000);
    expect(await direct.keys("lockkeeper:*")).toEqual([]);
    expect(await direct.call("ACL", "LOG")).toEqual([]);
  });
});

describe("demoted masters", () => {
  it("a master that becomes a replica is down and names its master; after promotion the index holds its new data", async () => {
    const other = await startTestRedis({ args: ["--repl-diskless-sync-delay", "0"] });
    const copied = await acquireForeignLock(other.createClient());
    const [writer, reader] = [await watching(redis.url), await watching(redis.url, { readOnly: true })];
    const gone = await acquireForeignLock();
    await waitUntil(() => [writer, reader].every(({ index }) => index.get(gone) !== undefined));
    await direct.replicaof("127.0.0.1", other.port);
    for (const watcher of [writer, reader]) {
      await waitUntil(() => watcher.health().state === "down", 3000);
      await waitUntil(() => watcher.health().detail?.includes(`replica of 127.0.0.1:${other.port}`) ?? false);
    }
    await waitUntil(async () => (await direct.info("replication")).includes("master_link_status:up"));
    await direct.replicaof("NO", "ONE");
    for (const watcher of [writer, reader]) {
      await waitUntil(() => watcher.health().state === "live", 3000);
      expect(watcher.index.get(gone)).toBeUndefined();
      expect(watcher.index.get(copied)).toBeDefined();
    }
    await other.stop();
  });
});
