import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { LockClient } from "../../../server/locks/client/lock-client.ts";
import { startTestMasters, type TestMasters } from "../../support/test-masters.ts";
import type { TestRedis } from "../../support/test-redis.ts";
import { addCleanUp } from "../children.ts";
import { assert } from "../figures.ts";
import type { Tools } from "../prepared.ts";
import { formatReason, Skip } from "../skip.ts";
import { createClockAheadEnvironment } from "../steps/libfaketime.ts";
import type { Client } from "./client.ts";

const MASTERS = 5;
const AHEAD_S = 10;
const SECONDS = 20;
const CLIENTS = 3;
const KEY = "lock:clock-ahead";
const OUTAGE_MS = { least: 40, most: 400 };
/**
 * Redis options with which acknowledged writes survive a restart of the process. Lockkeeper's guarantee does not cover
 * masters that lose fencing tokens.
 */
const KEEPING = ["--appendonly", "yes", "--appendfsync", "no"];

interface Grant {
  readonly fence: bigint;
  /** Index of the master that was down when the lock was granted; undefined if none was. */
  readonly away: number | undefined;
}

/**
 * Tests a quorum of five masters, one of which has a clock that is ahead. One master at a time is down. Fencing tokens
 * must always increase.
 */
export const clockAheadOfQuorum: Client = {
  name: "clock ahead (libfaketime)",
  needs: ["libfaketime"],
  async run({ tools, seconds = SECONDS, note }) {
    const masters = await startMasters(tools);
    const stop = addCleanUp(() => masters.stop());
    const clients: LockClient[] = [];
    try {
      const aheadMs = await readClockOffset(masters.getClient(0));
      assert(
        Math.abs(aheadMs - AHEAD_S * 1000) < 1000,
        () => `TIME of the first master is ${aheadMs} ms ahead`,
      );
      for (let n = 0; n < CLIENTS; n++) clients.push(await LockClient.open({ quorum: masters.urls }));
      const { grants, outages } = await acquireDuringOutages(masters.all, clients, seconds);
      assertRising(grants);
      const without = grants.filter(({ away }) => away === 0).length;
      assert(without > 0, () => "no grant was made while the master with the clock ahead was away");
      note(
        `TIME ${(aheadMs / 1000).toFixed(1)} s ahead on one of ${MASTERS} masters; ${outages} outages of one master, ` +
          `${grants.length} grants, ${without} of them while that one was away; every fence above the one before`,
      );
    } finally {
      for (const client of clients) client.close();
      await stop();
    }
  },
};

/**
 * Starts the masters, the first one with a clock that is ahead.
 *
 * @throws Skip if Redis does not run under libfaketime
 */
async function startMasters({ libfaketime }: Tools): Promise<TestMasters> {
  const ahead = { args: KEEPING, env: createClockAheadEnvironment(libfaketime, AHEAD_S) };
  try {
    return await startTestMasters(MASTERS, (number) => (number === 0 ? ahead : { args: KEEPING }));
  } catch (error) {
    throw new Skip(`Redis does not run under libfaketime here: ${formatReason(error)}`);
  }
}

/** Reads the offset in ms of a server's clock, as scripts observe it. */
async function readClockOffset(redis: Redis): Promise<number> {
  const time = "local time = redis.call('TIME') return time[1] .. string.format('%06d', time[2])";
  const microseconds = await redis.eval(time, 0);
  return Number(microseconds) / 1000 - Date.now();
}

async function acquireDuringOutages(
  masters: readonly TestRedis[],
  clients: readonly LockClient[],
  seconds: number,
) {
  const grants: Grant[] = [];
  const until = performance.now() + seconds * 1000;
  let away: number | undefined;
  let inside = 0;
  const outages = (async () => {
    let count = 0;
    for (; performance.now() < until; count++) {
      away = Math.floor(Math.random() * masters.length);
      await injectOutage(masters[away], count);
      away = undefined;
      await sleep(OUTAGE_MS.least);
    }
    return count;
  })();
  const work = clients.map(async (client) => {
    while (performance.now() < until) {
      await client.withLock(KEY, { waitMs: 10_000 }, async ({ fence }) => {
        assert(++inside === 1, () => `${inside} hold the lock at once`);
        grants.push({ fence: BigInt(fence), away });
        await sleep(1);
        inside--;
      });
    }
  });
  await Promise.all(work);
  return { grants, outages: await outages };
}

/**
 * Makes a master unavailable for a while: freezes the process in one turn, and kills and restarts it with its data in
 * the next.
 */
async function injectOutage(master: TestRedis | undefined, turn: number): Promise<void> {
  const { least, most } = OUTAGE_MS;
  const awayMs = least + Math.random() * (most - least);
  if (turn % 2 === 0) {
    master?.freeze();
    await sleep(awayMs);
    master?.thaw();
    return;
  }
  await master?.kill();
  await sleep(awayMs);
  await master?.restart();
}

function assertRising(grants: readonly Grant[]): void {
  for (const [at, { fence }] of grants.entries()) {
    const before = grants[at - 1]?.fence ?? 0n;
    assert(fence > before, () => `grant ${at} of ${grants.length} has the fence ${fence}, after ${before}`);
  }
}
