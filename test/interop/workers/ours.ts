/**
 * A peer that uses Lockkeeper's Node.js library as an application does.
 *
 * Usage: `ours.ts <url>[,<url>,…] [format] [signalled library]`. The format `redisson/fair/<ms>` selects fair locks
 * with a fair wait time in ms.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import type { WritableFormat, WritableKind } from "../../../lib/contract/format.ts";
import { LockkeeperError } from "../../../server/errors/lockkeeper-error.ts";
import type { SignalledLibrary } from "../../../server/formats/release-signals.ts";
import type { Hold } from "../../../server/locks/client/hold.ts";
import { LockClient } from "../../../server/locks/client/lock-client.ts";
import type { GuardedWriter } from "../guards/guard.ts";
import { openWriter, type StoreAddress } from "../guards/open.ts";
import { contend, PAUSE_MS } from "./section.ts";
import { serveVerbs } from "./serve.ts";

const LEASE_MS = 30_000;
const REENTER_EVERY = 5;
const POLLING = { tries: 6000, pauseMs: 5, jitter: 0.5 };

const [urls = "", formatName = "redisson", ...signalled] = process.argv.slice(2);
const [spoken, fair, fairWaitMs] = formatName.split("/");
const format = spoken as WritableFormat;
const kind: WritableKind = fair === "fair" ? "fair" : "lock";
const [url = "", ...others] = urls.split(",");
const client = await LockClient.open(others.length === 0 ? url : { quorum: [url, ...others] }, {
  signalledLibraries: signalled as SignalledLibrary[],
  ...(fairWaitMs === undefined ? {} : { fairWaitMs: Number(fairWaitMs) }),
});
const redis = new Redis(url);
const holds = new Map<string, Hold>();
let writer: GuardedWriter | undefined;

/**
 * Whether the other clients may poll, as those that use the format `token` do. They do not wake other waiters, so this
 * worker would always be overtaken unless it polls as well. It does so in every other turn.
 */
const isBesidePolling = format === "token";
const getHoldOptions = (turn: number) => ({
  leaseMs: LEASE_MS,
  format,
  kind,
  ...(isBesidePolling && turn % 2 === 1 ? { retry: POLLING } : { waitMs: LEASE_MS }),
});
const isReentrant = (turn: number) => !isBesidePolling && turn % REENTER_EVERY === 0;

function getHold(who: string, key: string): Hold {
  const hold = holds.get(`${who} ${key}`);
  if (hold === undefined) throw new Error(`${who} has never held ${key}`);
  return hold;
}

serveVerbs({
  async contend(key = "", forMs, loops) {
    const time = { forMs: Number(forMs), loops: Number(loops) };
    return contend(redis, "ours", key, time, async (section, turn) => {
      let taken: Hold | undefined;
      const entered = await client.withLock(key, getHoldOptions(turn), async (hold) => {
        taken = hold;
        await section();
        return isReentrant(turn) ? reenter(key, hold.token) : undefined;
      });
      const released = await taken?.release();
      if (released?.outcome !== "released") throw new Error(`the release answered ${released?.outcome}`);
      if (isBesidePolling) await sleep(Math.random() * PAUSE_MS);
      return entered;
    });
  },

  async take(who = "", key = "", waitMs, leaseMs) {
    try {
      const hold = await client.acquire(key, {
        owner: who,
        waitMs: Number(waitMs),
        leaseMs: Number(leaseMs),
        renew: false,
        format,
        kind,
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
    const { outcome } = await getHold(who, key).release();
    return { outcome: outcome === "released" ? "released" : "refused", answer: outcome, fromMs };
  },

  /** Returns what the holder of a lock notices, in order: the abort of its signal and the result of `assertHeld`. */
  async assert(who = "", key = "") {
    const hold = getHold(who, key);
    const events = hold.signal.aborted ? ["signal"] : [];
    hold.signal.addEventListener("abort", () => events.push("signal"));
    try {
      hold.assertHeld();
      events.push("held");
    } catch (error) {
      events.push(error instanceof LockkeeperError ? error.code : String(error));
    }
    return { events };
  },

  async open(store = "") {
    writer = await openWriter(JSON.parse(decodeURIComponent(store)) as StoreAddress);
    return {};
  },

  /** Writes with a fencing token, whether or not the lock is held. */
  async write(resource = "", fence = "", value = "") {
    if (writer === undefined) throw new Error("no store was opened");
    return { verdict: await writer.write(resource, fence, value) };
  },
});

async function reenter(key: string, token: string) {
  let wrongCounts = 0;
  const expectCount = async (count: string) => {
    if ((await redis.hget(key, token)) !== count) wrongCounts++;
  };
  await client.withLock(key, { reentrant: true }, () => expectCount("2"));
  await expectCount("1");
  return { reentries: 1, wrongCounts };
}
