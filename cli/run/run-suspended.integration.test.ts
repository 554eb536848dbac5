import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { startRun } from "../../test/run/run-process.ts";
import { redisTest } from "../../test/support/fixtures.ts";
import { waitUntil } from "../../test/support/test-server.ts";

const TIMEOUT_MS = 120_000;
const START_MS = 30_000;

/**
 * Moves the wall clock of `lockkeeper run`, but not of its guardian, forward by an hour once the file exists. A process
 * observes the same jump after its machine was suspended.
 */
const createClock = (file: string) => `
const { existsSync } = require("node:fs");
const now = Date.now;
if (process.argv.includes("run"))
  Date.now = () => now() + (existsSync(${JSON.stringify(file)}) ? 3_600_000 : 0);
`;

const it = redisTest().extend("dir", async ({}, { onCleanup }) => {
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-suspended-"));
  onCleanup(() => rm(dir, { recursive: true }));
  return dir;
});

it("the exit code is 121 if the lease ended before the release and the release gets no response", {
  timeout: TIMEOUT_MS,
}, async ({ redis, dir, key }) => {
  const [started, finish] = [join(dir, "started"), join(dir, "finish")];
  const [suspended, clock] = [join(dir, "suspended"), join(dir, "clock.cjs")];
  await writeFile(clock, createClock(suspended));
  const script = `touch "${started}"; until [ -e "${finish}" ]; do sleep 0.02; done; touch "${suspended}"; exit 7`;
  const run = startRun([key, "--lease", "60s", "--", "sh", "-c", script], {
    LOCKKEEPER_URL: undefined,
    REDIS_URL: redis.url,
    NODE_OPTIONS: `--require=${clock}`,
  });
  await waitUntil(() => existsSync(started), START_MS);
  redis.freeze();
  await writeFile(finish, "");
  const { code, stderr } = await run.ended;
  redis.thaw();
  expect({ code, stderr }).toEqual({ code: 121, stderr: expect.stringMatching(/lease/) });
});
