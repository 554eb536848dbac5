import { buildFencedCounterKey } from "../../../server/formats/keys.ts";
import { startRedisson } from "../clients/redisson.ts";
import { expect } from "../figures.ts";
import { createConsoleClient, formatFigures } from "./client.ts";
import { COUNTED, forceReleaseSemaphore, openLatch } from "./redisson-counters.ts";
import {
  abandonLock,
  forceReleaseFairLock,
  forceReleasePermit,
  forceReleaseReadWriteLock,
  MONITOR,
  RENEWED_WITHIN_MS,
  type RedissonSetup,
} from "./redisson-objects.ts";
import { createWaiterEstimate, type ReleaseScenario, runScenarios } from "./release-scenario.ts";

export const redissonInConsole = createConsoleClient(
  "redisson",
  "redisson",
  ({ redisson: tool }, url) => startRedisson(tool, url),
  async (operator, peer, bench) => {
    const redis = operator.server.redis.createClient();
    const party: RedissonSetup["party"] = (who, object) => ({ peer, who: `${who}-${object}`, object });
    const scene: RedissonSetup = { operator, redis, party };
    const history = (object: string, kind: "lock" | "fenced"): ReleaseScenario => ({
      // A spin lock has no additional keys that distinguish it from other hashes, so its key must look like a lock's.
      key: object === "spin" ? "orders:spin:lock" : `orders:${object}`,
      holder: party("a", object),
      waiter: party("b", object),
      entries: 2,
      shown: { format: "redisson", kind, confidence: "certain", candidates: [] },
      liveness: { state: "alive", withinMs: RENEWED_WITHIN_MS },
      waiters: createWaiterEstimate(object === "spin" ? 0 : 1),
      said: MONITOR,
    });
    const [locks, , ...lines] = await Promise.all([
      runScenarios(operator, [history("lock", "lock"), history("spin", "lock"), history("fenced", "fenced")]),
      abandonLock(scene),
      forceReleaseFairLock(scene),
      forceReleaseReadWriteLock(scene),
      forceReleasePermit(scene),
      forceReleaseSemaphore(scene),
      openLatch(scene),
    ]);
    const [first, second] = locks[2]?.held ?? [];
    expect("the fence after it", Number(second?.fence), Number(first?.fence) + 1);
    expect(
      "the counter of fences",
      await redis.get(String(buildFencedCounterKey("orders:fenced"))),
      second?.fence,
    );
    bench.note(formatFigures(locks, lines));
  },
  COUNTED,
);
