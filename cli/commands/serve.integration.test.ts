import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished } from "vitest";
import { redisTest } from "../../test/support/fixtures.ts";
import { startMonitor } from "../../test/support/redis-monitor.ts";
import { runCli, startCli } from "../../test/support/run-cli.ts";
import { findFreePort, findTestBinary } from "../../test/support/test-redis.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { acquireForeignLock } from "../../test/support/test-watcher.ts";
import { buildReaderRules } from "../connection/reader-rules.ts";

const it = redisTest();
const run = promisify(execFile);
/** Whether the console has been built. In a new checkout, `npm test` builds it after the integration tests. */
const isBuilt = existsSync(".next/BUILD_ID");
const canMount = await run("unshare", ["-m", "sh", "-c", "mount -t tmpfs tmpfs /mnt"]).then(
  () => true,
  () => false,
);
const START_MS = 60_000;

/** Creates a data folder. If the tests use an unpacked Redis server, the folder contains a link to it. */
async function createDataDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-serve-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const { source } = await findTestBinary();
  if (source === "unpacked") await symlink(resolve(".cache/redis-server"), join(dir, "redis-server"));
  return dir;
}

async function getEnvironment(): Promise<Record<string, string>> {
  const { source, path } = await findTestBinary();
  return {
    ...(source === "configured" ? { REDIS_SERVER_BIN: path } : {}),
    LOCKKEEPER_REDIS_PORT: String(await findFreePort()),
    LOCKKEEPER_LOG: "error",
  };
}

