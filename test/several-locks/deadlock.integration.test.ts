import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createMutant } from "../chaos/mutants/create-mutant.ts";
import { SEVERAL_LOCKS_MUTANTS } from "../chaos/mutants/several-locks.ts";
import { startTestCluster } from "../support/cluster.ts";
import { startTestRedis } from "../support/test-redis.ts";
import { type DeadlockRun, runDeadlockAttempt } from "./deadlock-run.ts";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
const SHORT = { seconds: 4, waitMs: 10_000, processes: 3, workersEach: 6, singles: 4 };

const it = test
  .extend("single", async ({}, { onCleanup }): Promise<DeadlockRun> => {
    const redis = await startTestRedis();
    onCleanup(() => redis.stop());
    return { ...SHORT, locks: redis.url, servers: [redis.url], resource: redis.url };
  })
  .extend("cluster", async ({}, { onCleanup }): Promise<DeadlockRun> => {
    const cluster = await startTestCluster({ masters: 3 });
    const resource = await startTestRedis();
    onCleanup(async () => {
      await cluster.stop();
      await resource.stop();
    });
    const { urls } = cluster;
    return { ...SHORT, locks: { cluster: urls }, servers: urls, resource: resource.url };
  });

describe("workers that acquire overlapping locks in random order", { timeout: 120_000 }, () => {
  it("make progress, and nobody ever holds only some of its locks", async ({ single }) => {
    const result = await runDeadlockAttempt(single);
    expect(result.faults).toEqual([]);
    expect(result.leastRounds).toBeGreaterThan(0);
    expect(result.singleRounds).toBeGreaterThan(0);
    expect(result.snapshots).toBeGreaterThan(100);
  });

  it("make progress on a cluster, whose slots are acquired one after the other", async ({ cluster }) => {
    const result = await runDeadlockAttempt(cluster);
    expect(result.faults).toEqual([]);
    expect(result.leastRounds).toBeGreaterThan(0);
  });

  it.for(SEVERAL_LOCKS_MUTANTS)("the mutant $name is noticed", async (mutant, { single, cluster }) => {
    const core = createMutant({ ...mutant, run: {}, noticedBy: [] }, PROJECT);
    try {
      const run = mutant.topology === "single" ? single : cluster;
      const { faults } = await runDeadlockAttempt({ ...run, core });
      expect(faults.some((fault) => mutant.fault.test(fault))).toBe(true);
    } finally {
      rmSync(core, { recursive: true });
    }
  });
});
