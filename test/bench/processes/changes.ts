/**
 * Everybody who uses locks: so many changes a second, half of them by our own core and half by plain commands, as other
 * libraries do. `node --import tsx changes.ts REDIS_URL`.
 */
import { openCore } from "../core/ours.ts";
import { plainConnection } from "../plain-connection.ts";
import type { ChangesAsk, ChangesSay } from "../watch/changes-words.ts";

const LEASE_MS = 30_000;
const TICK_MS = 5;
const SERVICES = ["billing", "orders", "payments", "reports", "search", "stock"];

/** One lock, and how it is taken, prolonged and given back. */
interface Used {
  isHeld: boolean;
  isBusy: boolean;
  take(): Promise<unknown>;
  prolong(): Promise<unknown>;
  giveBack(): Promise<unknown>;
}

const [url = ""] = process.argv.slice(2);
const core = await openCore(url);
const redis = plainConnection(url);
let startedAt = performance.now();
let changes = 0;
let failed = 0;
let names = 0;

const service = (at: number) => SERVICES[at % SERVICES.length] ?? "";
const padded = (at: number) => String(at).padStart(7, "0");

function ourLock(at: number, leaseMs: number): Used {
  const key = `lock:${service(at)}:ours:${padded(at)}`;
  const owner = `checkout@pod-${at % 40}:311`;
  const record = { service: service(at), host: `pod-${at % 40}`, purpose: "nightly run" };
  const options = { owner, leaseMs, reentrant: true, waitMs: 0, record };
  return {
    ...{ isHeld: false, isBusy: false },
    take: () => core.locks.acquire(key, options),
    prolong: () => core.locks.renew(key, { owner, leaseMs }),
    giveBack: () => core.locks.release(key, { owner }),
  };
}

/** As redlock, redis-py and many others: a token in a string. */
function theirLock(at: number, leaseMs: number, isOnceOnly: boolean): Used {
  const nameOf = () => `lock:${service(at)}:theirs:${isOnceOnly ? `${process.pid}:${++names}` : padded(at)}`;
  let key = nameOf();
  return {
    ...{ isHeld: false, isBusy: false },
    take: () => {
      key = nameOf();
      return redis.set(key, `${padded(at)}c5b7e1f04d2a49d6b3`, "PX", leaseMs, "NX");
    },
    prolong: () => redis.pexpire(key, leaseMs),
    giveBack: () => redis.del(key),
  };
}

async function change(lock: Used): Promise<void> {
  lock.isBusy = true;
  changes++;
  try {
    if (!lock.isHeld) await lock.take();
    else if (Math.random() < 0.5) return void (await lock.prolong());
    else await lock.giveBack();
    lock.isHeld = !lock.isHeld;
  } catch {
    failed++;
  } finally {
    lock.isBusy = false;
  }
}

function locksOf(count: number, leaseMs: number, isOnceOnly = false): Used[] {
  return Array.from({ length: count }, (_, at) =>
    at % 2 === 0 ? ourLock(at, leaseMs) : theirLock(at, leaseMs, isOnceOnly),
  );
}

/** Keeps to the clock: what one tick could not do the next one does. */
function paced(perSecond: number, step: () => void): void {
  let done = 0;
  setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * perSecond;
    for (; done < due; done++) step();
  }, TICK_MS);
}

function keepChanging({ perSecond, names: count, isOnceOnly }: Extract<ChangesAsk, { do: "change" }>): void {
  const locks = locksOf(count, LEASE_MS, isOnceOnly);
  paced(perSecond, () => {
    const lock = locks[Math.floor(Math.random() * locks.length)];
    // One that is not answered yet is left alone: its change comes with the next step.
    if (lock !== undefined && !lock.isBusy) void change(lock);
  });
}

async function keep({ locks: count, everyMs, leaseMs }: Extract<ChangesAsk, { do: "keep" }>): Promise<void> {
  const locks = locksOf(count, leaseMs);
  for (let at = 0; at < count; at += 100) {
    await Promise.all(locks.slice(at, at + 100).map((lock) => lock.take()));
  }
  if (everyMs === 0) return;
  startedAt = performance.now();
  let next = 0;
  paced((count / everyMs) * 1000, () => {
    changes++;
    locks[next++ % count]?.prolong().catch(() => failed++);
  });
}

async function answer(ask: ChangesAsk): Promise<ChangesSay> {
  if (ask.do !== "report") startedAt = performance.now();
  if (ask.do === "change") keepChanging(ask);
  if (ask.do === "keep") await keep(ask);
  const { user, system } = process.cpuUsage();
  return { changes, failed, seconds: (performance.now() - startedAt) / 1000, cpuMicros: user + system };
}

process.on("message", async (ask: ChangesAsk) => process.send?.(await answer(ask)));
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
