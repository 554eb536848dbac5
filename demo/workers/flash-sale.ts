/** Buyers in a flash sale. Each reads, changes and writes the stock of an article under its lock. */
import { setTimeout as sleep } from "node:timers/promises";
import { isChosen, openWorker, pickBetween, repeat } from "../worker.ts";

const BUYERS = 4;
const ARTICLES = ["sneaker-42", "console-x", "gpu-9070", "poster", "vinyl"];
const { locks, shop, owner } = openWorker("checkout");

async function buyArticle(buyer: string): Promise<void> {
  const article = ARTICLES[Math.floor(Math.random() * ARTICLES.length)] ?? "poster";
  const key = `lock:stock:${article}`;
  const hold = await locks.acquire(key, { owner: buyer, purpose: "buy one", leaseMs: 60_000, waitMs: 5000 });
  if (hold === undefined) return;
  const stock = (await shop.read(`stock:${article}`)) ?? 500;
  await sleep(pickBetween(50, 400));
  // The payment also needs the lock and re-enters the hold.
  if ((await locks.reenter(hold)) === undefined) return;
  await sleep(pickBetween(100, 900));
  if (stock > 0) await shop.write(`stock:${article}`, stock - 1, hold.fence);
  await locks.release(hold);
  // Occasionally a buyer does not release its lock, and the article is blocked until the lease expires.
  if (!isChosen(0.01)) await locks.release(hold);
}

await Promise.all(
  Array.from({ length: BUYERS }, (_, buyer) =>
    repeat(
      () => buyArticle(owner(buyer + 1)),
      () => pickBetween(0, 1500),
    ),
  ),
);
