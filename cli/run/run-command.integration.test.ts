import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { LockClient } from "../../server/locks/client/lock-client.ts";
import { isRunning } from "../../server/redis/embedded/server-process.ts";
import { type RunProcess, startRun } from "../../test/run/run-process.ts";
import { redisTest } from "../../test/support/fixtures.ts";
import { waitUntil } from "../../test/support/test-server.ts";

const TIMEOUT_MS = 60_000;
const PAYLOAD_BYTES = 3_000_000;

const it = redisTest()
  .extend("dir", async ({}, { onCleanup }) => {
    const dir = await mkdtemp(join(tmpdir(), "lockkeeper-run-"));
    onCleanup(() => rm(dir, { recursive: true }));
    return dir;
  })
  .extend("client", { scope: "file" }, async ({ redis }, { onCleanup }) => {
    const client = await LockClient.open(redis.url);
    onCleanup(() => client.close());
    return client;
  })
  .extend(
    "start",
    ({ redis, key }) =>
      (words: readonly string[], options: readonly string[] = [], environment = {}): RunProcess =>
        startRun([key, ...options, "--", ...words], {
          LOCKKEEPER_URL: undefined,
          REDIS_URL: redis.url,
          ...environment,
        }),
  );

describe("lockkeeper run", { timeout: TIMEOUT_MS }, () => {
  it.for([
    { words: ["sh", "-c", "exit 7"], code: 7 },
    { words: ["sh", "-c", "kill -KILL $$"], code: 137 },
    { words: ["/nonexistent/command"], code: 127 },
    { words: ["/etc/passwd"], code: 126 },
  ])(
    "exits with $code after $words, and releases the lock",
    async ({ words, code }, { start, direct, key }) => {
      expect(await start(words).ended).toMatchObject({ code });
      expect(await direct.exists(key)).toBe(0);
    },
  );

  it("ignores what a module in NODE_OPTIONS prints on the standard output of the guardian", async ({
    start,
    dir,
  }) => {
    const preload = join(dir, "preload.cjs");
    await writeFile(preload, 'console.log("loaded\\nnull"); process.stdout.write("no line break");');
    const run = start(["sh", "-c", "exit 7"], [], { NODE_OPTIONS: `--require=${preload}` });
    expect(await run.ended).toMatchObject({ code: 7, stderr: "" });
  });

  it("passes the facts of the hold, and not the API key", async ({ start, key }) => {
    const { stdout } = await start(["env"], [], { LOCKKEEPER_API_KEY: "lk_secret", "dotted.name": "kept" })
      .ended;
    expect(stdout).toMatch(/^LOCKKEEPER_FENCE=\d+$/m);
    expect(stdout).toMatch(/^LOCKKEEPER_HOLD_ID=h1\./m);
    expect(stdout).toContain(`LOCKKEEPER_KEY=${key}\n`);
    expect(stdout).not.toContain("lk_secret");
    expect(stdout).toContain("dotted.name=kept\n");
  });

  it("passes the API key on with --pass-api-key", async ({ start }) => {
    const { stdout } = await start(["env"], ["--pass-api-key"], { LOCKKEEPER_API_KEY: "lk_secret" }).ended;
    expect(stdout).toContain("LOCKKEEPER_API_KEY=lk_secret\n");
  });

  it("refuses a held lock with the holder, without starting the command", async ({ start, client, key }) => {
    const hold = await client.acquire(key, { owner: "checkout", leaseMs: 60_000 });
    const { code, stdout, stderr } = await start(["echo", "started"]).ended;
    expect({ code, stdout }).toEqual({ code: 120, stdout: "" });
    expect(stderr).toMatch(
      new RegExp(`^lockkeeper: ${key} is held by checkout \\(expires in \\d+s\\)\\.\\n$`),
    );
    await hold.release();
  });

  it("escapes control characters of the holder", async ({ start, direct, key }) => {
    await direct.set(key, "checkout\u001b[31m", "PX", 60_000);
    const { code, stderr } = await start(["true"], ["--format", "token"]).ended;
    expect(code).toBe(120);
    expect(stderr).toContain("is held by checkout\\u{1b}[31m (");
  });

  it("waits for the lock", async ({ start, client, key }) => {
    const hold = await client.acquire(key, { owner: "checkout", leaseMs: 60_000 });
    const waiting = start(["echo", "started"], ["--wait", "50s"]);
    await waitUntil(() => waiting.readStderr().includes("Waiting."), 20_000);
    await hold.release();
    expect(await waiting.ended).toMatchObject({ code: 0, stdout: "started\n" });
  });

  it("leaves the queue when it is interrupted", async ({ start, client, direct, key }) => {
    const hold = await client.acquire(key, { leaseMs: 60_000 });
    const waiting = start(["echo", "started"], ["--wait", "forever"]);
    await waitUntil(() => waiting.readStderr().includes("Waiting."), 20_000);
    await waitUntil(async () => (await direct.keys(`*waiters*${key}*`)).length > 0, 20_000);
    waiting.child.kill("SIGINT");
    expect(await waiting.ended).toMatchObject({ code: 130, stdout: "" });
    expect(await direct.keys(`*waiters*${key}*`)).toEqual([]);
    await hold.release();
  });

  it("forwards signals to the command and keeps its exit code", async ({ start }) => {
    const script =
      'trap "echo usr1" USR1; trap "echo term; exit 9" TERM; echo up; while :; do sleep 0.05; done';
    const run = start(["sh", "-c", script]);
    let seen = "";
    run.child.stdout?.on("data", (chunk) => {
      seen += chunk;
    });
    await waitUntil(() => seen.includes("up") || run.child.exitCode !== null, 30_000);
    run.child.kill("SIGUSR1");
    await waitUntil(() => seen.includes("usr1"), 20_000);
    run.child.kill("SIGTERM");
    expect(await run.ended).toMatchObject({ code: 9 });
  });

  it("connects standard input and output directly, as blocking pipes", async ({ start }) => {
    const run = start(["sh", "-c", "cat; cat /proc/self/fdinfo/1 >&2"]);
    run.child.stdin?.end("x".repeat(PAYLOAD_BYTES));
    const { stdout, stderr } = await run.ended;
    expect(stdout.length).toBe(PAYLOAD_BYTES);
    const flags = Number.parseInt(/flags:\s*(\d+)/.exec(stderr)?.[1] ?? "", 8);
    const NONBLOCKING = 0o4000;
    expect(flags & NONBLOCKING).toBe(0);
  });

  it("ends the processes that the command leaves behind before it releases the lock", async ({
    start,
    direct,
    key,
  }) => {
    const script = "trap '' TERM; sleep 300 & echo $!";
    const run = start(["sh", "-c", script], ["--kill-after", "200ms"]);
    const { code, stdout } = await run.ended;
    expect(code).toBe(0);
    expect(isRunning(Number(stdout))).toBe(false);
    expect(await direct.exists(key)).toBe(0);
  });

  it("prints one line and exits with 122 if Redis cannot be reached", async ({ start }) => {
    const { code, stderr } = await start(["true"], [], { REDIS_URL: "redis://127.0.0.1:1" }).ended;
    expect({ code, lines: stderr.trimEnd().split("\n") }).toEqual({
      code: 122,
      lines: [expect.stringContaining("Could not reach Redis at 127.0.0.1:1")],
    });
  });

  it("names both ways to connect if none is given", async ({ start }) => {
    const { code, stderr } = await start(["true"], [], { REDIS_URL: undefined }).ended;
    expect(code).toBe(125);
    expect(stderr).toMatch(/--server URL.*--redis URL/);
  });
});
