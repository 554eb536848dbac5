import { existsSync } from "node:fs";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { test as base, expect } from "vitest";
import { buildServerEnvironment } from "../../../server/redis/embedded/server-binary.ts";
import { findTestBinary } from "../../support/test-redis.ts";
import { ROOT_KEY, startTestServer, type TestServer, waitUntil } from "../../support/test-server.ts";
import { SAMPLES } from "../events/watch-runners.ts";
import { withTempDir } from "../snippets/language-run.ts";
import { checkTypes, linkModules } from "./recipe-modules.ts";
import { readRecipe } from "./recipe-texts.ts";
import { type RunningProgram, startProgram } from "./running-program.ts";

const WITHIN_MS = 20_000;
const LIMIT_MS = 60_000;
const GUARD = fileURLToPath(new URL("../../../docs/guards/redis.lua", import.meta.url));
const TSX = import.meta.resolve("tsx");
const REDIS = await findTestBinary();
const REDIS_CLI = ["redis-cli", "valkey-cli"]
  .map((name) => join(dirname(REDIS.path), name))
  .find((path) => existsSync(path));

const PROGRAMS = [
  "once-per-period.mts",
  "rate-limit.mts",
  "leader.mts",
  "several-locks.mts",
  "guarded-write.mts",
] as const;

const writeProgram = (dir: string, name: (typeof PROGRAMS)[number]) =>
  writeFile(join(dir, name), readRecipe(`ts title=${name}`));

interface Bench {
  readonly server: TestServer;
  /** Folder of a reader's project, with the dependencies of the recipes. */
  readonly dir: string;
  run(...command: [string, ...string[]]): RunningProgram;
  runTypescript(name: string, ...args: string[]): RunningProgram;
}

const it = base.extend<{ bench: Bench }>({
  bench: async ({}, use) => {
    const server = await startTestServer();
    const started: RunningProgram[] = [];
    await withTempDir(async (dir) => {
      await copyFile(join(SAMPLES, "safe-lock.sh"), join(dir, "safe-lock.sh"));
      await copyFile(GUARD, join(dir, "redis.lua"));
      await linkModules(dir);
      const env = {
        ...process.env,
        PATH: `${dir}/bin:${process.env.PATH}`,
        LOCKKEEPER_URL: server.url,
        LOCKKEEPER_API_KEY: ROOT_KEY,
        REDIS_URL: server.redis.url,
      };
      const run = (...command: [string, ...string[]]) => {
        const program = startProgram(command, { env, cwd: dir });
        started.push(program);
        return program;
      };
      const runTypescript = (name: string, ...args: string[]) =>
        run(process.execPath, "--import", TSX, join(dir, name), ...args);
      await use({ server, dir, run, runTypescript });
      for (const program of started) program.stop();
    });
    await server.stop();
  },
});

it.concurrent(
  "the TypeScript of the recipes compiles under strict settings",
  async () => {
    await withTempDir(async (dir) => {
      await linkModules(dir);
      for (const name of PROGRAMS) await writeProgram(dir, name);
      await checkTypes(dir);
    });
  },
  LIMIT_MS,
);

it.concurrent(
  "the cron job does not overlap, and its exit status is that of the job",
  async ({ bench }) => {
    const { dir, server, run } = bench;
    const settings = readRecipe("sh title=lockkeeper.env");
    await writeFile(
      join(dir, "lockkeeper.env"),
      settings.replace("http://127.0.0.1:3000", server.url).replace("lk_…", ROOT_KEY),
    );
    const job =
      '#!/bin/sh\necho "run $LOCK_FENCE"\nwhile [ -e busy ]; do sleep 0.05; done\nexit "$(cat status)"\n';
    await writeFile(join(dir, "report.sh"), job, { mode: 0o755 });
    await writeFile(join(dir, "busy"), "");
    await writeFile(join(dir, "status"), "0");
    const [, command = ""] = /^(?:\S+ ){5}(.*)\n$/.exec(readRecipe("crontab")) ?? [];
    // Starts the command as cron does: with sh, a minimal environment and the home directory.
    const startJob = () => run("env", "-i", `HOME=${dir}`, "PATH=/usr/bin:/bin", "/bin/sh", "-c", command);

    const first = startJob();
    await waitUntil(() => /^run \d+$/m.test(first.readOutput()), WITHIN_MS);
    const second = startJob();
    expect(await second.ended).toBe(75);
    expect(second.readComplaints()).toContain("not acquired: ");
    expect(second.readOutput()).toBe("");
    await rm(join(dir, "busy"));
    expect(await first.ended).toBe(0);
    await writeFile(join(dir, "status"), "3");
    const third = startJob();
    expect(await third.ended).toBe(3);
    expect(third.readOutput()).toMatch(/^run \d+$/m);
  },
  LIMIT_MS,
);

it.concurrent(
  "a candidate leads when the leader loses the lock, is killed or is stopped",
  async ({ bench }) => {
    const { dir, server, runTypescript } = bench;
    const key = "lock:leader:prices";
    await writeProgram(dir, "leader.mts");
    const findFences = (program: RunningProgram) => [
      ...new Set([...program.readOutput().matchAll(/with fence (\d+)/g)].map(([, fence]) => Number(fence))),
    ];
    const waitUntilLeading = async (program: RunningProgram, times: number) =>
      await waitUntil(() => findFences(program).length === times, WITHIN_MS);

    const first = runTypescript("leader.mts");
    await waitUntilLeading(first, 1);
    const second = runTypescript("leader.mts");
    await waitUntil(async () => (await server.call(`/locks/${key}/waiters`)).body.named === 1, WITHIN_MS);
    expect(findFences(second)).toEqual([]);

    const { version } = await server.readLock(key);
    await server.callVerb(key, "force-release", { expectedVersion: version, reason: "test" });
    await waitUntilLeading(second, 1);
    await waitUntil(() => first.readComplaints().includes("not leading"), WITHIN_MS);

    second.signal("SIGKILL");
    await waitUntilLeading(first, 2);

    first.signal("SIGTERM");
    expect(await first.ended).toBe(0);
    expect((await server.readLock(key)).state).toBe("free");
    const [one = 0, three = 0] = findFences(first);
    const [two = 0] = findFences(second);
    expect([one, two, three]).toEqual([one, two, three].toSorted((a, b) => a - b));
  },
  LIMIT_MS,
);

