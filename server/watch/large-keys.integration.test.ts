import type { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import { createTestKey } from "../../test/support/test-locks.ts";
import { startTestMasters } from "../../test/support/test-masters.ts";
import { startTestProxy } from "../../test/support/test-proxy.ts";
import { startTestRedis } from "../../test/support/test-redis.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { acquireForeignLock, createForeignOwner, startTestWatcher } from "../../test/support/test-watcher.ts";
import type { Watcher } from "./watcher.ts";

const MB = 1024 * 1024;
const FIELDS = 16;
const FIELD_BYTES = 10 * MB;

const it = test
  .extend("redis", async ({}, { onCleanup }) => {
    const redis = await startTestRedis();
    onCleanup(() => redis.stop());
    return redis;
  })
  .extend("direct", ({ redis }) => redis.createClient())
  .extend("startWatching", ({}, { onCleanup }) => {
    const open: (() => void)[] = [];
    onCleanup(() => {
      for (const stop of open) stop();
    });
    return async (where: Parameters<typeof startTestWatcher>[0]) => {
      const { watcher, stop } = await startTestWatcher(where);
      open.push(stop);
      return watcher;
    };
  });

async function plantHash(direct: Redis, key: string, fieldBytes = FIELD_BYTES): Promise<void> {
  for (let field = 0; field < FIELDS; field++)
    await direct.hset(key, `field ${field}`, Buffer.alloc(fieldBytes, "x"));
}

async function readNumber(direct: Redis, section: string, name: string): Promise<number> {
  return Number(new RegExp(`^${name}:(\\d+)`, "m").exec(await direct.info(section))?.[1]);
}

/** Returns the set of states that the target has had so far, and adds each new state to this set. */
function recordStates(watcher: Watcher): Set<string> {
  const states = new Set([watcher.health().state as string]);
  watcher.onChange(() => states.add(watcher.health().state));
  return states;
}

/** Acquires a lock, releases it, and waits until the watcher has observed each change. */
async function cycleLock(direct: Redis, watcher: Watcher): Promise<void> {
  const key = createTestKey();
  await acquireForeignLock(direct, key);
  await waitUntil(() => watcher.index.get(key) !== undefined);
  await direct.del(key);
  await waitUntil(() => watcher.index.get(key) === undefined);
}

describe("large keys under watched names", () => {
  it("a hash of 160 MB that changes all the time is not read, and the target stays live", async ({
    redis,
    direct,
    startWatching,
  }) => {
    const watcher = await startWatching(redis.url);
    const states = recordStates(watcher);
    await plantHash(direct, "lock:blocklist");
    const [memory, output] = [
      await readNumber(direct, "memory", "used_memory"),
      await readNumber(direct, "stats", "total_net_output_bytes"),
    ];
    await direct.config("SET", "slowlog-log-slower-than", 100_000);
    for (let round = 0; round < 50; round++) {
      await direct.hset("lock:blocklist", "changed", round);
      await cycleLock(direct, watcher);
    }
    await waitUntil(() => watcher.health().unreadableKeys?.byReason.too_large === 1);
    expect(await readNumber(direct, "stats", "total_net_output_bytes")).toBeLessThan(output + 4 * MB);
    expect(await readNumber(direct, "memory", "used_memory")).toBeLessThan(memory + 16 * MB);
    // The slow log contains no script, so no script blocked Redis for 100 ms or longer.
    expect(JSON.stringify(await direct.slowlog("GET", 100)).toLowerCase()).not.toContain("evalsha");
    expect([...states].filter((state) => state !== "catching_up")).toEqual(["live"]);
    await direct.del("lock:blocklist");
    await waitUntil(() => watcher.health().unreadableKeys === undefined);
  });

  it("a large hash at every master of a quorum is not read, and the quorum stays live", async ({
    startWatching,
    onTestFinished,
  }) => {
    const masters = await startTestMasters(3);
    onTestFinished(() => masters.stop());
    const watcher = await startWatching({ quorum: masters.urls });
    const states = recordStates(watcher);
    await Promise.all(masters.clients.map((direct) => plantHash(direct, "lock:blocklist", MB)));
    await waitUntil(() => watcher.health().unreadableKeys?.count === 1);
    const key = createTestKey();
    await masters.occupy(key, [0, 1, 2]);
    await waitUntil(() => watcher.index.get(key) !== undefined);
    expect(states).not.toContain("down");
    expect(watcher.index.get("lock:blocklist")).toBeUndefined();
  });
});

describe("keys whose reply does not arrive", () => {
  it("a key is read apart and becomes unreadable, the target stays live, and the key is shown when its reply arrives", async ({
    redis,
    direct,
    startWatching,
    onTestFinished,
  }) => {
    const proxy = await startTestProxy(redis.port);
    onTestFinished(() => proxy.stop());
    const watcher = await startWatching(`redis://127.0.0.1:${proxy.port}`);
    const states = recordStates(watcher);
    const owner = createForeignOwner();
    proxy.heldText = owner;
    await acquireForeignLock(direct, "lock:stuck", 600_000, owner);
    for (let others = 0; others < 120; others++) await acquireForeignLock(direct, `lock:other:${others}`);
    await waitUntil(() => watcher.index.size === 120);
    const stop = new AbortController();
    const changes = (async () => {
      while (!stop.signal.aborted) {
        await direct.hset("lock:stuck", owner, 1);
        await cycleLock(direct, watcher);
      }
    })();
    await waitUntil(() => watcher.health().unreadableKeys?.byReason.timeout === 1, 20_000);
    stop.abort();
    await changes;
    expect([...states].filter((state) => state !== "catching_up")).toEqual(["live"]);
    expect(await watcher.readKey("lock:stuck")).toMatchObject({
      observation: { state: "unreadable", reason: "timeout" },
    });
    // Lockkeeper has closed the connections for separate reads, so Redis does not buffer replies for these connections.
    const countClients = async (name: string) =>
      String(await direct.client("LIST")).split(`name=${name} `).length - 1;
    await waitUntil(async () => (await countClients("lockkeeper:reads-apart")) === 0);
    expect(await countClients("lockkeeper:reads")).toBe(1);
    await direct.del("lock:stuck");
    await acquireForeignLock(direct, "lock:stuck");
    await waitUntil(() => watcher.index.get("lock:stuck") !== undefined, 20_000);
    expect(watcher.health().unreadableKeys).toBeUndefined();
  });

  it("a Redis that does not respond at all makes no key unreadable", async ({
    redis,
    direct,
    startWatching,
  }) => {
    const watcher = await startWatching(redis.url);
    await acquireForeignLock(direct, "lock:a");
    await waitUntil(() => watcher.index.size === 1);
    const listed: unknown[] = [];
    watcher.onChange(() => listed.push(...[watcher.health().unreadableKeys ?? []].flat()));
    redis.freeze();
    await waitUntil(() => watcher.health().state === "down", 5000);
    redis.thaw();
    await waitUntil(() => watcher.health().state === "live");
    await cycleLock(direct, watcher);
    expect(listed).toEqual([]);
    expect([...watcher.index.keys()]).toEqual(["lock:a"]);
  });
});
