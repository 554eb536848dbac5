import { describe, expect } from "vitest";
import { LockClient } from "../../server/locks/client/lock-client.ts";
import { isRunning } from "../../server/redis/embedded/server-process.ts";
import { type RunProcess, startRun } from "../../test/run/run-process.ts";
import { serverTest } from "../../test/support/fixtures.ts";
import { createTestKey } from "../../test/support/test-locks.ts";
import { ROOT_KEY, waitUntil } from "../../test/support/test-server.ts";

const TIMEOUT_MS = 60_000;
const START_MS = 20_000;

const it = serverTest()
  .extend("client", { scope: "file" }, async ({ server }, { onCleanup }) => {
    const client = await LockClient.open(server.redis.url);
    onCleanup(() => client.close());
    return client;
  })
  .extend("keys", () => ["b", "a"].map((name) => createTestKey(`lock:${name}`)))
  .extend(
    "start",
    ({ server, keys }) =>
      (words: readonly string[], options: readonly string[] = []): RunProcess =>
        startRun([...keys, ...options, "--", ...words], {
          LOCKKEEPER_URL: undefined,
          REDIS_URL: server.redis.url,
        }),
  );

describe("lockkeeper run with several keys", { timeout: TIMEOUT_MS }, () => {
  it.for(["redis", "server"] as const)(
    "holds all locks while the command runs, and passes their facts (%s)",
    async (through, { server, keys, direct }) => {
      const connection =
        through === "redis"
          ? { REDIS_URL: server.redis.url, LOCKKEEPER_URL: undefined }
          : { LOCKKEEPER_URL: server.url, LOCKKEEPER_API_KEY: ROOT_KEY, REDIS_URL: undefined };
      const words = ["sh", "-c", 'echo "$LOCKKEEPER_LOCKS"; echo "$LOCKKEEPER_KEY $LOCKKEEPER_FENCE"'];
      const run = startRun([...keys, "--lease", "5s", "--", ...words], connection);
      const { code, stdout, stderr } = await run.ended;
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const [locks = "", first = ""] = stdout.split("\n");
      const held: { key: string; fence: string; holdId: string }[] = JSON.parse(locks);
      expect(held.map(({ key }) => key)).toEqual(keys);
      expect(first).toBe(`${held[0]?.key} ${held[0]?.fence}`);
      expect(await direct.exists(...keys)).toBe(0);
    },
  );

  it("does not start the command if one lock is held, and names it", async ({
    start,
    client,
    keys,
    direct,
  }) => {
    const hold = await client.acquire(keys[1] ?? "", { owner: "checkout" });
    const { code, stdout, stderr } = await start(["echo", "started"]).ended;
    expect({ code, stdout }).toEqual({ code: 120, stdout: "" });
    expect(stderr).toContain(`${keys[1]} is held by checkout`);
    expect(await direct.exists(keys[0] ?? "")).toBe(0);
    await hold.release();
  });

  it("waits until all locks are free, and holds nothing meanwhile", async ({
    start,
    client,
    keys,
    direct,
  }) => {
    const hold = await client.acquire(keys[1] ?? "");
    const run = start(["echo", "started"], ["--wait", "20s"]);
    await waitUntil(async () => (await direct.zcard(`lockkeeper:waiters:{${keys[1]}}`)) === 1, START_MS);
    expect(await direct.exists(keys[0] ?? "")).toBe(0);
    await hold.release();
    expect(await run.ended).toMatchObject({ code: 0, stdout: "started\n" });
  });

  it("the loss of one lock ends the command, and the others are released", async ({
    start,
    keys,
    direct,
  }) => {
    const run = start(["sleep", "60"], ["--lease", "1s", "--kill-after", "0s"]);
    await waitUntil(async () => (await direct.exists(...keys)) === 2, START_MS);
    await direct.del(keys[1] ?? "");
    expect((await run.ended).code).toBe(121);
    await waitUntil(async () => (await direct.exists(...keys)) === 0);
  });

  it("the guardian ends the command if lockkeeper is killed, and all locks expire", async ({
    start,
    keys,
    direct,
  }) => {
    const run = start(["sh", "-c", "echo $$; exec sleep 60"], ["--lease", "1s", "--kill-after", "0s"]);
    let output = "";
    run.child.stdout?.on("data", (chunk) => {
      output += String(chunk);
    });
    await waitUntil(async () => /^\d+\n/.test(output), START_MS);
    run.child.kill("SIGKILL");
    await waitUntil(async () => !isRunning(Number.parseInt(output, 10)));
    await waitUntil(async () => (await direct.exists(...keys)) === 0);
  });

  it("refuses the same key twice, more than 32 keys, and no command", async ({ keys }) => {
    const many = Array.from({ length: 33 }, (_, at) => `lock:${at}`);
    for (const words of [
      [...keys, ...keys, "--", "true"],
      [...many, "--", "true"],
      [...keys, "--"],
    ]) {
      const run = startRun(words, { LOCKKEEPER_URL: undefined, REDIS_URL: "redis://127.0.0.1:1" });
      expect((await run.ended).code).toBe(125);
    }
  });
});
