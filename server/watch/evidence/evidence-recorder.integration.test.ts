import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { startTestCluster } from "../../../test/support/cluster.ts";
import { startTestMasters } from "../../../test/support/test-masters.ts";
import { startTestRedis, type TestRedis } from "../../../test/support/test-redis.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { startTestWatcher, type TestWatcher } from "../../../test/support/test-watcher.ts";
import { openHomeStore } from "../../home/open-home-store.ts";
import type { RedisLocation } from "../../locks/backends/open-backend.ts";
import { EvidenceRecorder } from "./evidence-recorder.ts";
import { EvidenceStore } from "./evidence-store.ts";

const TIMES = { writeEveryMs: 100, heldMsMin: 0 };
const LEASE_MS = 60_000;

interface Instance extends TestWatcher {
  /** Shuts down gracefully, and writes pending evidence first. */
  end(): Promise<void>;
}

interface InstanceOptions {
  readonly isWriter?: () => boolean;
  readonly homeUrl?: string;
}

const it = test
  .extend("home", { scope: "file" }, async ({}, { onCleanup }) => {
    const home = await startTestRedis();
    onCleanup(() => home.stop());
    return home;
  })
  .extend("target", async () => `target-${randomUUID()}`)
  .extend("startInstance", ({ home, target }, { onCleanup }) => {
    const running: (() => void)[] = [];
    onCleanup(() => {
      for (const stop of running) stop();
    });
    return async (where: RedisLocation, options: InstanceOptions = {}): Promise<Instance> => {
      const { isWriter = () => true, homeUrl = home.url } = options;
      const homeStore = openHomeStore(homeUrl);
      const recorder = await EvidenceRecorder.open(new EvidenceStore(homeStore, target), { times: TIMES });
      const instance = await startTestWatcher(where, { evidence: { recorder, isWriter } });
      running.push(() => {
        instance.stop();
        homeStore.close();
      });
      const end = async () => {
        await recorder.stop();
        instance.stop();
      };
      return { ...instance, end };
    };
  })
  .extend("listStored", ({ home, target }) => async () => {
    const fields = await home.createClient().hkeys(`{lockkeeper}:evidence:${target}`);
    return fields.map(decodeURIComponent).sort();
  });

function getEvidence({ watcher }: TestWatcher, key: string) {
  const hold = watcher.index.get(key);
  if (hold === undefined) return undefined;
  const { since, sinceIs } = watcher.locks.toLock(hold).holders[0] ?? {};
  const { count, lastAt, sinceMs } = hold.renewals;
  return { since, sinceIs, count, lastAt, sinceMs };
}

const createUniqueOwner = () => `pod-7_311_${randomUUID().replaceAll("-", "")}`;

/** A Redis topology to run commands on. On a quorum, each command runs on every master. */
interface Topology {
  readonly where: RedisLocation;
  set(key: string, field: string): Promise<unknown>;
  renew(key: string, leaseMs: number): Promise<unknown>;
  stop(): Promise<void>;
}

/** A topology with a user `app`, which has no permission yet. */
interface TopologyWithUser extends Topology {
  /** The location with the credentials of `app`. */
  readonly whereOfApp: RedisLocation;
  setUser(...rules: string[]): Promise<unknown>;
}

async function startStandalone(): Promise<TopologyWithUser> {
  const redis = await startTestRedis();
  return toTopology(
    ([url = ""]) => url,
    [redis],
    () => redis.stop(),
  );
}

async function startQuorum(): Promise<TopologyWithUser> {
  const masters = await startTestMasters(3);
  return toTopology(
    (quorum) => ({ quorum: [...quorum] }),
    masters.all,
    () => masters.stop(),
  );
}

function toTopology(
  toLocation: (urls: readonly string[]) => RedisLocation,
  servers: readonly TestRedis[],
  stop: () => Promise<void>,
): TopologyWithUser {
  const clients = servers.map((server) => server.createClient());
  return {
    where: toLocation(servers.map(({ url }) => url)),
    whereOfApp: toLocation(servers.map(({ port }) => `redis://app:secret@127.0.0.1:${port}`)),
    setUser: (...rules) => Promise.all(clients.map((each) => each.call("ACL", "SETUSER", "app", ...rules))),
    set: (key, field) =>
      Promise.all(clients.map((each) => each.multi().hset(key, field, 1).pexpire(key, LEASE_MS).exec())),
    renew: (key, leaseMs) => Promise.all(clients.map((each) => each.pexpire(key, leaseMs))),
    stop,
  };
}

async function startCluster(): Promise<Topology> {
  const cluster = await startTestCluster();
  return {
    where: { cluster: [...cluster.urls] },
    set: (key, field) =>
      cluster.getMasterClient(key).multi().hset(key, field, 1).pexpire(key, LEASE_MS).exec(),
    renew: (key, leaseMs) => cluster.getMasterClient(key).pexpire(key, leaseMs),
    stop: () => cluster.stop(),
  };
}

