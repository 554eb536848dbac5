import type { Redis } from "ioredis";
import type { Console } from "../console.ts";

/** Key of the lock whose holder crashed. */
export const STUCK_KEY = "lock:orders:eu:settle";
export const SHARED_KEY = "lock:catalog:readers";

interface Sample {
  key: string;
  owner: string;
  leaseMs: number;
  waitMs?: number;
  record?: Record<string, unknown>;
  renewEveryMs?: number;
  format?: "token" | "timestamp";
}

const SERVICES = ["checkout", "ledger", "refund", "fulfil", "mailer", "search", "pricing", "billing-worker"];
const PLACES = [
  "orders",
  "payments:iban",
  "stock",
  "mail:digest",
  "catalog:item",
  "search:shard",
  "prices:eu",
];
const LEASES_MS = [60_000, 90_000, 120_000, 300_000, 900_000];

function at(key: string, service: string, host: string, pid: number, leaseMs: number): Sample {
  return { key, owner: `${service}@${host}:${pid}`, leaseMs, record: { service, host, pid } };
}

/** Returns 150 locks without problems, which make up most of the workload. */
function ordinaryLocks(): Sample[] {
  return Array.from({ length: 150 }, (_, i) => {
    const place = PLACES[i % PLACES.length] ?? "orders";
    const service = SERVICES[(i * 5) % SERVICES.length] ?? "checkout";
    const lease = LEASES_MS[(i * 7) % LEASES_MS.length] ?? 60_000;
    return at(`lock:${place}:${4000 + i * 13}`, service, `pod-${(i * 3) % 11}`, 100 + i, lease);
  });
}

const MIXED_FORMATS: readonly Sample[] = [
  { ...at("lock:mail:digest:weekly", "mailer", "vm-3", 4021, 300_000), format: "token" },
  { ...at("lock:report:daily", "cron", "vm-3", 77, 110_000), format: "timestamp" },
  at("lock:payments:sepa:batch", "batch-eu", "cron-3", 2210, 600_000),
  at("lock:stock:9", "fulfil", "pod-4", 9, 90_000),
  at("lock:stock:10", "fulfil", "pod-4", 12, 100_000),
];

/** Locks in Redisson's format that are not acquired through Lockkeeper. */
const REDISSON = [
  { key: "lock:orders:export", owner: "8743c9c0-0795-4907-87fd-6c719a6b4586:42", leaseMs: 80_000, count: 1 },
  { key: "lock:orders:reindex", owner: "5f0c1a2b-77d0-4f6e-9d43-0b1c2d3ee71a:7", leaseMs: null, count: 3 },
  { key: "lock:import:catalog", owner: "8743c9c0-0795-4907-87fd-6c719a6b4586:51", leaseMs: 65_000, count: 1 },
  {
    key: "inventory:lock:warehouse-2",
    owner: "c2b0e6de-3c11-4b0f-8a77-19f3a5d0c944:31",
    leaseMs: 85_000,
    count: 1,
  },
];

const pathOf = (key: string) => `/locks/${encodeURIComponent(key)}`;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function acquire(lockkeeper: Console, { key, ...body }: Sample): Promise<void> {
  const { status } = await lockkeeper.api(`${pathOf(key)}/acquire`, body);
  if (status !== 201 && body.waitMs === undefined) throw new Error(`${key} was not acquired: ${status}`);
}

export interface Incident {
  end(): Promise<void>;
}

/** Starts a workload in which one worker crashed while it held a lock and the others keep running. Takes about 15 s. */
export async function startIncident(lockkeeper: Console, redis: Redis): Promise<Incident> {
  await redis.hset(SHARED_KEY, {
    mode: "read",
    "c2b0e6de-3c11-4b0f-8a77-19f3a5d0c944:31": "1",
    "8743c9c0-0795-4907-87fd-6c719a6b4586:51": "2",
  });
  await redis.pexpire(SHARED_KEY, 600_000);
  for (const { key, owner, leaseMs, count } of REDISSON) {
    await redis.hset(key, owner, count);
    if (leaseMs !== null) await redis.pexpire(key, leaseMs);
  }
  await recordTypicalHolds(lockkeeper);
  const ordinary = ordinaryLocks();
  for (const sample of [...ordinary, ...MIXED_FORMATS]) await acquire(lockkeeper, sample);
  await lockkeeper.api(`${pathOf("lock:payments:sepa:batch")}/note`, {
    note: "The night's batch: ask finance before freeing it",
  });
  const ended = new AbortController();
  const work = [keepRenewing(lockkeeper, ordinary, ended.signal), keepAcquiring(lockkeeper, ended.signal)];
  await stopRenewing(lockkeeper);
  work.push(...WAITING.map((sample) => keepWaiting(lockkeeper, sample, ended.signal)));
  await pause(3000);
  return {
    async end() {
      ended.abort();
      await Promise.allSettled(work);
    },
  };
}

