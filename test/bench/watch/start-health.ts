import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../../support/test-redis.ts";
import { sendRequest, startChild } from "../child.ts";
import type { Experiment, Run } from "../figure.ts";
import { roundValue } from "../figure.ts";
import { arePagesBuilt } from "../http/node-servers.ts";
import { readMachineFacts } from "../machine.ts";
import type { HealthProbeResult } from "../processes/health-probe.ts";
import { reportProgress } from "../progress.ts";
import { ROOT } from "../root.ts";
import { EMBEDDED_FLAGS, startRedis } from "../servers.ts";
import { computeMedian } from "../statistics.ts";
import { fillKeyspace } from "./keyspace.ts";

const FIGURE = "watch.start.health.p99";
const LEASE_MS = 7_200_000;
const STEP = 20_000;

/** Script that creates locks in Redisson's format, and as many matching keys that are not locks. */
const FILL = `for at = tonumber(ARGV[1]), tonumber(ARGV[2]) do
  if at % 2 == 0 then
    local key = 'lock:orders:' .. at
    redis.call('HSET', key, string.format('5f0c0c1e-0000-4000-8000-%012d:1', at), 1)
    redis.call('PEXPIRE', key, ARGV[3])
  else redis.call('HSET', 'lock:settings:' .. at, 'name', 'someone', 'visits', at) end
end`;

interface StartRound {
  readonly starting: HealthProbeResult;
  readonly quiet: HealthProbeResult;
}

/**
 * p99 duration of health checks while a server starts with many keys, compared with the same server after the start.
 */
export const startHealth: Experiment = {
  figures: [FIGURE],
  async measure(run) {
    const isQuick = run.effort === "quick";
    const [others, matching, rounds] = isQuick ? [5000, 500, 1] : [900_000, 100_000, 3];
    const spanMs = isQuick ? 1000 : 10_000;
    const { url, inspector } = await startRedis(run, EMBEDDED_FLAGS);
    reportProgress(`${others + matching} keys, half of ${matching} that match are locks`);
    await fillKeyspace(inspector, others);
    for (let at = 1; at <= matching; at += STEP) {
      await inspector.eval(FILL, 0, at, Math.min(matching, at + STEP - 1), LEASE_MS);
    }
    const results: StartRound[] = [];
    for (let round = 1; round <= rounds; round++) {
      reportProgress(`start ${round} of ${rounds}`);
      results.push(await measureStart(run, url, spanMs));
    }
    const medianOf = (of: (round: StartRound) => number) => roundValue(computeMedian(results.map(of)));
    const conditions = {
      ...(await readMachineFacts(inspector, run.effort)),
      ...{ others, matching, rounds, spanMs },
      pages: arePagesBuilt(),
      theirs: { quiet: medianOf(({ quiet }) => quiet.p99Ms) },
      p50Ms: medianOf(({ starting }) => starting.p50Ms),
      maxMs: medianOf(({ starting }) => starting.maxMs),
      readyAfterMs: medianOf(({ starting }) => starting.readyAfterMs),
      method:
        "Another process polls /healthz and /readyz every 10 ms from the first response of the starting server. quiet: the same server afterwards, for the same time. Lower is better",
    };
    const ours = medianOf(({ starting }) => starting.p99Ms);
    const vs = { quiet: medianOf(({ starting, quiet }) => starting.p99Ms / quiet.p99Ms) };
    return [{ figure: FIGURE, unit: "ms", ours, vs, conditions }];
  },
};

async function measureStart(run: Run, redisUrl: string, spanMs: number): Promise<StartRound> {
  const port = await findFreePort();
  const probe = await startChild(run, "health-probe.ts", [String(port)]);
  await sendRequest(probe, "begin");
  const { PATH = "", HOME = "", TMPDIR = "/tmp" } = process.env;
  const file = arePagesBuilt() ? join(ROOT, "server/main.ts") : "api-server.ts";
  const server = await startChild(run, file, [], {
    env: {
      ...{ PATH, HOME, TMPDIR, NODE_ENV: "production", REDIS_URL: redisUrl, PORT: String(port) },
      ...{ LOCKKEEPER_ROOT_KEY: randomBytes(30).toString("base64url"), LOCKKEEPER_WATCH: "lock:*" },
    },
    execArgv: ["--import", join(import.meta.dirname, "../processes/usage-reporter.ts")],
    output: "hidden",
  });
  await sleep(spanMs);
  const starting = await sendRequest<HealthProbeResult>(probe, "end");
  await sendRequest(probe, "begin");
  await sleep(spanMs);
  const quiet = await sendRequest<HealthProbeResult>(probe, "end");
  const exited = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGKILL");
  await exited;
  probe.disconnect();
  return { starting, quiet };
}
