import { buildFencedCounterKey } from "../../../server/formats/keys.ts";
import { startRedisson } from "../clients/redisson.ts";
import { expect } from "../figures.ts";
import { consoleClient, figuresOf } from "./client.ts";
import { type LockStory, listens, tellAll } from "./lock-story.ts";
import { COUNTED, freeSemaphore, openLatch } from "./redisson-counters.ts";
import {
  abandon,
  freeFairLock,
  freePermit,
  freeReadWriteLock,
  MONITOR,
  RENEWED_WITHIN_MS,
  type Scene,
} from "./redisson-objects.ts";

export const redissonInConsole = consoleClient(
  "redisson",
  "redisson",
  ({ redisson: tool }, url) => startRedisson(tool, url),
  async (operator, peer, bench) => {
    const redis = operator.server.redis.createClient();
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
      await redis.get(String(buildFencedCounterKey("orders:fenced"))),
      second?.fence,
    );
    bench.note(figuresOf(locks, lines));
  },
  COUNTED,
);
