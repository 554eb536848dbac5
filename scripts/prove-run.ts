/**
 * Checks that `lockkeeper run` never runs two commands at the same time. Two shells run commands under one lock in a
 * loop: both through the server, both directly in Redis, or one of each. Meanwhile, supervisors are killed and stopped,
 * guardians are killed and the server restarts.
 * `npm run prove:run [-- --seconds N] [--lease-ms N] [--work-ms N] [--seed N]`
 *
 * The last line is "N passed, N failed".
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { addCleanUp, endAll, endWhenInterrupted } from "../test/interop/children.ts";
import { type CampaignResult, runCampaign } from "../test/run/campaign.ts";
import { FAULT_KINDS } from "../test/run/faults.ts";
import { RestartingServer } from "../test/run/restarting-server.ts";
import { createWorkCommand, type RunProcess, startRun } from "../test/run/run-process.ts";
import { findOverlaps, readWorkSpans } from "../test/run/work-log.ts";
import { startTestRedis } from "../test/support/test-redis.ts";
import { check, seconds, summary } from "./prove/checks.mjs";

const RESTART_EVERY_MS = 20_000;
const PARALLEL_RUNS = 50;
const PARALLEL_WORK_MS = 1000;
const START_EVERY_MS = 500;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "120" },
    "lease-ms": { type: "string", default: "3000" },
    "work-ms": { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
  },
});

async function prove(): Promise<void> {
  const redis = await startTestRedis();
  addCleanUp(() => redis.stop());
  const server = await RestartingServer.start(redis.url);
  addCleanUp(() => server.stop());
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-prove-run-"));
  addCleanUp(() => rm(dir, { recursive: true, force: true }));
  const direct = redis.createClient();
  const [viaServer, viaRedis] = [server.environment, { LOCKKEEPER_URL: undefined, REDIS_URL: redis.url }];
  const campaigns = {
    server: [viaServer, viaServer],
    redis: [viaRedis, viaRedis],
    both: [viaServer, viaRedis],
  };
  server.restartEvery(RESTART_EVERY_MS);
  const results = await Promise.all(
    Object.entries(campaigns).map(async ([name, environments], n) => {
      const result = await runCampaign({
        key: `lock:prove:${name}`,
        dir: await mkdtemp(join(dir, name)),
        direct,
        environments,
        leaseMs: Number(values["lease-ms"]),
        workMs: Number(values["work-ms"]),
        seconds: Number(values.seconds),
        seed: Number(values.seed) + n,
      });
      return [name, result] as const;
    }),
  );
  for (const [name, result] of results) await checkCampaign(name, result);
  await server.stop();
  await check("the server restarted", () => expectAtLeast(server.restarts, 1, "restarts"));
  await checkParallel(redis.url, join(dir, "parallel"));
}

/**
 * Checks many runs that wait for one lock. The runs start one after the other because each start takes 1 s of CPU time.
 */
async function checkParallel(redisUrl: string, log: string): Promise<void> {
  const work = createWorkCommand(log, PARALLEL_WORK_MS);
  const runs: RunProcess[] = [];
  for (let n = 0; n < PARALLEL_RUNS; n++) {
    const environment = { LOCKKEEPER_URL: undefined, REDIS_URL: redisUrl };
    runs.push(startRun(["lock:prove:parallel", "--wait", "10m", "--quiet", ...work], environment));
    await new Promise((resolve) => setTimeout(resolve, START_EVERY_MS));
  }
  const ends = await Promise.all(runs.map(({ ended }) => ended));
  const spans = readWorkSpans(log);
  await check("parallel runs: each ran its command", () => {
    const failed = ends.filter(({ code }) => code !== 0);
    if (failed.length > 0)
      throw new Error(`${failed.length} failed: ${failed[0]?.code} ${failed[0]?.stderr}`);
    return expectAtLeast(spans.length, PARALLEL_RUNS, "runs");
  });
  await check("parallel runs: no two commands overlap", () => expectNone(findOverlaps(spans), "overlaps"));
}

async function checkCampaign(name: string, result: CampaignResult): Promise<void> {
  const { spans, overlaps, faults, marginsMs, longestGapMs, codes, leftovers } = result;
  const counts = FAULT_KINDS.map((kind) => `${faults.filter((fault) => fault.kind === kind).length} ${kind}`);
  console.log(
    `${name}: ${spans.length} grants; faults: ${counts.join(", ")}; exit codes ${JSON.stringify(codes)}`,
  );
  await check(`${name}: commands were run`, () => expectAtLeast(spans.length, 2, "grants"));
  await check(`${name}: no two commands overlap`, () => expectNone(overlaps, "overlaps"));
  await check(`${name}: fencing tokens increase`, () =>
    expectIncreasing(spans.map(({ fence }) => BigInt(fence))),
  );
  await check(`${name}: commands of killed and stopped supervisors end before their leases`, () => {
    const least = Math.min(...marginsMs);
    if (!(least > 0)) throw new Error(`the smallest margin is ${Math.round(least)} ms`);
    return `${marginsMs.length} commands, ${Math.round(least)} ms at least`;
  });
  await check(
    `${name}: the lock is granted again after each fault`,
    () => `longest gap ${seconds(longestGapMs)}`,
  );
  await check(`${name}: no process is left behind`, () => expectNone(leftovers, "processes"));
}

function expectAtLeast(count: number, least: number, what: string): string {
  if (count < least) throw new Error(`${count} ${what}`);
  return `${count} ${what}`;
}

function expectNone(found: readonly unknown[], what: string): string {
  if (found.length > 0) throw new Error(`${found.length} ${what}: ${JSON.stringify(found)}`);
  return `0 ${what}`;
}

function expectIncreasing(fences: readonly bigint[]): string {
  fences.forEach((fence, n) => {
    const before = fences[n - 1];
    if (before !== undefined && before >= fence) throw new Error(`${before} is followed by ${fence}`);
  });
  return `${fences.length} tokens`;
}

endWhenInterrupted();
try {
  await prove();
} catch (error) {
  console.error(error);
  await check("the run ends", () => Promise.reject(error));
}
await endAll();
const { line, ok } = summary();
console.log(line);
process.exit(ok ? 0 : 1);
