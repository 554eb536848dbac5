import { hostname } from "node:os";
import { expect } from "../figures.ts";
import { Peer } from "../peer.ts";
import { consoleClient, figuresOf } from "./client.ts";
import { expectFixedLease, type LockStory, POLLS, tellAll } from "./lock-story.ts";
import type { Operator } from "./operator.ts";
import { drop, expectShown, giveBack, type Held, hold, LEASE_MS, type Party } from "./story.ts";

export const springInConsole = consoleClient(
  "spring and shedlock",
  "spring",
  ({ spring }, url) =>
    Peer.start("Spring", spring.java, ["-Xmx256m", "-cp", spring.classpath, "SpringPeer", url]),
  async (operator, peer, bench) => {
    const party = (who: string, object: string): Party => ({ peer, who, object });
    const story = (object: string, key: string): LockStory => ({
      key,
      holder: party("a", object),
      waiter: party("b", object),
      leaseMs: LEASE_MS,
      shown: {
        ...{ format: "token", kind: "lock", confidence: "likely" },
        candidates: ["redlock-rb", "spring", "lan1tian", "ioredis-lock"],
      },
      waiters: POLLS,
      as: "spring",
      said: { outcome: "refused", said: "ConcurrentModificationException" },
    });
    const redis = operator.server.redis.createClient();
    const patterns = async () => Number(await redis.pubsub("NUMPAT"));
    const before = await patterns();
    const published = {
      ...story("published", "lock-registry:published"),
      isAsleep: async () => (await patterns()) > before,
    };
    const [told] = await Promise.all([
      tellAll(operator, [story("polled", "lock-registry:polled"), published]),
      expectFixedLease(operator, party("c", "polled"), "lock-registry:short"),
    ]);
    await freeJob(operator, party);
    bench.note(figuresOf(told));
  },
);

/** ShedLock's old owner deletes whatever is there when its job has ended: the next one's lock, or a hold-off. */
async function freeJob(operator: Operator, party: (who: string, object: string) => Party): Promise<void> {
  const key = "job-lock:prod:report";
  const [old, next] = [party("a", "shedlock"), party("b", "shedlock")] as const;
  await hold(old, key, 0, LEASE_MS);
  const lock = await operator.lookUntil(key, ({ state }) => state === "held");
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
    [hostname(), "told"],
  );
  await operator.free(key, lock.version);
  await hold(next, key, 0, LEASE_MS);
  await giveBack(old, key);
  expect("the next one's lock after the old job", (await operator.look(key)).state, "free");

  await giveBack(next, key);
  await hold(old, key, 0, LEASE_MS);
  const again = await operator.lookUntil(key, ({ state }) => state === "held");
  await operator.free(key, again.version, undefined, LEASE_MS);
  const refused = await next.peer.ask<Held>("hold", [next.who, next.object, key, 0, LEASE_MS]);
  expect(`who comes while ${key} is held off`, refused.outcome, "refused");
  expect("the end of the old job", await drop(old, key), { outcome: "released", said: "" });
  await hold(next, key, 0, LEASE_MS);
  await giveBack(next, key);
}
