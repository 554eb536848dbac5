import { type DeadlockResult, runDeadlockAttempt } from "../test/several-locks/deadlock-run.ts";
import { startTestCluster } from "../test/support/cluster.ts";
import { startTestRedis } from "../test/support/test-redis.ts";

// `npm run prove:locks [-- SECONDS]`: 50 workers acquire 3 of 10 locks each in random order while 10 workers acquire
// single locks, on one Redis server and on a cluster. The exit code is 1 if a worker timed out or held only some of its
// locks.

const SECONDS = Number(process.argv[2] ?? 60);
// Rejects values that are not numbers, with which the run would end at once and find no violation.
if (!(SECONDS > 0)) throw new Error("Usage: npm run prove:locks [-- SECONDS]");
const LOAD = { seconds: SECONDS, waitMs: 30_000, processes: 5, workersEach: 10, singles: 10 };

function report(where: string, result: DeadlockResult): void {
  const { rounds, singleRounds, leastRounds, waitP50Ms, waitP99Ms, waitMaxMs, snapshots, faults } = result;
  console.log(`${where}: ${rounds} rounds of 3 locks and ${singleRounds} of one lock in ${SECONDS} s`);
  console.log(`  at least ${leastRounds} rounds of each worker; ${snapshots} snapshots`);
  console.log(`  waits: p50 ${waitP50Ms} ms, p99 ${waitP99Ms} ms, longest ${waitMaxMs} ms`);
  console.log(`  ${faults.length === 0 ? "no violation, no timeout" : faults.join("\n  ")}`);
  if (faults.length > 0 || leastRounds === 0) process.exitCode = 1;
}

const redis = await startTestRedis();
report(
  "one Redis",
  await runDeadlockAttempt({ ...LOAD, locks: redis.url, servers: [redis.url], resource: redis.url }),
);
await redis.stop();

const cluster = await startTestCluster({ masters: 3 });
const resource = await startTestRedis();
report(
  "a cluster of three masters",
  await runDeadlockAttempt({
    ...LOAD,
    ...{ locks: { cluster: cluster.urls }, servers: cluster.urls, resource: resource.url },
  }),
);
await resource.stop();
await cluster.stop();
process.exit();