/** Renews every second lock until the incident ends, and lets the others expire. */
async function keepRenewing(
  lockkeeper: Console,
  samples: readonly Sample[],
  ended: AbortSignal,
): Promise<void> {
  const renewing = samples.filter((_, i) => i % 2 === 0);
  while (!ended.aborted) {
    for (const { key, leaseMs } of renewing) {
      if (ended.aborted) return;
      await lockkeeper.callHold("renew", pathOf(key), { leaseMs });
    }
    await pause(4000);
  }
}

/** Acquires and releases locks until the incident ends. */
async function keepAcquiring(lockkeeper: Console, ended: AbortSignal): Promise<void> {
  for (let i = 0; !ended.aborted; i++) {
    const sample = at(`lock:cache:warm:${i % 7}`, "search", `pod-${i % 5}`, i % 90, 30_000);
    await acquire(lockkeeper, { ...sample, waitMs: 1000 });
    await pause(250 + (i % 5) * 60);
    await lockkeeper.callHold("release", pathOf(sample.key));
  }
}

const WAITING = ["checkout", "ledger", "billing-worker"].map((service, i) => ({
  ...at(STUCK_KEY, service, `pod-${i + 2}`, 300 + i, 60_000),
  waitMs: 20_000,
}));

async function keepWaiting(lockkeeper: Console, sample: Sample, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) await acquire(lockkeeper, sample);
}

/** Acquires and releases enough locks for Lockkeeper to compute typical hold times. */
async function recordTypicalHolds(lockkeeper: Console): Promise<void> {
  for (let round = 0; round < 6; round++) {
    const samples = [1, 2, 3].flatMap((n) => [
      at(`lock:orders:${n}:settle`, "billing-worker", "ip-10-4-2-18", 60 + n, 30_000),
      at(`lock:stock:${n}:count`, "fulfil", "pod-4", n, 30_000),
    ]);
    await Promise.all(samples.map((sample) => acquire(lockkeeper, sample)));
    await pause(200 + round * 60);
    await Promise.all(samples.map(({ key }) => lockkeeper.callHold("release", pathOf(key))));
  }
}

/** Acquires the stuck lock, renews it a few times and then stops, like a holder that crashed. */
async function stopRenewing(lockkeeper: Console): Promise<void> {
  const owner = "billing-worker@ip-10-4-2-17:81";
  const record = {
    service: "billing-worker",
    host: "ip-10-4-2-17",
    pid: 81,
    purpose: "settle EU orders of the night",
  };
  const hold = { key: STUCK_KEY, owner, leaseMs: 600_000, renewEveryMs: 700, record };
  await acquire(lockkeeper, hold);
  await lockkeeper.callHold("reenter", pathOf(STUCK_KEY));
  for (let i = 0; i < 6; i++) {
    await pause(700);
    await lockkeeper.callHold("renew", pathOf(STUCK_KEY), { leaseMs: 600_000 });
  }
}

/** Creates operators and API keys. */
export async function fillSettings(lockkeeper: Console): Promise<void> {
  await lockkeeper.api("/operators", {
    name: "jo",
    roles: { "*": "viewer", orders: "operator" },
    password: "several words are best",
  });
  await lockkeeper.api("/operators", { name: "sam", roles: { "*": "viewer" } });
  const expiresAt = Date.now() + 90 * 86_400_000;
  await lockkeeper.api("/keys", {
    name: "checkout",
    verbs: ["read", "lock"],
    keys: ["lock:orders:*"],
    expiresAt,
  });
  await lockkeeper.api("/keys", { name: "on-call-bot", verbs: ["read", "force"], expiresAt });
}