describe.each([
  ["standalone", startStandalone],
  ["cluster", startCluster],
  ["quorum", startQuorum],
])("evidence about holds of a %s target", (_name, start) => {
  it("an unchanged deadline of the same owner keeps renewals and start over a restart", async ({
    startInstance,
    listStored,
  }) => {
    const topology = await start();
    const key = `lock:${randomUUID()}`;
    try {
      const before = await startInstance(topology.where);
      await topology.set(key, `${randomUUID()}:1`);
      await waitUntil(() => getEvidence(before, key) !== undefined);
      // A longer deadline immediately after the start of the hold would not count as a renewal.
      await waitUntil(() => Date.now() - (before.watcher.index.get(key)?.seen.asOf ?? 0) > 700);
      await topology.renew(key, LEASE_MS);
      await waitUntil(() => getEvidence(before, key)?.count === 1);
      await waitUntil(async () => (await listStored()).includes(key));
      await before.end();
      const after = await startInstance(topology.where);
      await waitUntil(() => getEvidence(after, key) !== undefined);
      expect(getEvidence(after, key)).toEqual(getEvidence(before, key));
      expect(getEvidence(after, key)?.sinceIs).toBe("exact");
    } finally {
      await topology.stop();
    }
  }, 60_000);
});

describe.each([
  ["standalone", startStandalone],
  ["quorum", startQuorum],
])("evidence about an unreadable lock of a %s target", (_name, start) => {
  it("evidence is kept until the lock can be read", async ({ startInstance, listStored }) => {
    const topology = await start();
    const key = `lock:${randomUUID()}`;
    try {
      const before = await startInstance(topology.where);
      await topology.set(key, `${randomUUID()}:1`);
      await waitUntil(async () => (await listStored()).includes(key));
      await before.end();
      await topology.setUser("on", ">secret", "+@all", "&*", "~lockkeeper:*");
      const after = await startInstance(topology.whereOfApp);
      await waitUntil(() => after.watcher.isStateUnknown(key));
      await topology.setUser("~lock:*");
      await after.watcher.readKey(key);
      await waitUntil(() => getEvidence(after, key) !== undefined, 20_000);
      expect(getEvidence(after, key)).toEqual(getEvidence(before, key));
      expect(getEvidence(after, key)?.sinceIs).toBe("exact");
    } finally {
      await topology.stop();
    }
  }, 60_000);
});

describe("evidence store", () => {
  const testIt = it.extend("redis", async ({}, { onCleanup }) => {
    const redis = await startTestRedis();
    onCleanup(() => redis.stop());
    return redis;
  });

  testIt(
    "one of two instances writes, and the other one goes on when it stops",
    async ({ redis, startInstance, listStored }) => {
      const direct = redis.createClient();
      let isFirst = true;
      const first = await startInstance(redis.url, { isWriter: () => isFirst });
      const second = await startInstance(redis.url, { isWriter: () => !isFirst });
      for (const key of ["lock:a", "lock:b"]) await direct.set(key, createUniqueOwner(), "PX", LEASE_MS);
      await waitUntil(async () => (await listStored()).length === 2);
      await first.end();
      await direct.del("lock:a");
      await direct.set("lock:c", createUniqueOwner(), "PX", LEASE_MS);
      await waitUntil(() => second.watcher.index.get("lock:c") !== undefined);
      expect(await listStored()).toEqual(["lock:a", "lock:b"]);
      isFirst = false;
      await waitUntil(async () => (await listStored()).join() === "lock:b,lock:c");
    },
  );

  testIt(
    "a home store that is away at the start restores holds that were read meanwhile",
    async ({ redis, startInstance, listStored, home }) => {
      const direct = redis.createClient();
      const before = await startInstance(redis.url);
      await direct.hset("lock:a", `${randomUUID()}:1`, 1);
      await waitUntil(async () => (await listStored()).length === 1);
      await before.end();
      await home.createClient().save();
      await home.kill();
      const after = await startInstance(redis.url);
      expect(getEvidence(after, "lock:a")?.sinceIs).toBe("at_least");
      await home.restart();
      await waitUntil(async () => getEvidence(after, "lock:a")?.sinceIs === "exact", 15_000);
      expect(getEvidence(after, "lock:a")).toEqual(getEvidence(before, "lock:a"));
    },
  );

  testIt("unreadable evidence is ignored, and replaced", async ({ redis, startInstance, home, target }) => {
    const direct = redis.createClient();
    const stored = home.createClient();
    const name = `{lockkeeper}:evidence:${target}`;
    await direct.hset("lock:a", `${randomUUID()}:1`, 1);
    const [field, gone] = ["lock:a", "lock:gone"].map(encodeURIComponent);
    if (field === undefined || gone === undefined) throw new Error("no fields");
    await stored.hset(name, { [field]: "nothing", [gone]: "[1]", "%": "no key" });
    const { watcher } = await startInstance(redis.url);
    expect(watcher.index.get("lock:a")?.holders[0].since).toBe("at_least");
    await waitUntil(async () => (await stored.hget(name, field))?.startsWith("[1,[") === true);
    await waitUntil(async () => (await stored.hexists(name, gone)) === 0);
  });
});
