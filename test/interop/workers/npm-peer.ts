/**
 * A peer with one lock library from npm.
 *
 * Usage: `npm-peer.ts <library> <url>[,<url>,…] <npm folder>`
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type AcquiredLock, openLibrary } from "./libraries.ts";
import { contend, PAUSE_MS } from "./section.ts";
import { serveVerbs } from "./serve.ts";

const LEASE_MS = 30_000;

const [name = "", urls = "", dir = ""] = process.argv.slice(2);
const library = openLibrary({ dir }, name, urls);
const holds = new Map<string, AcquiredLock>();

serveVerbs({
  async contend(key = "", forMs, loops) {
    return contend(
      library.redis,
      "theirs",
      key,
      { forMs: Number(forMs), loops: Number(loops) },
      async (section) => {
        const lock = await library.acquire(key, LEASE_MS, LEASE_MS);
        if (lock === undefined) throw new Error(`no lock within ${LEASE_MS} ms`);
        await section();
        await lock.release();
        await sleep(Math.random() * PAUSE_MS);
        return undefined;
      },
    );
  },

  async take(who = "", key = "", waitMs, leaseMs) {
    const lock = await library.acquire(key, Number(leaseMs), Number(waitMs));
    if (lock !== undefined) holds.set(`${who} ${key}`, lock);
    return { outcome: lock === undefined ? "refused" : "granted", atMs: Date.now() };
  },

  async release(who = "", key = "") {
    const fromMs = Date.now();
    const outcome = await (
      holds.get(`${who} ${key}`)?.release() ?? Promise.reject(new Error("never taken"))
    ).then(
      () => "released",
      () => "refused",
    );
    return { outcome, fromMs };
  },
});
