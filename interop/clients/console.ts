import { fencedCounterKeyOf } from "../../server/formats/keys.ts";
import { atEnd } from "../children.ts";
import {
  expectFixedLease,
  freeAlone,
  type LockStory,
  listens,
  POLLS,
  type Told,
  tellAll,
} from "../console/lock-story.ts";
import { Operator } from "../console/operator.ts";
import { freeSemaphore, openLatch } from "../console/redisson-counters.ts";
import {
  abandon,
  freeFairLock,
  freePermit,
  freeReadWriteLock,
  MONITOR,
  RENEWED_WITHIN_MS,
  type Scene,
} from "../console/redisson-objects.ts";
import { LEASE_MS, type Party } from "../console/story.ts";
import { expect } from "../figures.ts";
import { Peer } from "../peer.ts";
import type { Tools } from "../prepared.ts";
import { startPython } from "../python-peer.ts";
import type { Bench, Client } from "./client.ts";
import { startRedisson } from "./redisson.ts";

function consoleClient(
  name: string,
  needs: keyof Tools,
  start: (tools: Tools, url: string) => Promise<Peer>,
  tell: (operator: Operator, peer: Peer, bench: Bench) => Promise<void>,
): Client {
  return {
    name: `${name} in the console`,
    needs: [needs],
    async run(bench) {
      const operator = await Operator.open();
      const stop = atEnd(() => operator.server.stop());
      let peer: Peer | undefined;
      try {
        peer = await start(bench.tools, operator.server.redis.url);
        await tell(operator, peer, bench);
      } finally {
        peer?.end();
        await stop();
      }
    },
  };
}

const redisson = consoleClient(
  "redisson",
  "redisson",
  ({ redisson: tool }, url) => startRedisson(tool, url),
  async (operator, peer, bench) => {
    const redis = operator.server.redis.client();
    const party: Scene["party"] = (who, object) => ({ peer, who: `${who}-${object}`, object });
    const scene: Scene = { operator, redis, party };
    const story = (object: string, kind: "lock" | "fenced"): LockStory => ({
      key: `orders:${object}`,
      holder: party("a", object),
      waiter: party("b", object),
      entries: 2,
      shown: { format: "redisson", kind, confidence: "certain", candidates: [] },
      verdict: { state: "renewing", withinMs: RENEWED_WITHIN_MS },
      waiters: listens(object === "spin" ? 0 : 1),
      said: MONITOR,
    });
    const [locks, , ...lines] = await Promise.all([
      tellAll(operator, [story("lock", "lock"), story("spin", "lock"), story("fenced", "fenced")]),
      abandon(scene),
      freeFairLock(scene),
      freeReadWriteLock(scene),
      freePermit(scene),
      freeSemaphore(scene),
      openLatch(scene),
    ]);
    const [first, second] = locks[2]?.held ?? [];
    expect("the fence after it", Number(second?.fence), Number(first?.fence) + 1);
    expect(
      "the counter of fences",
      await redis.get(String(fencedCounterKeyOf("orders:fenced"))),
      second?.fence,
    );
    bench.note(figuresOf(locks, lines));
  },
);

const python = consoleClient(
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

const go = consoleClient(
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
        said: { outcome: "refused", said: "lock already taken, locked nodes: [0]" },
      },
      {
        ...between("redislock"),
        key: "lock:redislock",
        leaseMs: LEASE_MS,
        shown: { ...lock, format: "bsm-redislock", confidence: "likely" },
        waiters: POLLS,
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

const figuresOf = (told: readonly Told[], more: readonly string[] = []) =>
  `from the force-release until the waiter had it: ${[...told.map(({ key, wokenMs }) => `${key} ${wokenMs} ms`), ...more].join(", ")}`;

/** Others' locks under the eyes and the hands of an operator. */
export const consoleClients: readonly Client[] = [redisson, python, go];
