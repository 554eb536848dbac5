import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { redisTest } from "../support/fixtures.ts";
import { runCampaign } from "./campaign.ts";
import { RestartingServer } from "./restarting-server.ts";

const SECONDS = 30;
const TIMEOUT_MS = 120_000;
const RESTART_EVERY_MS = 8000;

const it = redisTest()
  .extend("server", { scope: "file" }, async ({ redis }, { onCleanup }) => {
    const server = await RestartingServer.start(redis.url);
    onCleanup(() => server.stop());
    return server;
  })
  .extend("dir", async ({}, { onCleanup }) => {
    const dir = await mkdtemp(join(tmpdir(), "lockkeeper-campaign-"));
    onCleanup(() => rm(dir, { recursive: true }));
    return dir;
  });

// `npm run prove:run` runs the same campaign for two minutes.
describe("lockkeeper run in two shells", { timeout: TIMEOUT_MS }, () => {
  it("commands never overlap while supervisors are killed and stopped and the server restarts", async ({
    redis,
    server,
    direct,
    dir,
    key,
  }) => {
    server.restartEvery(RESTART_EVERY_MS);
    const environments = [server.environment, { LOCKKEEPER_URL: undefined, REDIS_URL: redis.url }];
    const times = { leaseMs: 5000, workMs: 8000, seconds: SECONDS };
    const result = await runCampaign({ key, dir, direct, environments, ...times, seed: 7 });
    expect(result.overlaps).toEqual([]);
    expect(result.spans.length).toBeGreaterThan(1);
    expect(result.faults.length).toBeGreaterThan(0);
    expect(result.marginsMs.filter((ms) => ms <= 0)).toEqual([]);
    expect(result.leftovers).toEqual([]);
  });
});
