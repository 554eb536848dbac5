import { describe, expect, test } from "vitest";
import { startRun } from "../../test/run/run-process.ts";
import {
  findFreePort,
  startTestRedis,
  type TestRedis,
  type TestRedisOptions,
} from "../../test/support/test-redis.ts";
import { waitUntil } from "../../test/support/test-server.ts";

const TIMEOUT_MS = 120_000;
const START_MS = 60_000;
const RETRYING = "Retrying until the wait ends.";

const it = test
  .extend("startRedis", async ({}, { onCleanup }) => {
    const servers: TestRedis[] = [];
    onCleanup(async () => {
      await Promise.all(servers.map((each) => each.stop()));
    });
    return async (options: TestRedisOptions) => {
      const redis = await startTestRedis(options);
      servers.push(redis);
      return redis;
    };
  })
  .extend("start", ({}) => (url: string, ...options: readonly string[]) => {
    const environment = { LOCKKEEPER_URL: undefined, REDIS_URL: undefined };
    return startRun(["lock:a", "--redis", url, ...options, "--", "echo", "started"], environment);
  });

describe("the connection of lockkeeper run", { timeout: TIMEOUT_MS }, () => {
  it("a run with --wait waits for a Redis that is not running", async ({ startRedis, start }) => {
    const port = await findFreePort();
    const run = start(`redis://127.0.0.1:${port}`, "--wait", "90s");
    await waitUntil(() => run.readStderr().includes(RETRYING), START_MS);
    await startRedis({ port });
    const { code, stdout, stderr } = await run.ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "started\n" });
    expect(stderr).toMatch(/^lockkeeper: Could not reach Redis at .* Retrying until the wait ends\.\n$/);
  });

  it("a signal ends the wait for a Redis that is not running", async ({ start }) => {
    const run = start(`redis://127.0.0.1:${await findFreePort()}`, "--wait", "forever");
    await waitUntil(() => run.readStderr().includes(RETRYING), START_MS);
    run.child.kill("SIGTERM");
    expect(await run.ended).toMatchObject({ code: 143, stdout: "" });
  });

  it("a run with --wait exits with 123 if Redis refuses the password", async ({ startRedis, start }) => {
    const { port } = await startRedis({ password: "right" });
    const { code, stdout, stderr } = await start(`redis://:wrong@127.0.0.1:${port}`, "--wait", "90s").ended;
    expect({ code, stdout }).toEqual({ code: 123, stdout: "" });
    expect(stderr).toMatch(/^lockkeeper: .* refuses the user or password in --redis\.\n$/);
  });

  it("a run with --wait exits with 125 for the URL of a cluster node", async ({ startRedis, start }) => {
    const { url } = await startRedis({ args: ["--cluster-enabled", "yes"] });
    const { code, stdout, stderr } = await start(url, "--wait", "90s").ended;
    expect({ code, stdout }).toEqual({ code: 125, stdout: "" });
    expect(stderr).toMatch(/^lockkeeper: .* write --redis as redis-cluster:\/\/host:port\.\n$/);
  });

  it("exits with 125 and one line if the API key is malformed", async () => {
    const environment = { LOCKKEEPER_URL: "http://127.0.0.1:1", LOCKKEEPER_API_KEY: "lk_key\r" };
    expect(await startRun(["lock:a", "--", "echo", "started"], environment).ended).toMatchObject({
      ...{ code: 125, stdout: "" },
      stderr: expect.stringMatching(/^lockkeeper: .*API key is empty or malformed.*\n$/),
    });
  });
});
