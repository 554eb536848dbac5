import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, vi } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { runCli } from "../../test/support/run-cli.ts";
import { ROOT_KEY } from "../../test/support/test-server.ts";

// Each run of the command loads its sources, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const it = serverTest().extend("variables", { scope: "file" }, ({ server }) => ({
  LOCKKEEPER_URL: server.url,
  LOCKKEEPER_API_KEY: ROOT_KEY,
}));

describe("lockkeeper ls", () => {
  it("lists the locks of a server as a table", async ({ server, key, variables }) => {
    await server.acquire(key, { owner: "订单-worker", leaseMs: 60_000, format: "token" });
    await server.waitForLocks(key);
    const { code, stdout } = await runCli(["ls", `key:${key}`], variables);
    expect(code).toBe(0);
    const [header = "", row = ""] = stdout.split("\n");
    expect(header).toMatch(/^KEY +OWNER +HELD +EXPIRES +COUNT +WAITERS +FORMAT +LIVENESS$/);
    expect(row).toMatch(new RegExp(`^${key} +订单-worker +\\d+m?s +\\d+s +1 +\\S+ +token +\\w+$`));
  });

  it("prints the locks of the API as JSON lines", async ({ server, key, variables }) => {
    await server.acquire(key, { owner: "me", leaseMs: 60_000 });
    await server.waitForLocks(key);
    const { stdout } = await runCli(["ls", `key:${key}`, "--json"], variables);
    const lock = JSON.parse(stdout);
    const { body } = await server.call(`/locks/${encodeURIComponent(key)}`);
    expect(Object.keys(lock)).toEqual(Object.keys(body));
    expect(lock).toMatchObject({ key, state: "held", version: body.version });
  });

  it("reads every page up to the limit, in the order of --sort", async ({ server, key, variables }) => {
    const keys = Array.from({ length: 12 }, (_, at) => `${key}:${String(at).padStart(2, "0")}`);
    await Promise.all(keys.map((each) => server.acquire(each, { leaseMs: 60_000 })));
    await server.waitForLocks(`key:${key}:*`, keys.length);
    const { stdout, stderr } = await runCli(
      ["ls", `key:${key}:*`, "--sort", "-key", "--limit", "5", "--json"],
      variables,
    );
    const found = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).key);
    expect(found).toEqual(keys.toReversed().slice(0, 5));
    expect(stderr).toBe("");
    const table = await runCli(["ls", `key:${key}:*`, "--limit", "5"], variables);
    expect(table.stderr).toBe("5 of 12 locks. --limit shows more.\n");
  });

  it.for<[string, string[], RegExp]>([
    ["an invalid filter", ["ls", "held>long"], /^lockkeeper: The filter is invalid: held must be compared/],
    ["an unknown order", ["ls", "--sort", "age"], /^lockkeeper: --sort is invalid: must be one of key/],
    ["an invalid limit", ["ls", "--limit", "0"], /It must be a whole number from 1/],
    ["a server and a Redis", ["ls", "--server", "http://a", "--redis", "redis://b"], /exclude each other/],
    ["no server and no Redis", ["ls"], /--server URL \(or LOCKKEEPER_URL\).*--redis URL/],
    ["an unknown command", ["list"], /unknown command|too many arguments/],
  ])("refuses %s", async ([, words, message]) => {
    const { code, stdout, stderr } = await runCli(words);
    expect([code, stdout]).toEqual([125, ""]);
    expect(stderr).toMatch(message);
  });
});

describe("lockkeeper show", () => {
  it("shows a lock with its version", async ({ server, key, variables }) => {
    const record = { service: "orders", host: "pod-7", pid: 42 };
    const hold = await server.acquire(key, { owner: "me", leaseMs: 60_000, record });
    const { code, stdout } = await runCli(["show", key], variables);
    const { version } = await server.readLock(key);
    expect(code).toBe(0);
    for (const text of [key, "orders, on pod-7, pid 42", hold.fence, hold.holdId, version])
      expect(stdout).toContain(text);
  });

  it("exits with 1 for a free key", async ({ key, variables }) => {
    const { code, stdout } = await runCli(["show", key, "--json"], variables);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ key, state: "free" });
  });
});

