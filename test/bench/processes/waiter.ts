/**
 * The one who waits for what the bench's own process releases. `node --import tsx waiter.ts REDIS_URL`.
 * Takes `{ id, contender, key }`; says when it has begun to wait, and when it was granted (by the machine's monotonic
 * clock, which both processes share) once it has given the lock back.
 */
import { bareWaiter } from "../core/bare.ts";
import { monotonicMs, type WaiterAsk, type WaiterSays } from "../core/hand-off-words.ts";
import { ours } from "../core/ours.ts";
import { redisSemaphore } from "../peers/redis-semaphore.ts";
import { redlock } from "../peers/redlock.ts";

const [url = ""] = process.argv.slice(2);
const mine = await ours(url, { owner: "checkout@pod-8:97", waitMs: 30_000 });
const list = [mine, await bareWaiter(url), redlock(url), redisSemaphore(url)];
const contenders = new Map(list.map((contender) => [contender.name, contender]));

function say(words: WaiterSays): void {
  process.send?.(words);
}

process.on("message", async ({ id, contender, key }: WaiterAsk) => {
  const granted = contenders.get(contender)?.acquire(key);
  if (granted === undefined) throw new Error(`There is no contender ${contender}`);
  say({ id, state: "waiting" });
  const release = await granted;
  const at = monotonicMs();
  await release();
  say({ id, state: "granted", at });
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
