import { afterAll, beforeAll, describe, vi } from "vitest";
import { openBackend, type RedisLocation } from "../../server/locks/backends/open-backend.ts";
import { LockClient } from "../../server/locks/client/lock-client.ts";
import { RedisLocks } from "../../server/locks/verbs/redis-locks.ts";
import { startTestCluster, type TestCluster } from "../support/cluster.ts";
import { forceReleaseByOwner } from "../support/force-release-by-owner.ts";
import { hasServerFeature } from "../support/server-features.ts";
import { startTestRedis, type TestRedis } from "../support/test-redis.ts";
import { startTestSentinel, type TestSentinel } from "../support/test-sentinel.ts";
import { describeConformance, describeContendedCounter, describeFormatConformance } from "./conformance.ts";
import type { FormatUnderTest, OpenedBackend } from "./conformance-fixture.ts";
import { describeReadWrite } from "./read-write.ts";

// The tests spend most of their time waiting for leases to end, so many can run in parallel.
vi.setConfig({ maxConcurrency: 24 });

const SPOKEN: readonly (readonly [string, FormatUnderTest])[] = [
  ["redisson", { format: "redisson" }],
  ["token", { format: "token" }],
  ["timestamp in ms", { format: "timestamp", unit: "ms" }],
  ["timestamp in s", { format: "timestamp", unit: "s" }],
];

const FAIR: FormatUnderTest = { format: "redisson", kind: "fair" };

async function opened(
  where: RedisLocation,
  behind: Pick<OpenedBackend, "findServers" | "wakesBy">,
): Promise<OpenedBackend> {
  const [backend, one, two] = await Promise.all([
    openBackend(where, ["*"]),
    LockClient.open(where),
    LockClient.open(where),
  ]);
  const { verbs, renewMany } = backend;
  if (!(verbs instanceof RedisLocks)) throw new Error("an operator cannot act here");
  return {
    verbs,
    renewMany,
    clients: [one, two],
    ...behind,
    forceRelease: (key, format, seen) => forceReleaseByOwner(verbs, key, format, seen),
    async close() {
      for (const each of [backend, one, two]) each.close();
    },
  };
}

describe("single server", () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startTestRedis();
  });
  afterAll(() => redis.stop());

  const open = () => {
    const direct = redis.createClient();
    return opened(redis.url, { findServers: () => [direct] });
  };
  for (const [name, spoken] of SPOKEN) describeConformance(name, spoken, open);
  describeConformance("fair redisson", FAIR, open);
  for (const [name, spoken] of SPOKEN) describeContendedCounter(name, spoken, open);
  describeReadWrite(open);
});

describe("Sentinel group", () => {
  let group: TestSentinel;
  beforeAll(async () => {
    group = await startTestSentinel({ sentinels: 1 });
  });
  afterAll(() => group.stop());

  const open = async () => {
    const direct = (await group.findMaster()).createClient();
    return await opened(group.where, { findServers: () => [direct] });
  };
  describeFormatConformance("redisson", { format: "redisson" }, open);
  describeFormatConformance("fair redisson", FAIR, open);
  describeReadWrite(open);
});

describe("Redis Cluster", () => {
  let cluster: TestCluster;
  let wakesBy: "PUBLISH" | "SPUBLISH";
  beforeAll(async () => {
    cluster = await startTestCluster();
    const isSharded = await hasServerFeature(cluster.getMasterClient("any"), "sharded_pubsub");
    wakesBy = isSharded ? "SPUBLISH" : "PUBLISH";
  });
  afterAll(() => cluster.stop());

  const open = () =>
    opened({ cluster: cluster.urls }, { findServers: (key) => [cluster.getMasterClient(key)], wakesBy });
  for (const [name, spoken] of SPOKEN) describeConformance(name, spoken, open);
  describeFormatConformance("fair redisson", FAIR, open);
  for (const [name, spoken] of SPOKEN) describeContendedCounter(name, spoken, open);
  describeReadWrite(open);
});