describe("lockkeeper release", () => {
  it("releases the hold that the version identifies, and prints the request of the audit entry", async ({
    server,
    key,
    variables,
  }) => {
    await server.acquire(key, { owner: "me", leaseMs: 60_000 });
    const { version } = await server.readLock(key);
    const words = ["release", key, "--version", version, "--reason", "pod-7 lost its node"];
    const { code, stdout } = await runCli(words, variables);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Released ${key}, held by me for `));
    const [, requestId] = /^Audit entry: request (\S+)$/m.exec(stdout) ?? [];
    const { body: audit } = await server.call("/audit");
    expect(audit.items.find((each: { requestId: string }) => each.requestId === requestId)).toMatchObject({
      action: "force_release",
      reason: "pod-7 lost its node",
    });
    expect(stdout).not.toContain("recreate");
    expect((await server.readLock(key)).state).toBe("free");
    const again = await runCli(words, variables);
    expect([again.code, again.stdout]).toEqual([1, `${key} was free already. Nothing was done.\n`]);
  });

  it("releases a hold that cannot be verified only with --release-unverified", async ({
    server,
    direct,
    key,
    variables,
  }) => {
    await direct.hset(key, "0b5f2c61-3a55-4e5e-8f0e-5f9d3d3f3f01:7", "1");
    await server.waitForLocks(key);
    const { version } = await server.readLock(key);
    // Simulates a version from another instance, or from the same instance before a restart.
    const earlier = String(version).replace(/^seen\.[^.]+/, "seen.AAAAAAAA");
    const words = ["release", key, "--version", earlier, "--reason", "stuck"];
    const refused = await runCli(words, variables);
    expect(refused.code).toBe(124);
    expect(refused.stderr).toContain("add --release-unverified");
    expect(await direct.exists(key)).toBe(1);
    expect((await runCli([...words, "--release-unverified"], variables)).code).toBe(0);
    expect(await direct.exists(key)).toBe(0);
  });

  it("releases nothing if the lock has changed since", async ({ server, key, variables }) => {
    const hold = await server.acquire(key, { owner: "me", leaseMs: 60_000 });
    const { version } = await server.readLock(key);
    await server.callHold(hold, "release");
    await server.acquire(key, { owner: "other", leaseMs: 60_000 });
    const words = ["release", key, "--version", version, "--reason", "stuck"];
    const { code, stderr } = await runCli(words, variables);
    expect(code).toBe(124);
    expect(stderr).toMatch(/^lockkeeper: /);
    expect((await server.readLock(key)).state).toBe("held");
  });

  it("refuses to guess the hold without a terminal", async ({ server, key, variables }) => {
    await server.acquire(key, { owner: "me", leaseMs: 60_000 });
    for (const words of [
      ["release", key, "--reason", "stuck", "--yes"],
      ["release", key, "--version", "x"],
    ]) {
      const { code, stderr } = await runCli(words, variables);
      expect([code, stderr]).toEqual([
        125,
        "lockkeeper: Without a terminal, give --version VERSION (from `lockkeeper show KEY`) and --reason TEXT.\n",
      ]);
    }
    expect((await server.readLock(key)).state).toBe("held");
  });
});

describe("API keys", () => {
  it("are read from a file", async ({ server, key }) => {
    const dir = await mkdtemp(join(tmpdir(), "lockkeeper-key-"));
    onTestFinished(() => rm(dir, { recursive: true }));
    const file = join(dir, "key");
    await writeFile(file, `${ROOT_KEY}\n`);
    const words = ["show", key, "--server", server.url, "--api-key-file"];
    expect((await runCli([...words, file])).code).toBe(1);
    expect(await runCli([...words, join(dir, "none")])).toMatchObject({
      code: 125,
      stderr: `lockkeeper: Could not read the API key file ${dir}/none (ENOENT).\n`,
    });
  });

  it.for<[string, Record<string, string>, RegExp]>([
    ["a missing key", {}, /No API key given\. Set LOCKKEEPER_API_KEY/],
    ["a wrong key", { LOCKKEEPER_API_KEY: "wrong" }, /The API key is wrong, expired or revoked/],
  ])("%s is explained", async ([, more, message], { server }) => {
    const { code, stderr } = await runCli(["ls"], { LOCKKEEPER_URL: server.url, ...more });
    expect(code).toBe(123);
    expect(stderr).toMatch(message);
  });
});
