/**
 * Simulates the clients of a Redis server, which change locks at a fixed rate. Half of the locks are changed through
 * Lockkeeper's core, the others with plain commands as in other libraries.
 *
 * Usage: `node --import tsx changes.ts REDIS_URL`
 */
import type { Grant } from "../../../server/locks/verbs/contract/grant.ts";
import { openCore } from "../core/ours.ts";
import { openPlainConnection } from "../plain-connection.ts";
import type { ChangesRequest, ChangesResponse } from "../watch/changes-messages.ts";

const LEASE_MS = 30_000;
const TICK_MS = 5;
const SERVICES = ["billing", "orders", "payments", "reports", "search", "stock"];

/** A lock with its state, and functions that acquire, renew and release it. */
interface UsedLock {
  isHeld: boolean;
  isBusy: boolean;
  acquire(): Promise<unknown>;
  renew(): Promise<unknown>;
  release(): Promise<unknown>;
}

const [url = ""] = process.argv.slice(2);
const core = await openCore(url);
const redis = openPlainConnection(url);
let startedAt = performance.now();
let changes = 0;
let failed = 0;
let names = 0;
let pacing: NodeJS.Timeout | undefined;

const pickService = (at: number) => SERVICES[at % SERVICES.length] ?? "";
const formatNumber = (at: number) => String(at).padStart(7, "0");

function createOwnLock(at: number, leaseMs: number): UsedLock {
  const key = `lock:${pickService(at)}:ours:${formatNumber(at)}`;
  const owner = `checkout@pod-${at % 40}:311`;
  const record = { service: pickService(at), host: `pod-${at % 40}`, purpose: "nightly run" };
  const options = { owner, leaseMs, record };
  let hold: Grant | undefined;
  const getHold = () => {
    if (hold === undefined) throw new Error(`${key} was never acquired`);
    return hold;
  };
  return {
    ...{ isHeld: false, isBusy: false },
    acquire: async () => {
      hold = (await core.locks.acquire(key, options)).grant;
    },
    renew: async () => await core.locks.renew(getHold()),
    release: async () => await core.locks.release(getHold()),
  };
}

/** Creates a lock that is a token in a string, as in redlock, redis-py and many other libraries. */
function createForeignLock(at: number, leaseMs: number, isOnceOnly: boolean): UsedLock {
  const nameOf = () =>
    `lock:${pickService(at)}:theirs:${isOnceOnly ? `${process.pid}:${++names}` : formatNumber(at)}`;
  let key = nameOf();
  return {
    ...{ isHeld: false, isBusy: false },
    acquire: () => {
      key = nameOf();
      return redis.set(key, `${formatNumber(at)}c5b7e1f04d2a49d6b3`, "PX", leaseMs, "NX");
    },
    renew: () => redis.pexpire(key, leaseMs),
    release: () => redis.del(key),
  };
}

async function changeLock(lock: UsedLock): Promise<void> {
  lock.isBusy = true;
  changes++;
  try {
    if (!lock.isHeld) await lock.acquire();
    else if (Math.random() < 0.5) return void (await lock.renew());
    else await lock.release();
    lock.isHeld = !lock.isHeld;
  } catch {
    failed++;
  } finally {
    lock.isBusy = false;
  }
}

function createLocks(count: number, leaseMs: number, isOnceOnly = false): UsedLock[] {
  return Array.from({ length: count }, (_, at) =>
    at % 2 === 0 ? createOwnLock(at, leaseMs) : createForeignLock(at, leaseMs, isOnceOnly),
  );
}

/** Calls `step` at a fixed rate. Calls that were not made in time are made in the next tick. */
function runPaced(perSecond: number, step: () => void): void {
  let done = 0;
  clearInterval(pacing);
  pacing = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * perSecond;
    for (; done < due; done++) step();
  }, TICK_MS);
}

function keepChanging({
  perSecond,
  names: count,
  isOnceOnly,
}: Extract<ChangesRequest, { do: "change" }>): void {
  const locks = createLocks(count, LEASE_MS, isOnceOnly);
  runPaced(perSecond, () => {
    const lock = locks[Math.floor(Math.random() * locks.length)];
    // Skips a lock with a pending call. The next step picks another lock.
    if (lock !== undefined && !lock.isBusy) void changeLock(lock);
  });
}

async function keepRenewing({
  locks: count,
  everyMs,
  leaseMs,
}: Extract<ChangesRequest, { do: "keep" }>): Promise<void> {
  const locks = createLocks(count, leaseMs);
  for (let at = 0; at < count; at += 100) {
    await Promise.all(locks.slice(at, at + 100).map((lock) => lock.acquire()));
  }
  if (everyMs === 0) return;
  startedAt = performance.now();
  let next = 0;
  runPaced((count / everyMs) * 1000, () => {
    changes++;
    locks[next++ % count]?.renew().catch(() => failed++);
  });
}

async function handleRequest(ask: ChangesRequest): Promise<ChangesResponse> {
  if (ask.do !== "report") startedAt = performance.now();
  if (ask.do === "pause") clearInterval(pacing);
  if (ask.do === "change") keepChanging(ask);
  if (ask.do === "keep") await keepRenewing(ask);
  const { user, system } = process.cpuUsage();
  return { changes, failed, seconds: (performance.now() - startedAt) / 1000, cpuMicros: user + system };
}

process.on("message", async (ask: ChangesRequest) => process.send?.(await handleRequest(ask)));
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