describe.skipIf(!isBuilt)("lockkeeper serve", () => {
  it("serves the console, names its own commands, and stops within 2 s of SIGTERM", async ({ redis }) => {
    const port = String(await findFreePort());
    const data = await createDataDir();
    const words = ["serve", "--redis", redis.url, "--port", port, "--data", data];
    const server = startCli(words, await getEnvironment());
    onTestFinished(() => server.stop());
    await waitUntil(() => server.read().includes("Log in: "), START_MS);
    expect(server.read()).toContain("Lockkeeper is ready");
    expect(server.read()).toContain(`Connecting to Redis at 127.0.0.1:${redis.port}/0…`);
    expect(server.read()).toContain(
      `Log in: lockkeeper login --redis ${redis.url} --port ${port} --data ${data}\n`,
    );
    expect(server.read()).not.toContain("npm");
    const page = await (await fetch(`http://127.0.0.1:${port}/login`)).text();
    expect(page).toContain("lockkeeper login");
    expect(page).not.toContain("npm run login");
    const login = await runCli([
      "login",
      "--redis",
      redis.url,
      "--port",
      port,
      "--data",
      data,
      "--name",
      "mei",
    ]);
    expect(login.stdout).toMatch(
      new RegExp(`^Log in as mei \\(once, within 10 minutes\\): http://127.0.0.1:${port}/login#\\S+\\n$`),
    );
    const audit = await runCli(["audit", "verify", "--redis", redis.url, "--data", data]);
    expect([audit.code, audit.stdout]).toEqual([0, expect.stringContaining("Consistent: ")]);
    const startedAt = performance.now();
    await server.stop();
    expect(performance.now() - startedAt).toBeLessThan(2500);
    expect(server.child.exitCode).toBe(0);
  }, 120_000);

  it("writes nothing to a read-only Redis, whose user may only read", async ({ redis, direct, key }) => {
    await acquireForeignLock(direct, key);
    const version = /^redis_version:(\S+)/m.exec(await direct.info("server"))?.[1] ?? "";
    const command = buildReaderRules(redis.url, ["lock:*"], `Redis ${version}`);
    const [, , , ...rules] = command.replace(">PASSWORD", ">secret").split(" ");
    await direct.call("ACL", "SETUSER", "reader", ...rules);
    const monitor = await startMonitor(redis.url);
    onTestFinished(() => monitor.stop());
    const port = String(await findFreePort());
    const words = ["serve", "--read-only", "--redis", `redis://reader:secret@127.0.0.1:${redis.port}`];
    const data = await createDataDir();
    const server = startCli([...words, "--port", port, "--data", data], {
      ...(await getEnvironment()),
      LOCKKEEPER_WATCH: "lock:*",
    });
    onTestFinished(() => server.stop());
    await waitUntil(() => server.read().includes("API key, stored"), START_MS);
    expect(server.read()).toContain(`Read-only: nothing is written to 127.0.0.1:${redis.port}/0`);
    expect(server.read()).toContain(`an embedded Redis in ${data}`);
    const apiKey = (await readFile(join(data, "root-key"), "utf8")).trim();
    const variables = { LOCKKEEPER_URL: `http://127.0.0.1:${port}`, LOCKKEEPER_API_KEY: apiKey };
    expect((await runCli(["show", key], variables)).code).toBe(0);
    const release = ["release", key, "--version", "any", "--reason", "stuck"];
    expect((await runCli(release, variables)).code).toBe(124);
    expect(await monitor.listWrites()).toEqual([]);
    const names = new Set(monitor.commands.map(([name]) => name?.toLowerCase()));
    expect(names).toContain("scan");
    // Redis 6.2 does not support read-only scripts (EVAL_RO), so Lockkeeper uses EVALSHA.
    const scripts = ["eval", "evalsha"].filter((name) => names.has(name));
    expect(scripts).toEqual(version.startsWith("6.") ? ["evalsha"] : []);
    expect(await direct.call("ACL", "LOG")).toEqual([]);
  }, 120_000);

  it("explains a port that is taken", async ({ redis }) => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await waitUntil(() => other.listening);
    const address = other.address();
    const port = String(typeof address === "object" ? address?.port : "");
    const words = ["serve", "--redis", redis.url, "--port", port, "--data", await createDataDir()];
    const { code, stderr } = await runCli(words);
    expect([code, stderr]).toEqual([
      125,
      `lockkeeper: cannot start: Port ${port} on 127.0.0.1 is in use. Stop the process that uses it, or set PORT to another port.\n`,
    ]);
  }, 60_000);

  it("explains a Redis that does not respond", async () => {
    const port = await findFreePort();
    const words = ["serve", "--redis", `redis://127.0.0.1:${port}`, "--data", await createDataDir()];
    const { code, stderr } = await runCli(words, { PORT: String(await findFreePort()) });
    expect([code, stderr]).toEqual([
      122,
      `lockkeeper: cannot start: Redis at 127.0.0.1:${port}/0 cannot be reached (ECONNREFUSED); start it or correct REDIS_URL.\n`,
    ]);
  }, 60_000);

  it.skipIf(!canMount)(
    "explains a full disk",
    async () => {
      const data = await createDataDir();
      const { source, path } = await findTestBinary();
      const fill = `ln -s "${resolve(".cache/redis-server")}" "${data}/redis-server"; mkdir "${data}/redis"; head -c 16k /dev/zero > "${data}/filler"`;
      const script = `mount -t tmpfs -o size=16k tmpfs "${data}"; ${fill}; exec "$@"`;
      const command = [process.execPath, "--import", "tsx", "cli/main.ts", "serve", "--data", data];
      const env = {
        ...{ NODE_ENV: "test" as const, PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
        PORT: String(await findFreePort()),
        ...(source === "configured" ? { REDIS_SERVER_BIN: path } : {}),
      };
      const failure: { code: number; stderr: string } = await run(
        "unshare",
        ["-m", "--propagation", "private", "sh", "-c", script, "sh", ...command],
        { env },
      ).then(
        () => Promise.reject(new Error("it did not fail")),
        (error) => error,
      );
      expect(failure.code).toBe(125);
      expect(failure.stderr).toContain(
        `lockkeeper: cannot start: Cannot write to ${data}/redis (ENOSPC: the disk is full).`,
      );
    },
    60_000,
  );
});
