/** Allocates globally unique IDs from one counter in blocks of 100. */
import { setTimeout as sleep } from "node:timers/promises";
import { openWorker, pickBetween, repeat } from "../worker.ts";

const BLOCK = 100;
const { locks, shop, owner } = openWorker("id-generator");

await repeat(
  async () => {
    const name = Math.random() < 0.7 ? "order" : "invoice";
    const options = { owner: owner(name), purpose: "next block of ids", leaseMs: 5000, waitMs: 2000 };
    await locks.withLock(`lock:ids:${name}`, options, async ({ fence }) => {
      const last = (await shop.read(`ids:${name}`)) ?? 0;
      await sleep(pickBetween(5, 60));
      await shop.write(`ids:${name}`, last + BLOCK, fence);
    });
  },
  () => pickBetween(200, 900),
);
