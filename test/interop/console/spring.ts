import { hostname } from "node:os";
import { expect } from "../figures.ts";
import { Peer } from "../peer.ts";
import { createConsoleClient, formatFigures } from "./client.ts";
import {
  type AcquiredHold,
  acquireHold,
  expectReleased,
  expectShown,
  LEASE_MS,
  type Party,
  releaseHold,
} from "./lock-steps.ts";
import type { Operator } from "./operator.ts";
import {
  expectNotRenewing,
  POLLING_WAITERS,
  type ReleaseScenario,
  runScenarios,
} from "./release-scenario.ts";

export const springInConsole = createConsoleClient(
  "spring and shedlock",
  "spring",
  ({ spring }, url) =>
    Peer.start("Spring", spring.java, ["-Xmx256m", "-cp", spring.classpath, "SpringPeer", url]),
  async (operator, peer, bench) => {
    const party = (who: string, object: string): Party => ({ peer, who, object });
    const history = (object: string, key: string): ReleaseScenario => ({
      key,
      holder: party("a", object),
      waiter: party("b", object),
      leaseMs: LEASE_MS,
      shown: {
        ...{ format: "token", kind: "lock", confidence: "likely" },
        candidates: ["redlock-rb", "spring", "lan1tian", "ioredis-lock"],
      },
      waiters: POLLING_WAITERS,
      as: "spring",
      said: { outcome: "refused", said: "ConcurrentModificationException" },
    });
    const redis = operator.server.redis.createClient();
    const patterns = async () => Number(await redis.pubsub("NUMPAT"));
    const before = await patterns();
    const published = {
      ...history("published", "lock-registry:published"),
      isAsleep: async () => (await patterns()) > before,
    };
    const [results] = await Promise.all([
      runScenarios(operator, [history("polled", "lock-registry:polled"), published]),
      expectNotRenewing(operator, party("c", "polled"), "lock-registry:short"),
    ]);
    await forceReleaseJob(operator, party);
    bench.note(formatFigures(results));
  },
);

/**
 * Force-releases a job lock of ShedLock. When the job of the old owner ends, ShedLock deletes the key regardless of its
 * value, which may be the next lock or a reservation.
 */
async function forceReleaseJob(
  operator: Operator,
  party: (who: string, object: string) => Party,
): Promise<void> {
  const key = "job-lock:prod:report";
  const [old, next] = [party("a", "shedlock"), party("b", "shedlock")] as const;
  await acquireHold(old, key, 0, LEASE_MS);
  const lock = await operator.waitForLock(key, ({ state }) => state === "held");
  expectShown(lock, {
    format: "shedlock",
    kind: "lock",
    confidence: "certain",
    candidates: [],
    holders: [{ count: 1 }],
  });
  const [holder] = lock.holders;
  expect(
    "what ShedLock's owner tells of itself",
    [holder?.record?.host, holder?.sinceIs],
    [hostname(), "reported"],
  );
  await operator.forceRelease(key, lock.version);
  await acquireHold(next, key, 0, LEASE_MS);
  await expectReleased(old, key);
  expect("the next one's lock after the old job", (await operator.readLock(key)).state, "free");

  await expectReleased(next, key);
  await acquireHold(old, key, 0, LEASE_MS);
  const again = await operator.waitForLock(key, ({ state }) => state === "held");
  await operator.forceRelease(key, again.version, undefined, LEASE_MS);
  const refused = await next.peer.ask<AcquiredHold>("hold", [next.who, next.object, key, 0, LEASE_MS]);
  expect(`who comes while ${key} is held off`, refused.outcome, "refused");
  expect("the end of the old job", await releaseHold(old, key), { outcome: "released", said: "" });
  await acquireHold(next, key, 0, LEASE_MS);
  await expectReleased(next, key);
}
