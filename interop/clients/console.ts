import { fencedCounterKeyOf } from "../../server/formats/keys.ts";
import { atEnd } from "../children.ts";
import { type LockStory, listens, tellAll } from "../console/lock-story.ts";
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
import { expect } from "../figures.ts";
import type { Peer } from "../peer.ts";
import type { Tools } from "../prepared.ts";
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
    const plain = locks.map(({ key, wokenMs }) => `${key} ${wokenMs} ms`);
    bench.note(`from the force-release until the waiter had it: ${[...plain, ...lines].join(", ")}`);
  },
);

/** Others' locks under the eyes and the hands of an operator. */
export const consoleClients: readonly Client[] = [redisson];
