import { once } from "node:events";
import { describe, expect, onTestFinished, vi } from "vitest";
import { redisTest } from "../../test/support/fixtures.ts";
import { startMonitor } from "../../test/support/redis-monitor.ts";
import { runCli, spawnCli } from "../../test/support/run-cli.ts";
import { openTestVerbs } from "../../test/support/test-locks.ts";
import { acquireForeignLock } from "../../test/support/test-watcher.ts";

// Each run of the command loads its sources, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const it = redisTest().extend("locks", { scope: "file" }, async ({ redis }, { onCleanup }) => {
  const verbs = await openTestVerbs(redis.port);
  onCleanup(() => verbs.close());
  return verbs.locks;
});

describe("lockkeeper ls --redis", () => {
  it("lists the locks of every library and writes nothing", async ({ redis, direct, locks, key }) => {
    await locks.acquire(key, { owner: "me", leaseMs: 60_000, format: "token" });
    await acquireForeignLock(direct, `${key}:redisson`);
    const monitor = await startMonitor(redis.url);
    onTestFinished(() => monitor.stop());
    const words = ["ls", `key:${key}*`, "--redis", redis.url, "--json"];
    const { code, stdout, stderr } = await runCli(words);
    expect([code, stderr]).toEqual([0, ""]);
    const found = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(found.map(({ key: name, format }) => [name, format])).toEqual([
      [key, "token"],
      [`${key}:redisson`, "redisson"],
    ]);
    expect(monitor.commands.map(([name]) => name?.toLowerCase())).toContain("scan");
    expect(await monitor.listWrites()).toEqual([]);
    const { stdout: shown } = await runCli(["show", key, "--redis", redis.url]);
    await runCli(["doctor", redis.url]);
    expect(shown).toContain("me");
    expect(await monitor.listWrites()).toEqual([]);
  }, 60_000);

  it("escapes control characters in keys and owners", async ({ redis, direct, key }) => {
    await direct.set(`lock:\u001b[2J${key}`, "\u001b]0;owned\u0007", "PX", 60_000);
    const { stdout } = await runCli(["ls", key, "--redis", redis.url]);
    expect(stdout).toContain(`lock:\\u{1b}[2J${key}`);
    expect(stdout).not.toContain("\u001b");
  });

  it("ends quietly when the reader closes the pipe", async ({ redis, direct, key }) => {
    await direct.eval(
      "for at = 1, 5000 do redis.call('SET', KEYS[1] .. at, ARGV[1], 'PX', 60000) end",
      1,
      `${key}:`,
      "o".repeat(200),
    );
    const words = ["ls", "--redis", redis.url, "--limit", "5000", "--json"];
    const child = spawnCli(words);
    let stderr = "";
    child.stderr.on("data", (text) => {
      stderr += text;
    });
    child.stdout.once("data", () => child.stdout.destroy());
    await once(child, "exit");
    expect([child.exitCode, stderr]).toEqual([0, ""]);
  });
});

describe("lockkeeper show --redis", () => {
  it("reads one key without a server", async ({ redis, direct, key }) => {
    const owner = await acquireForeignLock(direct, key);
    const { code, stdout } = await runCli(["show", key, "--redis", redis.url]);
    expect(code).toBe(0);
    expect(stdout).toContain(owner);
    expect(stdout).toMatch(/^Format +redisson \(certain\)$/m);
  });

  it("refuses a key that is not a lock", async ({ redis, direct, key }) => {
    await direct.rpush(key, "a", "b");
    const { code, stderr } = await runCli(["show", key, "--redis", redis.url]);
    expect(code).toBe(124);
    expect(stderr).toMatch(/^lockkeeper: [^\n]+\n$/);
  });
});
