import { fileURLToPath } from "node:url";
import { assert } from "../figures.ts";
import { Peer } from "../peer.ts";
import type { NpmTool } from "../steps/npm.ts";
import { createConsoleClient, formatFigures } from "./client.ts";
import {
  acquireHold,
  expectLiveness,
  expectReleased,
  expectShown,
  expectWoken,
  LEASE_MS,
  type Party,
  waitBehind,
} from "./lock-steps.ts";
import type { Operator } from "./operator.ts";
import { POLLING_WAITERS, type ReleaseScenario, runScenarios } from "./release-scenario.ts";

export const npmInConsole = createConsoleClient(
  "npm",
  "npm",
  ({ npm }, url) => startPeer(npm, url),
  async (operator, peer, bench) => {
    const party = (who: string, object: string): Party => ({ peer, who, object });
    const history = (object: string, said: string): ReleaseScenario => ({
      key: `lock:${object}`,
      holder: party("a", object),
      waiter: party("b", object),
      leaseMs: LEASE_MS,
      shown: { format: "redlock", kind: "lock", confidence: "likely", candidates: [] },
      waiters: POLLING_WAITERS,
      extended: { outcome: "refused", said },
      said: { outcome: "refused", said },
    });
    const owner = await startPeer(bench.tools.npm, operator.server.redis.url);
    try {
      const [results, mutexMs] = await Promise.all([
        runScenarios(operator, [history("redlock4", "LockError"), history("redlock5", "ExecutionError")]),
        endOwner(operator, { peer: owner, who: "a", object: "mutex" }, party("b", "mutex")),
      ]);
      bench.note(formatFigures(results, [`mutex ${mutexMs} ms`]));
    } finally {
      owner.end();
    }
  },
);

function startPeer({ dir }: NpmTool, url: string): Promise<Peer> {
  const worker = fileURLToPath(new URL("../workers/npm-console-peer.ts", import.meta.url));
  return Peer.start("npm", process.execPath, ["--import", "tsx", worker, url, dir]);
}

/**
 * Proves that the process of the old owner exits at its next refresh, which is the default behavior of redis-semaphore.
 */
async function endOwner(operator: Operator, holder: Party, waiter: Party): Promise<number> {
  const key = "mutex:orders";
  const { owner = "" } = await acquireHold(holder, key, 0, 4000);
  const lock = await expectLiveness(operator, key, "alive", 10_000);
  const shown = { format: "redis-semaphore", kind: "lock", confidence: "likely", candidates: [] } as const;
  expectShown(lock, { ...shown, holders: [{ owner, count: 1 }] });
  const end = holder.peer.ask("end", [], LEASE_MS).then(String, String);
  const waiting = await waitBehind(operator, waiter, key, { waiters: POLLING_WAITERS, leaseMs: LEASE_MS });
  const freed = await operator.forceRelease(key, (await operator.readLock(key)).version);
  const wokenMs = await expectWoken(waiting.held, freed, key);
  const ended = await end;
  assert(ended.includes("ended (1)"), () => `redis-semaphore's owner did not end with exit code 1: ${ended}`);
  await operator.expectEventOnce(key, owner);
  await expectReleased(waiter, key);
  return wokenMs;
}
