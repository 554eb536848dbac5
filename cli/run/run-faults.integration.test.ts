import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { isRunning } from "../../server/redis/embedded/server-process.ts";
import {
  createWorkCommand,
  findGuardian,
  type RunProcess,
  readChildren,
  startRun,
} from "../../test/run/run-process.ts";
import { findOverlaps, readRunLog, readWorkSpans } from "../../test/run/work-log.ts";
import { redisTest } from "../../test/support/fixtures.ts";
import { waitUntil } from "../../test/support/test-server.ts";

const TIMEOUT_MS = 120_000;
const START_MS = 30_000;
const LEASE_MS = 2000;
/** A lease whose last tenth, in which processes are killed, is long enough for the test to observe it. */
const LONG_LEASE_MS = 8000;
const WORK_MS = 60_000;

const it = redisTest()
  .extend("dir", async ({}, { onCleanup }) => {
    const dir = await mkdtemp(join(tmpdir(), "lockkeeper-run-"));
    onCleanup(() => rm(dir, { recursive: true }));
    return dir;
  })
  .extend("log", ({ dir }) => join(dir, "log"))
  .extend("startWork", ({ redis, key, log }) => {
    return async (
      options: readonly string[] = [],
      modes: readonly string[] = [],
      leaseMs = LEASE_MS,
    ): Promise<RunProcess> => {
      const work = createWorkCommand(log, WORK_MS, ...modes);
      const run = startRun([key, "--lease", `${leaseMs}ms`, ...options, ...work], {
        LOCKKEEPER_URL: undefined,
        REDIS_URL: redis.url,
      });
      const count = modes.includes("--child") ? 2 : 1;
      await waitUntil(() => readWorkSpans(log).length === count, START_MS);
      return run;
    };
  })
  .extend("startUntilFile", ({ redis, key, dir }) => async (leaseMs: number) => {
    const [started, file] = [join(dir, "started"), join(dir, "finish")];
    const script = `touch "${started}"; until [ -e "${file}" ]; do sleep 0.02; done; exit 7`;
    const run = startRun([key, "--lease", `${leaseMs}ms`, "--", "sh", "-c", script], {
      LOCKKEEPER_URL: undefined,
      REDIS_URL: redis.url,
    });
    // A key without a command is not enough. Until its subscription is active, the client may renew the hold, and would
    // find that the key is deleted before the release does.
    await waitUntil(() => existsSync(started), START_MS);
    return { ended: run.ended, finish: () => writeFile(file, "") };
  })
  .extend(
    "areAllEnded",
    ({ log }) =>
      () =>
        readWorkSpans(log).every(({ pid }) => !isRunning(pid)),
  );

