import { randomInt } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Redis } from "ioredis";
import type { LockClient } from "../../server/locks/client/lock-client.ts";
import {
  BUSY,
  LEASE_MS,
  RELEASING,
  VIOLATIONS,
  WORKING,
  type WorkerPlan,
  type WorkerReport,
} from "./plan.ts";

// A worker process. Each worker acquires some of the keys in random order, uses the resource that they protect, and
// releases them.

/** Maximum duration of the work in ms. */
const WORK_MS_MAX = 6;

// KEYS[1] BUSY, KEYS[2] VIOLATIONS, KEYS[3] WORKING; ARGV[1] owner, ARGV[2] its keys as JSON, then the keys
const ENTER = `for i = 3, #ARGV do
  local other = redis.call('HGET', KEYS[1], ARGV[i])
  if other then redis.call('RPUSH', KEYS[2], ARGV[i] .. ' is used by ' .. other .. ' and ' .. ARGV[1]) end
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[1])
end
redis.call('HSET', KEYS[3], ARGV[1], ARGV[2])`;

// KEYS[1] BUSY, KEYS[2] RELEASING, KEYS[3] WORKING; ARGV[1] owner, then the keys
const LEAVE = `redis.call('SADD', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
for i = 2, #ARGV do redis.call('HDEL', KEYS[1], ARGV[i]) end`;

const plan: WorkerPlan = JSON.parse(process.argv[2] ?? "{}");
const resource = new Redis(plan.resource);
const waits: number[] = [];
const errors: string[] = [];

function chooseKeys(): string[] {
  const rest = [...plan.keys];
  return Array.from({ length: plan.keysEach }, () => rest.splice(randomInt(rest.length), 1)[0] ?? "");
}

async function acquire(client: LockClient, keys: readonly string[], owner: string) {
  const options = { owner, leaseMs: LEASE_MS, waitMs: plan.waitMs };
  const [key = ""] = keys;
  return plan.keysEach === 1 ? await client.acquire(key, options) : await client.acquireAll(keys, options);
}

async function runRound(client: LockClient, owner: string): Promise<void> {
  const keys = chooseKeys();
  const askedAt = performance.now();
  const held = await acquire(client, keys, owner);
  waits.push(performance.now() - askedAt);
  await resource.eval(ENTER, 3, BUSY, VIOLATIONS, WORKING, owner, JSON.stringify(keys), ...keys);
  await sleep(randomInt(WORK_MS_MAX));
  held.assertHeld();
  await resource.eval(LEAVE, 3, BUSY, RELEASING, WORKING, owner, ...keys);
  await held.release();
  await resource.srem(RELEASING, owner);
}

async function runWorker(client: LockClient, name: string, until: number): Promise<number> {
  let rounds = 0;
  for (; performance.now() < until; rounds++) {
    try {
      await runRound(client, `${name}.${rounds}`);
    } catch (error) {
      errors.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      return rounds;
    }
  }
  return rounds;
}

const module = await import(pathToFileURL(join(plan.core, "server/locks/client/lock-client.ts")).href);
const client: LockClient = await module.LockClient.open(plan.locks);
process.send?.("ready");
process.once("message", async () => {
  const until = performance.now() + plan.seconds * 1000;
  const names = Array.from({ length: plan.workers }, (_, at) => `${plan.name}-${at}`);
  const rounds = await Promise.all(names.map((name) => runWorker(client, name, until)));
  const report: WorkerReport = {
    rounds: rounds.reduce((sum, each) => sum + each, 0),
    leastRounds: Math.min(...rounds),
    waits,
    errors,
  };
  process.send?.(report, () => process.exit(0));
});
