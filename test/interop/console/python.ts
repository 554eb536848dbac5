import { waitUntil } from "../../support/test-server.ts";
import { expect } from "../figures.ts";
import { startPython } from "../python-peer.ts";
import { createConsoleClient, formatFigures } from "./client.ts";
import { acquireHold, LEASE_MS, type Party } from "./lock-steps.ts";
import type { Operator } from "./operator.ts";
import {
  expectNotRenewing,
  POLLING_WAITERS,
  type ReleaseScenario,
  runScenarios,
} from "./release-scenario.ts";

export const pythonInConsole = createConsoleClient(
  "python",
  "pythonLocks",
  ({ pythonLocks }, url) => startPython("Python", pythonLocks, "locks_peer.py", url),
  async (operator, peer, bench) => {
    const redis = operator.server.redis.createClient();
    const party = (who: string, object: string): Party => ({ peer, who, object });
    const between = (object: string) => ({ holder: party("a", object), waiter: party("b", object) });
    const pops = async () => String(await redis.client("LIST")).includes("cmd=blpop");
    const likely = { kind: "lock", confidence: "likely" } as const;
    const stories: ReleaseScenario[] = [
      {
        ...between("redis-py"),
        key: "lock:redis-py",
        leaseMs: LEASE_MS,
        shown: { ...likely, format: "redis-py", candidates: [] },
        waiters: POLLING_WAITERS,
        ...createRefusal("LockNotOwnedError"),
      },
      {
        ...between("python-redis-lock"),
        key: "lock:for-ever",
        shown: { ...likely, format: "python-redis-lock", leaseMs: null, candidates: [] },
        liveness: { state: "no_ttl", withinMs: 5000 },
        waiters: POLLING_WAITERS,
        isAsleep: pops,
        ...createRefusal("NotAcquired"),
      },
      {
        ...between("python-redis-lock-renewed"),
        key: "lock:renewed",
        leaseMs: 12_000,
        shown: { ...likely, format: "python-redis-lock", candidates: [] },
        liveness: { state: "alive", withinMs: 15_000 },
        waiters: POLLING_WAITERS,
        isAsleep: pops,
        ...createRefusal("NotAcquired"),
      },
      {
        ...between("pottery"),
        key: "redlock:pottery",
        leaseMs: LEASE_MS,
        shown: { ...likely, format: "token", candidates: ["redlock-net", "pottery", "redlock-rb", "spring"] },
        waiters: POLLING_WAITERS,
        as: "pottery",
        ...createRefusal("ReleaseUnlockedLock", "ExtendUnlockedLock"),
      },
    ];
    const [results] = await Promise.all([
      runScenarios(operator, stories),
      expectNotRenewing(operator, party("c", "redis-py"), "lock:short:redis-py"),
      expectRenewalEnds(operator, party("c", "python-redis-lock-renewed")),
      expectNotRenewing(operator, party("c", "pottery"), "redlock:short:pottery"),
    ]);
    bench.note(formatFigures(results));
  },
);

/** Creates the expected errors of a library when a lost lock is released and when it is extended. */
const createRefusal = (said: string, extended = said) => ({
  said: { outcome: "refused", said } as const,
  extended: { outcome: "refused", said: extended } as const,
});

/** Checks that the renewing thread of the library ends when it finds that the lock was force-released. */
async function expectRenewalEnds(operator: Operator, holder: Party): Promise<void> {
  const key = "lock:alone:renewed";
  const isAlive = async () =>
    (await holder.peer.ask<{ isAlive: boolean }>("renews", [holder.who, holder.object, key])).isAlive;
  await acquireHold(holder, key, 0, 3000);
  const { version } = await operator.waitForLock(key, ({ liveness }) => liveness?.state === "alive");
  expect("whether it renews", await isAlive(), true);
  await operator.forceRelease(key, version);
  await waitUntil(async () => !(await isAlive()), 10_000);
  expect("the lock after that", (await operator.readLock(key)).state, "free");
}
