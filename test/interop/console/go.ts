import { Peer } from "../peer.ts";
import { createConsoleClient, formatFigures } from "./client.ts";
import { LEASE_MS, type Party } from "./lock-steps.ts";
import {
  expectNotRenewing,
  forceReleaseAlone,
  POLLING_WAITERS,
  type ReleaseScenario,
  runScenarios,
} from "./release-scenario.ts";

export const goInConsole = createConsoleClient(
  "go",
  "go",
  ({ go: tool }, url) => Peer.start("Go", tool.peer, [url]),
  async (operator, peer, bench) => {
    const party = (who: string, object: string): Party => ({ peer, who, object });
    const between = (object: string) => ({ holder: party("a", object), waiter: party("b", object) });
    const lock = { kind: "lock", candidates: [] } as const;
    const stories: ReleaseScenario[] = [
      {
        ...between("redsync"),
        key: "orders:redsync",
        leaseMs: LEASE_MS,
        shown: { ...lock, format: "redsync", confidence: "possible" },
        waiters: POLLING_WAITERS,
        as: "redsync",
        extended: { outcome: "refused", said: "lock already taken, locked nodes: [0]" },
        said: { outcome: "refused", said: "lock already taken, locked nodes: [0]" },
      },
      {
        ...between("redislock"),
        key: "lock:redislock",
        leaseMs: LEASE_MS,
        shown: { ...lock, format: "bsm-redislock", confidence: "likely" },
        waiters: POLLING_WAITERS,
        extended: { outcome: "refused", said: "redislock: not obtained" },
        said: { outcome: "refused", said: "redislock: lock not held" },
      },
    ];
    const expired = {
      outcome: "refused",
      said: "redsync: failed to unlock, lock was already expired",
    } as const;
    const [results] = await Promise.all([
      runScenarios(operator, stories),
      forceReleaseAlone(operator, party("c", "redsync"), "lock:alone:redsync", expired),
      expectNotRenewing(operator, party("d", "redislock"), "lock:short:redislock"),
    ]);
    bench.note(formatFigures(results));
  },
);
