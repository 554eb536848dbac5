import { mkdir, mkdtemp, realpath, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import type { WriteRefusal } from "../../lib/contract/refusal.ts";
import type { Finding } from "../../lib/contract/target.ts";
import { startTestServer, type TestServer, waitUntil } from "../../test/support/test-server.ts";
import { readInfoField } from "../redis/server-info.ts";

interface RefusingRedis {
  readonly direct: Redis;
  /** Working directory of Redis. */
  readonly dir: string;
}

interface RefusalCase {
  readonly reason: WriteRefusal;
  readonly code: string;
  begin(redis: RefusingRedis): Promise<unknown>;
  end(redis: RefusingRedis): Promise<unknown>;
}

const CASES: readonly RefusalCase[] = [
  {
    reason: "no_replicas",
    code: "NOREPLICAS",
    begin: ({ direct }) => direct.config("SET", "min-replicas-to-write", "1"),
    end: ({ direct }) => direct.config("SET", "min-replicas-to-write", "0"),
  },
  {
    reason: "out_of_memory",
    code: "OOM",
    begin: ({ direct }) => direct.config("SET", "maxmemory", "1"),
    end: ({ direct }) => direct.config("SET", "maxmemory", "0"),
  },
  {
    // A directory takes the path of the snapshot. Redis cannot replace the directory, even as root.
    reason: "persistence_failed",
    code: "MISCONF",
    begin: async ({ direct, dir }) => {
      await direct.config("SET", "save", "3600 100000");
      await mkdir(join(dir, "dump.rdb"));
      await saveSnapshot(direct, "err");
    },
    end: async ({ direct, dir }) => {
      await rmdir(join(dir, "dump.rdb"));
      await saveSnapshot(direct, "ok");
    },
  },
];

async function saveSnapshot(direct: Redis, status: "ok" | "err"): Promise<void> {
  await direct.bgsave();
  await waitUntil(async () => {
    const info = await direct.info("persistence");
    return readInfoField(info, "rdb_last_bgsave_status") === status;
  });
}

const it = test
  .extend("dir", { scope: "file" }, async ({}, { onCleanup }) => {
    const dir = await realpath(await mkdtemp(join(tmpdir(), "lockkeeper-refusing-")));
    onCleanup(() => rm(dir, { recursive: true, force: true }));
    return dir;
  })
  .extend("server", { scope: "file" }, async ({ dir }, { onCleanup }) => {
    const server = await startTestServer({
      redis: { dir },
      hasOwnHome: true,
      environment: { LOCKKEEPER_LOG: "silent", LOCKKEEPER_METRICS: "open" },
    });
    onCleanup(() => server.stop());
    return server;
  })
  .extend("direct", { scope: "file" }, ({ server }) => server.redis.createClient());

async function readTarget(server: TestServer) {
  const { body } = await server.call("/targets/default");
  const findings: readonly Finding[] = body.findings;
  const refusals = findings.filter(({ code }) => code === "writes_refused");
  return { target: body.target, reasons: refusals.map(({ facts }) => facts.reason) };
}

const readMetrics = async (server: TestServer) => (await fetch(`${server.url}/metrics`)).text();

describe("refused writes", () => {
  it.for(CASES)(
    "$code is named as $reason by the error, health, readiness and metrics until it ends",
    async ({ reason, code, begin, end }, { server, direct, dir }) => {
      await waitUntil(() => server.runtime.readiness.state === "live");
      await begin({ direct, dir });
      try {
        const refused = await server.call("/locks/lock%3Arefused/acquire", { body: { owner: "me" } });
        expect(refused).toMatchObject({ status: 503, body: { code: "unavailable", reason } });
        expect(refused.body.detail).toContain(`(${code})`);
        // The server detects that Redis refuses writes even without requests from clients.
        await waitUntil(() => server.runtime.readiness.warnings.length > 0);
        const warnings = [`target default refuses writes: ${reason}`];
        await waitUntil(() => server.runtime.readiness.state === "live");
        expect(server.runtime.readiness).toEqual({ ready: true, state: "live", warnings });
        const { target, reasons } = await readTarget(server);
        expect(reasons).toEqual([reason]);
        expect(target).toMatchObject({ state: "live", masters: [{ writesRefused: reason }] });
        expect(target.detail).toContain(`(${code})`);
        expect(await readMetrics(server)).toContain(
          `lockkeeper_writes_refused{target="default",reason="${reason}"} 1`,
        );
      } finally {
        await end({ direct, dir });
      }
      await waitUntil(() => server.runtime.readiness.warnings.length === 0);
      expect((await readTarget(server)).reasons).toEqual([]);
      const granted = await server.acquire(`lock:after:${reason}`);
      expect(granted.fence).toMatch(/^\d+$/);
    },
  );
});
