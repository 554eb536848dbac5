import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Lock } from "../lib/contract/lock.ts";
import { encodeKeyPath } from "../lib/keys/key.ts";
import { redisTest } from "../test/support/fixtures.ts";
import { sleepMs } from "../test/support/test-locks.ts";
import { createBearerHeader, ROOT_KEY, waitUntil } from "../test/support/test-server.ts";

const SERVER = fileURLToPath(new URL("../test/support/workers/api-server.ts", import.meta.url));
const EVIDENCE_KEY = "{lockkeeper}:evidence:default";
const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 1000;
const TEN_MINUTES_MS = 600_000;

/** Creates an owner in the form of DistributedLock for .NET, which uses a new owner for each hold. */
const createUniqueOwner = () => `pod-7_311_${randomUUID().replaceAll("-", "")}`;

interface RunningServer {
  readonly child: ChildProcess;
  /** Returns the current locks by key. */
  readLocks(): Promise<Map<string, Lock>>;
  /** Waits until the list of locks contains all of these keys, and returns the locks by key. */
  readFirstList(keys: readonly string[]): Promise<Map<string, Lock>>;
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
}

const it = redisTest()
  .extend("startServer", ({ redis }, { onCleanup }) => {
    const started: ChildProcess[] = [];
    onCleanup(() => {
      for (const child of started) child.kill("SIGKILL");
    });
    return async (): Promise<RunningServer> => {
      const settings = { PORT: "0", REDIS_URL: redis.url, LOCKKEEPER_LOG: "error" };
      const env = { NODE_ENV: "production" as const, LOCKKEEPER_ROOT_KEY: ROOT_KEY, ...settings };
      const child = fork(SERVER, { env, execArgv: ["--import", "tsx"] });
      started.push(child);
      const [port] = await once(child, "message");
      return connectToServer(child, Number(port));
    };
  })
  .extend("readEvidence", ({ direct }) => async (key: string): Promise<StoredEvidence | undefined> => {
    const text = await direct.hget(EVIDENCE_KEY, encodeKeyPath(key));
    return text === null ? undefined : JSON.parse(text);
  });

/** The stored evidence of a hold. The tests read only the renewals and the holders. */
type StoredEvidence = [
  version: number,
  deadline: unknown,
  renewals: [sinceMs: number, count: number],
  lease: unknown,
  holders: [[digest: string, count: number, seq: number, firstSeenMs: number]],
];

function connectToServer(child: ChildProcess, port: number): RunningServer {
  const readLocks = async () => {
    const url = `http://127.0.0.1:${port}/api/v1/locks?limit=100`;
    const response = await fetch(url, { headers: createBearerHeader(ROOT_KEY) });
    const { items } = (await response.json()) as { items: Lock[] };
    return new Map(items.map((lock) => [lock.key, lock]));
  };
  return {
    child,
    readLocks,
    async readFirstList(keys) {
      let locks = new Map<string, Lock>();
      await waitUntil(async () => {
        locks = await readLocks();
        return keys.every((key) => locks.has(key));
      }, 20_000);
      return locks;
    },
    async end(signal) {
      const ended = once(child, "exit");
      child.kill(signal);
      await ended;
    },
  };
}

function getEvidence(lock: Lock | undefined) {
  const { since, sinceIs } = lock?.holders[0] ?? {};
  const { state, renewals, lastRenewalAt, renewalIntervalMs } = lock?.liveness ?? {};
  return { since, sinceIs, state, renewals, lastRenewalAt, renewalIntervalMs };
}

