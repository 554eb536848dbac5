import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { RestartingServer } from "../../test/run/restarting-server.ts";
import { createWorkCommand, type RunProcess, startRun } from "../../test/run/run-process.ts";
import { readWorkSpans } from "../../test/run/work-log.ts";
import { redisTest } from "../../test/support/fixtures.ts";
import { ROOT_KEY, waitUntil } from "../../test/support/test-server.ts";

const TIMEOUT_MS = 120_000;
const START_MS = 30_000;

const it = redisTest()
  .extend("server", { scope: "file" }, async ({ redis }, { onCleanup }) => {
    const server = await RestartingServer.start(redis.url);
    onCleanup(() => server.stop());
    return server;
  })
  .extend("log", async ({}, { onCleanup }) => {
    const dir = await mkdtemp(join(tmpdir(), "lockkeeper-run-"));
    onCleanup(() => rm(dir, { recursive: true }));
    return join(dir, "log");
  })
  .extend(
    "start",
    ({ server, key }) =>
      (rest: readonly string[], environment = {}): RunProcess =>
        startRun([key, ...rest], { REDIS_URL: undefined, ...server.environment, ...environment }),
  )
  .extend("startWork", ({ start, log }) => async (workMs: number, options: readonly string[] = []) => {
    const run = start([...options, ...createWorkCommand(log, workMs)]);
    await waitUntil(() => {
      if (run.child.exitCode !== null) throw new Error(run.readStderr());
      return readWorkSpans(log).length === 1;
    }, START_MS);
    return run;
  })
  .extend("call", ({ server }) => async (path: string, body?: object) => {
    const { LOCKKEEPER_URL: url } = server.environment;
    const headers = { authorization: `Bearer ${ROOT_KEY}`, "content-type": "application/json" };
    const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    return await (await fetch(`${url}/api/v1${path}`, init)).json();
  });

describe("lockkeeper run --server", { timeout: TIMEOUT_MS }, () => {
  it("keeps the exit code and releases the lock", async ({ start, direct, key }) => {
    expect(await start(["--", "sh", "-c", "exit 7"]).ended).toMatchObject({ code: 7 });
    expect(await direct.exists(key)).toBe(0);
  });

  it("a force-release ends the command, and run exits with 121", async ({
    start,
    startWork,
    call,
    log,
    key,
  }) => {
    const run = await startWork(60_000, ["--lease", "15s"]);
    const refused = await start(["--", "echo", "started"]).ended;
    expect(refused).toMatchObject({ code: 120, stdout: "" });
    expect(refused.stderr).toMatch(/is held by \S+ \((alive|liveness unknown), expires in \d+(s|ms)\)\.\n$/);
    const { version } = await call(`/locks/${key}`);
    const released = await call(`/locks/${key}/force-release`, {
      expectedVersion: version,
      reason: "a test",
    });
    expect(released).toMatchObject({ outcome: "released" });
    expect(await run.ended).toMatchObject({ code: 121, stderr: expect.stringContaining("SIGTERM") });
    expect(readWorkSpans(log)[0]?.events).toEqual(["begin", "SIGTERM"]);
  });

  it("a release request reaches a command with --release-signal, which then exits by itself", async ({
    start,
    call,
    direct,
    key,
  }) => {
    const script =
      "trap 'echo asked; sleep 0.3; echo stopped; exit 4' USR1; echo begun; while :; do sleep 0.05; done";
    const options = ["--lease", "2s", "--kill-after", "0s", "--release-signal", "USR1"];
    const run = start([...options, "--", "sh", "-c", script]);
    const readHolder = async () => (await call(`/locks/${key}`)).holders?.[0];
    await waitUntil(async () => (await readHolder())?.receivesReleaseRequests === true, START_MS);
    const { version } = await call(`/locks/${key}`);
    const request = { expectedVersion: version, reason: "a test" };
    expect(await call(`/locks/${key}/request-release`, request)).toMatchObject({ state: "requested" });
    expect(await run.ended).toMatchObject({
      ...{ code: 4, stdout: "begun\nasked\nstopped\n" },
      stderr: expect.stringContaining(`key:root requests the release of ${key}: a test. Sending SIGUSR1`),
    });
    expect(await direct.exists(key)).toBe(0);
    const { items } = await call(`/locks/${key}/history`);
    expect(items.map(({ type }: { type: string }) => type)).toContain("release_request_accepted");
  });

  it("without --release-signal, no release can be requested", async ({ startWork, call, key }) => {
    const run = await startWork(60_000);
    const { version } = await call(`/locks/${key}`);
    const request = { expectedVersion: version, reason: "a test" };
    expect(await call(`/locks/${key}/request-release`, request)).toMatchObject({
      code: "release_request_unsupported",
    });
    run.child.kill("SIGTERM");
    await run.ended;
  });

  it("a restart of the server does not end the command", async ({
    start,
    server,
    call,
    log,
    direct,
    key,
  }) => {
    const finish = `${log}.finish`;
    const script = `echo begin; until [ -e "${finish}" ]; do sleep 0.1; done; echo end`;
    const run = start(["--lease", "60s", "--", "sh", "-c", script]);
    await waitUntil(async () => (await direct.exists(key)) === 1, START_MS);
    await server.restart();
    // A server that listens may not be connected to Redis yet.
    await waitUntil(async () => (await call(`/locks/${key}`)).state === "held", START_MS);
    await writeFile(finish, "");
    expect(await run.ended).toMatchObject({ code: 0, stdout: "begin\nend\n", stderr: "" });
    expect(await direct.exists(key)).toBe(0);
  });

  it("exits with 123 for a wrong key and a missing one", async ({ start }) => {
    const wrong = await start(["--", "true"], { LOCKKEEPER_API_KEY: "lk_wrong" }).ended;
    expect(wrong).toMatchObject({ code: 123, stderr: expect.stringContaining("The API key is wrong") });
    const missing = await start(["--", "true"], { LOCKKEEPER_API_KEY: undefined }).ended;
    expect(missing).toMatchObject({ code: 123, stderr: expect.stringContaining("No API key given") });
  });

  it("exits with 122 behind a proxy that responds with 502", async ({ start }) => {
    const proxy = createServer((_request, response) =>
      response.writeHead(502).end("<html>Bad Gateway</html>"),
    );
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const { port } = proxy.address() as AddressInfo;
    const { code, stdout, stderr } = await start(["--", "echo", "started"], {
      LOCKKEEPER_URL: `http://127.0.0.1:${port}`,
    }).ended;
    proxy.close();
    expect({ code, stdout }).toEqual({ code: 122, stdout: "" });
    expect(stderr).toMatch(/^lockkeeper: .*502.*\n$/);
  });
});