it.concurrent(
  "locks in opposite order are acquired together",
  async ({ bench }) => {
    const { dir, server, runTypescript } = bench;
    const [one, two] = ["lock:account:1", "lock:account:2"] as const;
    await writeProgram(dir, "several-locks.mts");
    const programs = [
      runTypescript("several-locks.mts", one, two),
      runTypescript("several-locks.mts", two, one),
      runTypescript("several-locks.mts", one, two),
      runTypescript("several-locks.mts", two, one),
    ];
    expect(await Promise.all(programs.map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
    expect(programs[1]?.readOutput()).toMatch(
      /^transfer from lock:account:2 to lock:account:1 with fences \d+ and \d+$/m,
    );
    // No program acquires a lock between the two locks that another program acquires together.
    const listGrants = async () =>
      (await server.call("/history?order=oldest_first&type=acquired")).body.items.map(
        ({ key }: { key: string }) => key,
      );
    await waitUntil(async () => (await listGrants()).length === 8, WITHIN_MS);
    const grants = await listGrants();
    for (let first = 0; first < grants.length; first += 2)
      expect(grants.slice(first, first + 2).toSorted()).toEqual([one, two]);
  },
  LIMIT_MS,
);

it.concurrent(
  "the work is done once per period",
  async ({ bench }) => {
    const { dir, server, runTypescript } = bench;
    await writeProgram(dir, "once-per-period.mts");
    const outputs: string[] = [];
    for (let run = 0; run < 2; run++) {
      const program = runTypescript("once-per-period.mts");
      expect(await program.ended).toBe(0);
      outputs.push(program.readOutput());
    }
    expect(outputs[0]).toMatch(/^sending invoices with fencing token \d+\n$/);
    expect(outputs[1]).toBe("done in this period\n");
    expect((await server.readLock("lock:period:invoices")).state).toBe("held");
  },
  LIMIT_MS,
);

it.concurrent(
  "each of the five locks of a rate is granted once a second",
  async ({ bench }) => {
    const { dir, server, runTypescript } = bench;
    await writeProgram(dir, "rate-limit.mts");
    const program = runTypescript("rate-limit.mts");
    expect(await program.ended).toBe(0);
    expect(program.readOutput().match(/^\d+ sending mail \d+$/gm)).toHaveLength(12);
    // The rest of the second is a reservation.
    const path = "/history?key=lock:rate:*&owner=root&type=acquired&order=oldest_first";
    const listGrants = async () => (await server.call(path)).body.items;
    await waitUntil(async () => (await listGrants()).length === 12, WITHIN_MS);
    const last = new Map<string, number>();
    for (const { key, at } of await listGrants()) {
      expect(at - (last.get(key) ?? 0)).toBeGreaterThanOrEqual(1000);
      last.set(key, at);
    }
    expect(last.size).toBeLessThanOrEqual(5);
  },
  LIMIT_MS,
);

it.concurrent(
  "the guarded write is refused when a later holder has written",
  async ({ bench }) => {
    const { dir, server, runTypescript } = bench;
    const redis = server.redis.createClient();
    await writeProgram(dir, "guarded-write.mts");
    expect(await runTypescript("guarded-write.mts").ended).toBe(0);
    expect(await redis.get("stock:9")).toBe("12 left");
    await redis.mset("stock:9", "of a later holder", "{stock:9}:fence", String(Number.MAX_SAFE_INTEGER));
    const late = runTypescript("guarded-write.mts");
    expect(await late.ended).not.toBe(0);
    expect(late.readComplaints()).toMatch(/fence \d+ is stale/);
    expect(await redis.get("stock:9")).toBe("of a later holder");
  },
  LIMIT_MS,
);

(REDIS_CLI === undefined ? it.skip : it.concurrent)(
  "the guarded write of a shell gets the fence",
  async ({ bench }) => {
    const { dir, server, run } = bench;
    const redis = server.redis.createClient();
    const libraryPath = buildServerEnvironment(REDIS)?.LD_LIBRARY_PATH ?? "";
    await mkdir(join(dir, "bin"));
    const cli = `#!/bin/sh\nLD_LIBRARY_PATH='${libraryPath}' exec '${REDIS_CLI}' -p ${server.redis.port} "$@"\n`;
    await writeFile(join(dir, "bin", "redis-cli"), cli, { mode: 0o755 });
    const command = readRecipe("sh title=guarded-write.sh");
    const written = run("bash", "-c", command);
    expect(await written.ended).toBe(0);
    expect(written.readOutput().trim()).toBe("1");
    expect(await redis.get("stock:9")).toBe("11 left");
    await redis.set("{stock:9}:fence", String(Number.MAX_SAFE_INTEGER));
    const refused = run("bash", "-c", command);
    await refused.ended;
    expect(refused.readOutput().trim()).toBe("0");
  },
  LIMIT_MS,
);
