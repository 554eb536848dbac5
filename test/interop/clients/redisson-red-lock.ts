import { setTimeout as sleep } from "node:timers/promises";
import type { Lock } from "../../../lib/contract/lock.ts";
import { startTestMasters } from "../../support/test-masters.ts";
import { startTestServer } from "../../support/test-server.ts";
import { addCleanUp } from "../children.ts";
import { Operator } from "../console/operator.ts";
import { assert, expect } from "../figures.ts";
import { Peer } from "../peer.ts";
import type { AcquireResult, Client } from "./client.ts";

const MASTERS = 3;
const KEY = "lock:red-lock";
/** Lease that makes each Redisson client renew its part of the lock with its own watchdog. */
const WATCHDOG = -1;
/** Time in ms that is longer than two renewal intervals of the watchdog. */
const WATCHED_MS = 22_000;

/** Tests RedissonRedLock on the masters of a quorum target. The lock has a different owner on each master. */
export const redissonRedLock: Client = {
  name: "redisson redlock on a quorum",
  needs: ["redisson"],
  async run({ tools, timed, note }) {
    timed();
    const masters = await startTestMasters(MASTERS);
    const stop = addCleanUp(() => masters.stop());
    const { java, classpath } = tools.redisson;
    const peer = await Peer.start("RedissonRedLock", java, [
      ...["-Xmx256m", "-cp", classpath, "RedLockPeer"],
      ...masters.urls,
    ]);
    const server = await startTestServer({
      file: (home) => ({ home, targets: [{ name: "locks", redis: { quorum: masters.urls } }] }),
    });
    const operator = new Operator(server);
    try {
      const take = (who: string, waitMs: number) =>
        peer.ask<AcquireResult>("take", [who, KEY, waitMs, WATCHDOG], waitMs);
      expect("the RedLock", (await take("a", 0)).outcome, "granted");
      const lock = await operator.waitForLock(KEY, isHeldAtAll);
      await operator.expectListed(lock);
      const refused = await server.callVerb(KEY, "acquire", { owner: "ours" });
      expect("our acquire", refused.body.code, "held");
      const waiting = take("b", 60_000);
      await sleep(WATCHED_MS);
      const later = await operator.waitForLock(KEY, isHeldAtAll);
      expect("the version after renewals", later.version, lock.version);
      assert(later.liveness?.state === "alive", () => `its liveness is ${JSON.stringify(later.liveness)}`);
      const fromMs = Date.now();
      await operator.forceRelease(KEY, later.version);
      const next = await waiting;
      expect("the RedLock that waited", next.outcome, "granted");
      // The RedLock may have given up a master on which it waited. A majority of the masters is sufficient.
      const other = await operator.waitForLock(
        KEY,
        (each) => isRedLock(each) && each.version !== lock.version,
      );
      await peer.ask("release", ["b", KEY]);
      await operator.waitForLock(KEY, ({ state }) => state === "free");
      const owner = lock.holders[0]?.owner ?? "";
      await operator.expectEventOnce(KEY, owner);
      assert(other.holders[0]?.owner !== owner, () => "the second holder has the name of the first");
      note(
        `held at ${MASTERS} of ${MASTERS} masters under ${MASTERS} owners, alive for ${WATCHED_MS / 1000} s;`,
      );
      note(`freed by force: the RedLock that waited had it ${next.atMs - fromMs} ms later`);
    } finally {
      peer.end();
      await server.stop();
      await stop();
    }
  },
};

const isRedLock = ({ holders, votes }: Lock) =>
  holders.length === 1 && votes?.agreement === "owner_per_master";

const isHeldAtAll = (lock: Lock) => isRedLock(lock) && lock.holders[0]?.ownersPerMaster?.length === MASTERS;