describe("faults of lockkeeper run", { timeout: TIMEOUT_MS }, () => {
  it("a loss ends the command with the signal, and exits with 121", async ({
    startWork,
    log,
    direct,
    key,
  }) => {
    const run = await startWork();
    await direct.del(key);
    const { code, stderr } = await run.ended;
    expect(code).toBe(121);
    expect(stderr).toMatch(/has ended: .* Ending the command with SIGTERM\.\n$/);
    expect(readWorkSpans(log)[0]?.events).toEqual(["begin", "SIGTERM"]);
  });

  it("a loss kills all processes that ignore the signal", async ({ startWork, areAllEnded, direct, key }) => {
    const run = await startWork(["--kill-after", "300ms"], ["--ignore-signals", "--child"]);
    await direct.del(key);
    expect(await run.ended).toMatchObject({ code: 121 });
    expect(areAllEnded()).toBe(true);
  });

  it("a killed supervisor ends the command before the lease", async ({
    startWork,
    areAllEnded,
    direct,
    key,
  }) => {
    const run = await startWork();
    run.child.kill("SIGKILL");
    await waitUntil(areAllEnded, LEASE_MS);
    expect(await direct.pttl(key)).toBeGreaterThan(0);
    expect((await run.ended).stderr).toContain("lockkeeper run was killed.");
  });

  it("a killed supervisor kills processes that ignore signals before the lease", async ({
    startWork,
    areAllEnded,
    direct,
    key,
  }) => {
    const modes = ["--ignore-signals", "--child"];
    const run = await startWork(["--kill-after", "1m"], modes, LONG_LEASE_MS);
    run.child.kill("SIGKILL");
    await waitUntil(areAllEnded, LONG_LEASE_MS);
    expect(await direct.pttl(key)).toBeGreaterThan(0);
  });

  it("a stopped supervisor loses the command before the lease", async ({
    startWork,
    areAllEnded,
    log,
    direct,
    key,
  }) => {
    const run = await startWork([], ["--ignore-signals"], LONG_LEASE_MS);
    run.child.kill("SIGSTOP");
    await waitUntil(areAllEnded, LONG_LEASE_MS);
    expect(await direct.pttl(key)).toBeGreaterThan(0);
    // Waits until the lease has expired.
    await waitUntil(async () => (await direct.exists(key)) === 0, LONG_LEASE_MS);
    run.child.kill("SIGCONT");
    const { code, stderr } = await run.ended;
    expect(code).toBe(121);
    expect(stderr).toMatch(/before it was renewed|was not renewed/);
    expect(readWorkSpans(log)[0]?.events).toEqual(["begin", "SIGTERM"]);
  });

  it.for([
    { moment: "once it has a guardian", children: 1 },
    { moment: "once it has started the gate of the command", children: 2 },
  ])(
    "a supervisor that is killed $moment leaves nothing behind",
    async ({ children }, { redis, key, log }) => {
      const args = [key, "--lease", `${LEASE_MS}ms`, ...createWorkCommand(log, WORK_MS, "--ignore-signals")];
      const run = startRun(args, { LOCKKEEPER_URL: undefined, REDIS_URL: redis.url });
      let started: number[] = [];
      await waitUntil(() => {
        started = readChildren(run.pid);
        return started.length >= children;
      }, START_MS);
      run.child.kill("SIGKILL");
      // A guardian that is still starting notices only afterwards that the supervisor has ended.
      await waitUntil(() => !started.some(isRunning), START_MS);
      expect(readWorkSpans(log).filter(({ pid }) => isRunning(pid))).toEqual([]);
    },
  );

  it("a killed guardian is replaced, and the new one guards", async ({ startWork, areAllEnded }) => {
    const run = await startWork();
    const first = findGuardian(run.pid);
    expect(first).toBeDefined();
    process.kill(first ?? 0, "SIGKILL");
    await waitUntil(() => run.readStderr().includes("Another one was started."), START_MS);
    expect(areAllEnded()).toBe(false);
    run.child.kill("SIGKILL");
    await waitUntil(areAllEnded, LEASE_MS);
  });

  it("an unreachable Redis ends the command before the lease", async ({ redis, startWork, log }) => {
    const run = await startWork();
    redis.freeze();
    const { code, stderr } = await run.ended;
    redis.thaw();
    expect(code).toBe(121);
    expect(stderr).toContain("was not renewed and is about to end");
    const lines = readRunLog(log);
    const worked = (lines.at(-1)?.at ?? 0) - (lines[0]?.at ?? 0);
    expect(worked).toBeLessThan(LEASE_MS * 2);
  });

  it("an outage that begins before the release keeps the exit code of the command", async ({
    redis,
    direct,
    key,
    startUntilFile,
  }) => {
    const leaseMs = 2500;
    const { ended, finish } = await startUntilFile(leaseMs);
    await waitUntil(async () => (await direct.pttl(key)) < leaseMs - 500, leaseMs);
    await waitUntil(async () => (await direct.pttl(key)) > leaseMs - 200, leaseMs);
    redis.freeze();
    await finish();
    const { code, stderr } = await ended;
    redis.thaw();
    expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringContaining("Could not release") });
  });

  it("a release that finds no hold exits with 121 and a message", async ({ direct, key, startUntilFile }) => {
    const { ended, finish } = await startUntilFile(60_000);
    await direct.del(key);
    await finish();
    const { code, stderr } = await ended;
    expect(code).toBe(121);
    // A renewal can find that the key is deleted before the release does.
    expect(stderr).toMatch(/The hold of \S+ ended before the command did\.|This hold of \S+ has ended/);
    expect(stderr).toContain(key);
  });

  it("a supervisor with a stopped guardian ends the command before the lease", async ({
    redis,
    startWork,
    log,
  }) => {
    const run = await startWork([], ["--ignore-signals"]);
    process.kill(findGuardian(run.pid) ?? Number.NaN, "SIGSTOP");
    redis.freeze();
    const { code, stderr } = await run.ended;
    redis.thaw();
    expect(code).toBe(121);
    expect(stderr).toContain("was not renewed and is about to end");
    expect(readWorkSpans(log)[0]?.events).toEqual(["begin", "SIGTERM"]);
  });

  it("runs in parallel never overlap", async ({ redis, key, log }) => {
    const runs = Array.from({ length: 12 }, () =>
      startRun([key, "--lease", "5s", "--wait", "2m", "--quiet", ...createWorkCommand(log, 50)], {
        LOCKKEEPER_URL: undefined,
        REDIS_URL: redis.url,
      }),
    );
    for (const { ended } of runs) expect(await ended).toMatchObject({ code: 0, stderr: "" });
    const spans = readWorkSpans(log);
    expect(spans.length).toBe(12);
    expect(findOverlaps(spans)).toEqual([]);
    expect(spans.map(({ fence }) => BigInt(fence))).toEqual(
      spans.map(({ fence }) => BigInt(fence)).sort((a, b) => (a < b ? -1 : 1)),
    );
  });
});
