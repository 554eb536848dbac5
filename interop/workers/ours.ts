/** A worker of ours: what an app does with the library. `ours.ts <url> [format]` */
import { Redis } from "ioredis";
import { LockkeeperError } from "../../server/locks/errors.ts";
import type { Hold } from "../../server/locks/hold.ts";
import { LockClient } from "../../server/locks/lock-client.ts";
import { contend } from "./section.ts";
import { serve } from "./serve.ts";

const LEASE_MS = 30_000;
const REENTER_EVERY = 5;

const [url = ""] = process.argv.slice(2);
const client = await LockClient.open(url);
const redis = new Redis(url);
const holds = new Map<string, Hold>();

function holdOf(who: string, key: string): Hold {
  const hold = holds.get(`${who} ${key}`);
  if (hold === undefined) throw new Error(`${who} has never held ${key}`);
  return hold;
}

serve({
  async contend(key = "", forMs, loops) {
    return contend(
      redis,
      "ours",
      key,
      { forMs: Number(forMs), loops: Number(loops) },
      async (section, turn) => {
        let taken: Hold | undefined;
        const entered = await client.withLock(key, { waitMs: LEASE_MS, leaseMs: LEASE_MS }, async (hold) => {
          taken = hold;
          await section();
          return turn % REENTER_EVERY === 0 ? reenter(key, hold.owner) : undefined;
        });
        const released = await taken?.release();
        if (released?.outcome !== "released") throw new Error(`the release answered ${released?.outcome}`);
        return entered;
      },
    );
  },

  async take(who = "", key = "", waitMs, leaseMs) {
    try {
      const hold = await client.acquire(key, {
        waitMs: Number(waitMs),
        leaseMs: Number(leaseMs),
        renew: false,
      });
      const atMs = Date.now();
      holds.set(`${who} ${key}`, hold);
      return { outcome: "granted", atMs, fence: hold.fence };
    } catch (error) {
      const isRefusal =
        error instanceof LockkeeperError && (error.code === "held" || error.code === "timeout");
      if (!isRefusal) throw error;
      return { outcome: "refused", atMs: Date.now() };
    }
  },

  async release(who = "", key = "") {
    const fromMs = Date.now();
    const { outcome } = await holdOf(who, key).release();
    return { outcome: outcome === "released" ? "released" : "refused", fromMs };
  },
});

async function reenter(key: string, owner: string) {
  let wrongCounts = 0;
  const expectCount = async (count: string) => {
    if ((await redis.hget(key, owner)) !== count) wrongCounts++;
  };
  await client.withLock(key, { leaseMs: LEASE_MS }, () => expectCount("2"));
  await expectCount("1");
  return { reentries: 1, wrongCounts };
}
