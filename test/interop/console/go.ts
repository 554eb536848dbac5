import { Peer } from "../peer.ts";
import { consoleClient, figuresOf } from "./client.ts";
import { expectFixedLease, freeAlone, type LockStory, POLLS, tellAll } from "./lock-story.ts";
import { LEASE_MS, type Party } from "./story.ts";

export const goInConsole = consoleClient(
  "go",
  "go",
  ({ go: tool }, url) => Peer.start("Go", tool.peer, [url]),
  async (operator, peer, bench) => {
    const party = (who: string, object: string): Party => ({ peer, who, object });
    const between = (object: string) => ({ holder: party("a", object), waiter: party("b", object) });
    const lock = { kind: "lock", candidates: [] } as const;
    const stories: LockStory[] = [
      {
        ...between("redsync"),
        key: "orders:redsync",
        leaseMs: LEASE_MS,
        shown: { ...lock, format: "redsync", confidence: "possible" },
        waiters: POLLS,
        as: "redsync",
        extended: { outcome: "refused", said: "lock already taken, locked nodes: [0]" },
        said: { outcome: "refused", said: "lock already taken, locked nodes: [0]" },
      },
      {
        ...between("redislock"),
        key: "lock:redislock",
        leaseMs: LEASE_MS,
        shown: { ...lock, format: "bsm-redislock", confidence: "likely" },
        waiters: POLLS,
        extended: { outcome: "refused", said: "redislock: not obtained" },
        said: { outcome: "refused", said: "redislock: lock not held" },
      },
    ];
    const expired = {
      outcome: "refused",
      said: "redsync: failed to unlock, lock was already expired",
    } as const;
    const [told] = await Promise.all([
      tellAll(operator, stories),
      freeAlone(operator, party("c", "redsync"), "lock:alone:redsync", expired),
      expectFixedLease(operator, party("d", "redislock"), "lock:short:redislock"),
    ]);
    bench.note(figuresOf(told));
  },
);
