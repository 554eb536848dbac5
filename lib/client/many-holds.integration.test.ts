import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Redis } from "ioredis";
import { expect } from "vitest";
import { parseHoldId } from "../../server/formats/hold-id.ts";
import { type ApiProcess, startApiProcess } from "../../test/support/api-process.ts";
import { serverTest } from "../../test/support/fixtures.ts";
import { type HttpProxyMode, startTestHttpProxy } from "../../test/support/test-http-proxy.ts";
import { startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { startTestSentinel, type TestSentinel } from "../../test/support/test-sentinel.ts";
import { ROOT_KEY, waitUntil } from "../../test/support/test-server.ts";
import type { Hold } from "./hold.ts";
import { LockkeeperClient } from "./lockkeeper-client.ts";

const WORKER = fileURLToPath(new URL("../../test/support/workers/many-holds.ts", import.meta.url));
const it = serverTest();

async function acquireMany(client: LockkeeperClient, prefix: string, count: number, leaseMs: number) {
  return await Promise.all(
    Array.from({ length: count }, (_, n) => client.acquire(`${prefix}:${n}`, { leaseMs })),
  );
}

it("a hundred holds share a request for each third of their lease", async ({ server, key }) => {
  const proxy = await startTestHttpProxy(server.url);
  const client = new LockkeeperClient({ url: proxy.url, apiKey: ROOT_KEY });
  const holds = await acquireMany(client, key, 100, 6000);
  const before = proxy.requests.length;
  const startedAt = performance.now();
  await waitUntil(() => performance.now() > startedAt + 6500, 10_000);
  // Ignores other requests. On a busy machine, an abandoned attempt of an acquire can arrive late.
  const renewals = proxy.requests.slice(before).filter((each) => each.endsWith("/renew"));
  expect(new Set(renewals)).toEqual(new Set(["POST /api/v1/holds/renew"]));
  expect(renewals.length).toBeLessThanOrEqual(8);
  for (const hold of holds) hold.assertHeld();
  await Promise.all(holds.map((hold) => hold.release()));
  proxy.stop();
});

it("a hold that was lost does not affect the others of its request", async ({ server, direct, key }) => {
  const errors: Error[] = [];
  const client = new LockkeeperClient({
    url: server.url,
    apiKey: ROOT_KEY,
    onError: (error) => errors.push(error),
  });
  const holds = await acquireMany(client, key, 20, 6000);
  await direct.del(`${key}:7`);
  await waitUntil(() => holds[7]?.signal.aborted === true);
  expect(holds.filter(({ state }) => state === "held")).toHaveLength(19);
  expect(errors).toEqual([]);
  await Promise.all(holds.map((hold) => hold.release()));
});

it("the locks of a killed client are free within one lease", { timeout: 60_000 }, async ({
  server,
  direct,
  key,
}) => {
  const [leaseMs, count] = [3000, 200];
  const task = { url: server.url, apiKey: ROOT_KEY, prefix: key, leaseMs, count };
  const child = spawn(process.execPath, ["--import", "tsx", WORKER, JSON.stringify(task)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await once(child, "message");
  const keys = Array.from({ length: count }, (_, n) => `${key}:${n}`);
  const heldSince = performance.now();
  await waitUntil(() => performance.now() > heldSince + leaseMs + 500);
  expect(await direct.exists(...keys)).toBe(count);
  child.kill("SIGKILL");
  await once(child, "exit");
  const killedAt = performance.now();
  await waitUntil(async () => (await direct.exists(...keys)) === 0, leaseMs + 1000);
  expect(performance.now() - killedAt).toBeLessThan(leaseMs + 200);
});

/** Checks repeatedly that the holds of the client exist on the master. */
class HoldAuditor {
  readonly violations: string[] = [];
  checks = 0;
  #isRunning = true;
  #done: Promise<void> | undefined;

  constructor(
    private readonly holds: readonly Hold[],
    private readonly findMaster: () => Promise<Redis>,
  ) {}

  start(): void {
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#done;
  }

  async #run(): Promise<void> {
    while (this.#isRunning) {
      // Ignores an unreachable master, because the next check follows soon.
      await this.#check().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async #check(): Promise<void> {
    const master = await this.findMaster();
    const stored = await Promise.all(this.holds.map(({ key }) => master.hgetall(key)));
    if ((await master.role())[0] !== "master") return;
    for (const [at, hold] of this.holds.entries()) {
      const { token = "" } = parseHoldId(hold.holdId) ?? {};
      // If the client still considers the hold certain after the read, it did so during the read.
      if (hold.remainingMs() > 0 && stored[at]?.[token] === undefined)
        this.violations.push(`${hold.key} is reported as held, but Redis does not have it`);
    }
    this.checks++;
  }
}

async function startApi(
  group: TestSentinel,
  folder: string,
  homeUrl: string,
  port = "0",
): Promise<ApiProcess> {
  const config = join(folder, "lockkeeper.config.json");
  // With `replicas: 1`, the replica must confirm each renewal, so a failover cannot revert it.
  await writeFile(config, JSON.stringify({ targets: [{ name: "main", redis: group.where, replicas: 1 }] }));
  return await startApiProcess({
    LOCKKEEPER_CONFIG: config,
    LOCKKEEPER_HOME_URL: homeUrl,
    LOCKKEEPER_ROOT_KEY: ROOT_KEY,
    LOCKKEEPER_LOG: "silent",
    LOCKKEEPER_DRAIN_MS: "0",
    PORT: port,
  });
}

it("lost responses, a restart of the server and a failover lose no hold, and none is reported that Redis lost", {
  timeout: 180_000,
}, async ({ key }) => {
  const folder = await mkdtemp(join(tmpdir(), "many-holds-"));
  const [group, home] = await Promise.all([startTestSentinel({ sentinels: 3 }), startTestRedis()]);
  const first = await startApi(group, folder, home.url);
  const proxy = await startTestHttpProxy(first.url);
  const client = new LockkeeperClient({ url: proxy.url, apiKey: ROOT_KEY });
  const holds = await acquireMany(client, key, 150, 20_000);
  const connections = new Map<TestRedis, Redis>();
  const auditor = new HoldAuditor(holds, async () => {
    const master = await group.findMaster();
    const connection = connections.get(master) ?? master.createClient();
    connections.set(master, connection);
    return connection;
  });
  auditor.start();
  const renewed = () => holds.every(({ state }) => state === "held");
  const countRenewals = () => proxy.requests.filter((each) => each.endsWith("/holds/renew")).length;
  const lose = async (mode: HttpProxyMode) => {
    const before = countRenewals();
    proxy.mode = mode;
    await waitUntil(() => countRenewals() >= before + 3, 20_000);
    proxy.mode = "pass";
    await waitUntil(renewed, 15_000);
  };
  await lose("drop_replies");
  await lose("cut");
  await first.stop();
  const second = await startApi(group, folder, home.url, new URL(first.url).port);
  await waitUntil(renewed, 20_000);
  await group.failover();
  const before = countRenewals();
  await waitUntil(() => countRenewals() > before + 1 && renewed(), 30_000);
  await auditor.stop();
  expect(holds.filter(({ signal }) => signal.aborted)).toEqual([]);
  expect([auditor.violations, auditor.checks > 20]).toEqual([[], true]);
  const released = await Promise.all(holds.map((hold) => hold.release()));
  expect(new Set(released.map(({ outcome }) => outcome))).toEqual(new Set(["released"]));
  proxy.stop();
  await second.stop();
  await Promise.all([group.stop(), home.stop(), rm(folder, { recursive: true })]);
});
