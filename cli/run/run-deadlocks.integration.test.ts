import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { startRun } from "../../test/run/run-process.ts";
import { serverTest } from "../../test/support/fixtures.ts";
import { createTestKey } from "../../test/support/test-locks.ts";
import { ROOT_KEY, waitUntil } from "../../test/support/test-server.ts";

const TIMEOUT_MS = 90_000;
const START_MS = 30_000;
const CLI = `"${process.execPath}" --import tsx cli/main.ts run`;

const it = serverTest()
  .extend("go", async ({}, { onCleanup }) => {
    const dir = await mkdtemp(join(tmpdir(), "lockkeeper-run-"));
    onCleanup(() => rm(dir, { recursive: true }));
    return join(dir, "go");
  })
  .extend("connections", ({ server }) => ({
    redis: { REDIS_URL: server.redis.url, LOCKKEEPER_URL: undefined },
    server: { LOCKKEEPER_URL: server.url, LOCKKEEPER_API_KEY: ROOT_KEY, REDIS_URL: undefined },
  }));

describe("lockkeeper run inside lockkeeper run", { timeout: TIMEOUT_MS }, () => {
  it.for(["redis", "server"] as const)(
    "two nested runs in opposite order are a deadlock, and one of them is refused (%s)",
    async (through, { connections, server, go }) => {
      const [a, b] = [createTestKey("lock:a"), createTestKey("lock:b")];
      const nest = (outer: string, inner: string) => {
        const run = `${CLI} ${inner} --wait 60s --on-deadlock refuse -- echo started`;
        const script = `until [ -e "${go}" ]; do sleep 0.05; done; ${run}`;
        return startRun([outer, "--pass-api-key", "--", "sh", "-c", script], connections[through]).ended;
      };
      const runs = [nest(a, b), nest(b, a)];
      const isHeld = async (key: string) => (await server.readLock(key)).state === "held";
      await waitUntil(async () => (await isHeld(a)) && (await isHeld(b)), START_MS);
      await writeFile(go, "");
      const ends = await Promise.all(runs);
      expect(ends.map(({ code }) => code).sort()).toEqual([0, 120]);
      const [refused] = ends.filter(({ code }) => code === 120);
      expect(refused?.stderr).toMatch(/part of a deadlock, so it was refused\. ".*" waits for ".*"/);
      expect(ends.map(({ stdout }) => stdout).sort()).toEqual(["", "started\n"]);
    },
  );

  it("a run on another target does not fail because of the runs around it", async ({
    connections,
    server,
    key,
  }) => {
    const holding = Buffer.from(`elsewhere\0redisson\0\0token-1\0${"1"}\0lock:outer`).toString("base64url");
    const held = await server.acquire(key, { leaseMs: 1000 });
    const run = startRun([key, "--wait", "30s", "--quiet", "--", "sh", "-c", 'echo "$LOCKKEEPER_HOLDING"'], {
      ...connections.server,
      LOCKKEEPER_HOLDING: `h1.${holding}`,
    });
    const { code, stdout, stderr } = await run.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^h1\.\S+ h1\.\S+\n$/);
    expect(stdout).not.toContain(held.holdId);
  });

  it("several keys cannot be refused as part of a deadlock", async ({ connections, key }) => {
    const run = startRun([key, `${key}:b`, "--on-deadlock", "refuse", "--", "true"], connections.redis);
    expect(await run.ended).toMatchObject({ code: 125, stderr: expect.stringContaining("a single key") });
  });
});
