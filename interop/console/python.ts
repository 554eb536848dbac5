import { startPython } from "../python-peer.ts";
import { consoleClient, figuresOf } from "./client.ts";
import { expectFixedLease, type LockStory, POLLS, tellAll } from "./lock-story.ts";
import { LEASE_MS, type Party } from "./story.ts";

export const pythonInConsole = consoleClient(
  "python",
  "pythonLocks",
  ({ pythonLocks }, url) => startPython("Python", pythonLocks, "locks_peer.py", url),
  async (operator, peer, bench) => {
    const redis = operator.server.redis.client();
    const party = (who: string, object: string): Party => ({ peer, who, object });
    const between = (object: string) => ({ holder: party("a", object), waiter: party("b", object) });
    const pops = async () => String(await redis.client("LIST")).includes("cmd=blpop");
    const likely = { kind: "lock", confidence: "likely" } as const;
    const stories: LockStory[] = [
      {
        ...between("redis-py"),
        key: "lock:redis-py",
        leaseMs: LEASE_MS,
        shown: { ...likely, format: "redis-py", candidates: [] },
        waiters: POLLS,
        said: { outcome: "refused", said: "LockNotOwnedError" },
      },
      {
        ...between("python-redis-lock"),
        key: "lock:for-ever",
        shown: { ...likely, format: "python-redis-lock", leaseMs: null, candidates: [] },
        verdict: { state: "no-expiry", withinMs: 5000 },
        waiters: POLLS,
        isAsleep: pops,
        said: { outcome: "refused", said: "NotAcquired" },
      },
      {
        ...between("python-redis-lock-renewed"),
        key: "lock:renewed",
        leaseMs: 12_000,
        shown: { ...likely, format: "python-redis-lock", candidates: [] },
        verdict: { state: "renewing", withinMs: 15_000 },
        waiters: POLLS,
        isAsleep: pops,
        said: { outcome: "refused", said: "NotAcquired" },
      },
      {
        ...between("pottery"),
        key: "redlock:pottery",
        leaseMs: LEASE_MS,
        shown: { ...likely, format: "token", candidates: ["redlock-net", "pottery", "redlock-rb", "spring"] },
        waiters: POLLS,
        as: "pottery",
        said: { outcome: "refused", said: "ReleaseUnlockedLock" },
      },
    ];
    const [told] = await Promise.all([
      tellAll(operator, stories),
      expectFixedLease(operator, party("c", "redis-py"), "lock:short:redis-py"),
      expectFixedLease(operator, party("c", "pottery"), "redlock:short:pottery"),
    ]);
    bench.note(figuresOf(told));
  },
);
