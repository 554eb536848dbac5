/**
 * Waits for the locks that the benchmark process releases.
 *
 * Usage: `node --import tsx waiter.ts REDIS_URL`
 *
 * Receives `{ id, contender, key }`. Sends a message when it begins to wait. After the grant, it releases the lock and
 * sends the time of the grant, on the monotonic clock that both processes share.
 */
import { openBareWaiter } from "../core/bare.ts";
import { getMonotonicMs, type WaiterRequest, type WaiterResponse } from "../core/hand-off-messages.ts";
import { openOurs } from "../core/ours.ts";
import { createRedisSemaphore } from "../peers/redis-semaphore.ts";
import { createRedlock } from "../peers/redlock.ts";

const [url = ""] = process.argv.slice(2);
const options = { owner: "checkout@pod-8:97", waitMs: 30_000 };
const mine = [await openOurs(url, options), await openOurs(url, { ...options, format: "token" })];
const list = [...mine, await openBareWaiter(url), createRedlock(url), createRedisSemaphore(url)];
const contenders = new Map(list.map((contender) => [contender.name, contender]));

function sendMessage(words: WaiterResponse): void {
  process.send?.(words);
}

process.on("message", async ({ id, contender, key }: WaiterRequest) => {
  const granted = contenders.get(contender)?.acquire(key);
  if (granted === undefined) throw new Error(`There is no contender ${contender}`);
  sendMessage({ id, state: "waiting" });
  const release = await granted;
  const at = getMonotonicMs();
  await release();
  sendMessage({ id, state: "granted", at });
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
