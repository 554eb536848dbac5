/**
 * A peer that uses a read/write lock of Lockkeeper's Node.js library as an application does.
 *
 * Usage: `read-write.ts <url>`
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { LockkeeperError } from "../../../server/errors/lockkeeper-error.ts";
import type { Hold } from "../../../server/locks/client/hold.ts";
import { LockClient } from "../../../server/locks/client/lock-client.ts";
import { NO_READS_OR_WRITES, type ReadWriteTally } from "../read-write-tally.ts";
import { serveVerbs } from "./serve.ts";

const LEASE_MS = 30_000;
/** Every third section writes. Every fourth writing section is downgraded and then reads. */
const WRITE_EVERY = 3;
const DOWNGRADE_EVERY = 4;

const [url = ""] = process.argv.slice(2);
const client = await LockClient.open(url);
const redis = new Redis(url);
const holds = new Map<string, Hold>();

type Tally = { -readonly [Name in keyof ReadWriteTally]: number };

serveVerbs({
  async contend(key = "", forMs, loops) {
    const until = performance.now() + Number(forMs);
    const tallies = await Promise.all(Array.from({ length: Number(loops) }, () => contendOnce(key, until)));
    const sum: Tally = { ...NO_READS_OR_WRITES };
    for (const tally of tallies)
      for (const name of ["reads", "writes", "overlaps", "shared", "downgrades"] as const)
        sum[name] += tally[name];
    return { ...sum, longestMs: Math.max(...tallies.map(({ longestMs }) => longestMs)) };
  },

  async take(who = "", key = "", kind, waitMs, leaseMs) {
    try {
      const times = { waitMs: Number(waitMs), leaseMs: Number(leaseMs) };
      const hold = await client.acquire(key, { kind: kind === "read" ? "read" : "write", ...times });
      const atMs = Date.now();
      holds.set(`${who} ${key}`, hold);
      return { outcome: "granted", atMs };
    } catch (error) {
      if (!(error instanceof LockkeeperError)) throw error;
      return { outcome: "refused", atMs: Date.now() };
    }
  },

  async release(who = "", key = "") {
    const fromMs = Date.now();
    const released = await holds.get(`${who} ${key}`)?.release();
    return { outcome: released?.outcome === "released" ? "released" : "refused", fromMs };
  },

  async downgrade(who = "", key = "") {
    const fromMs = Date.now();
    await holds.get(`${who} ${key}`)?.downgrade();
    return { outcome: "released", fromMs };
  },
});

async function contendOnce(key: string, until: number): Promise<Tally> {
  const tally: Tally = { ...NO_READS_OR_WRITES };
  let writes = 0;
  for (let turn = 0; performance.now() < until; turn++) {
    await sleep(2 + Math.random() * 10);
    const kind = turn % WRITE_EVERY === 0 ? "write" : "read";
    const from = performance.now();
    await client.withLock(key, { kind, waitMs: LEASE_MS }, async (hold) => {
      tally.longestMs = Math.max(tally.longestMs, Math.round(performance.now() - from));
      if (kind === "read") return await read(key, tally);
      await write(key, tally);
      if (writes++ % DOWNGRADE_EVERY !== 0) return;
      await hold.downgrade();
      await read(key, tally);
      tally.downgrades++;
    });
  }
  return tally;
}

async function read(key: string, tally: Tally): Promise<void> {
  if ((await redis.incr(`readers:${key}`)) > 1) tally.shared++;
  const before = await redis.get(`count:${key}`);
  if (((await redis.get(`writers:${key}`)) ?? "0") !== "0") tally.overlaps++;
  await sleep(1);
  if ((await redis.get(`count:${key}`)) !== before) tally.overlaps++;
  await redis.decr(`readers:${key}`);
  tally.reads++;
}

async function write(key: string, tally: Tally): Promise<void> {
  if ((await redis.incr(`writers:${key}`)) !== 1) tally.overlaps++;
  if (((await redis.get(`readers:${key}`)) ?? "0") !== "0") tally.overlaps++;
  await redis.set(`count:${key}`, Number(await redis.get(`count:${key}`)) + 1);
  await redis.decr(`writers:${key}`);
  tally.writes++;
}