it("a server that is killed and started again keeps liveness and start of foreign holds", async ({
  direct,
  key,
  startServer,
  readEvidence,
}) => {
  const names = ["overdue", "renewed", "no-ttl", "long", "taken-over"].map((name) => `${key}:${name}`);
  const [overdue = "", renewed = "", noTtl = "", long = "", takenOver = ""] = names;
  const acquire = (name: string, owner = `${randomUUID()}:1`) => direct.hset(name, owner, 1);
  let server = await startServer();
  await waitUntil(async () => (await server.readLocks()).size === 0);
  for (const name of [overdue, noTtl, long, takenOver]) await acquire(name);
  await direct.set(renewed, createUniqueOwner(), "PX", LEASE_MS);
  for (const name of [overdue, long, takenOver]) await direct.pexpire(name, LEASE_MS);
  let before = await server.readFirstList(names);
  await waitUntil(async () => {
    await sleepMs(RENEW_EVERY_MS);
    await direct.pexpire(overdue, LEASE_MS);
    before = await server.readLocks();
    return typeof before.get(overdue)?.liveness?.nextRenewalExpectedAt === "number";
  }, 30_000);
  await waitUntil(async () => {
    await sleepMs(100);
    before = await server.readLocks();
    const evidence = await Promise.all(names.map(readEvidence));
    const isStored = evidence.every((each) => each !== undefined);
    const { state, renewals } = before.get(overdue)?.liveness ?? {};
    return isStored && state === "overdue" && evidence[0]?.[2][1] === renewals;
  }, 30_000);
  await server.end("SIGKILL");

  await direct.pexpire(renewed, 2 * LEASE_MS);
  await direct
    .multi()
    .del(takenOver)
    .hset(takenOver, `${randomUUID()}:1`, 1)
    .pexpire(takenOver, LEASE_MS)
    .exec();
  // Rewrites the evidence as if a process that observed the start had stored it ten minutes ago.
  const stored = await readEvidence(long);
  if (stored === undefined) throw new Error("no evidence is stored");
  stored[2][0] -= TEN_MINUTES_MS;
  stored[4][0][3] -= TEN_MINUTES_MS;
  await direct.hset(EVIDENCE_KEY, encodeKeyPath(long), JSON.stringify(stored));

  server = await startServer();
  const after = await server.readFirstList(names);
  const changes = (name: string) => [getEvidence(after.get(name)), getEvidence(before.get(name))] as const;

  const [overdueNow, overdueBefore] = changes(overdue);
  expect(overdueNow).toEqual(overdueBefore);
  expect(overdueNow.state).toBe("overdue");
  expect(after.get(overdue)?.liveness?.watchedMs).toBeGreaterThan(
    before.get(overdue)?.liveness?.watchedMs ?? 0,
  );

  const [renewedNow, renewedBefore] = changes(renewed);
  expect(renewedNow).toMatchObject({
    since: renewedBefore.since,
    sinceIs: "exact",
    state: "alive",
    renewals: 1,
  });

  const [noTtlNow, noTtlBefore] = changes(noTtl);
  expect(noTtlNow).toEqual(noTtlBefore);
  expect(noTtlNow).toMatchObject({ sinceIs: "exact", state: "no_ttl" });

  const [longNow, longBefore] = changes(long);
  expect(longNow).toMatchObject({ since: Number(longBefore.since) - TEN_MINUTES_MS, sinceIs: "exact" });
  expect(after.get(long)?.liveness?.watchedMs).toBeGreaterThan(TEN_MINUTES_MS);

  const [takenNow, takenBefore] = changes(takenOver);
  expect(takenNow).toMatchObject({ sinceIs: "at_least", renewals: 0 });
  expect(takenNow.since).toBeGreaterThan(Number(takenBefore.since));
}, 120_000);

it("a server that is stopped stores what changed since its last write, and removes what ended unseen", async ({
  direct,
  key,
  startServer,
  readEvidence,
}) => {
  const [kept, ended] = [`${key}:kept`, `${key}:ended`];
  const owner = createUniqueOwner();
  for (const name of [kept, ended]) await direct.set(name, owner, "PX", LEASE_MS);
  let server = await startServer();
  await server.readFirstList([kept, ended]);
  await waitUntil(
    async () => (await readEvidence(kept)) !== undefined && (await readEvidence(ended)) !== undefined,
    20_000,
  );
  await direct.pexpire(kept, 2 * LEASE_MS);
  await waitUntil(async () => (await server.readLocks()).get(kept)?.liveness?.renewals === 1);
  await server.end("SIGTERM");
  expect((await readEvidence(kept))?.[2][1]).toBe(1);
  await direct.del(ended);
  server = await startServer();
  await waitUntil(async () => (await readEvidence(ended)) === undefined, 20_000);
  expect((await server.readLocks()).get(kept)?.liveness?.renewals).toBe(1);
}, 60_000);
