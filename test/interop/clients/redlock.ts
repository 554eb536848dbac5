import { fileURLToPath } from "node:url";
import { startTestMasters, type TestMasters } from "../../support/test-masters.ts";
import { waitUntil } from "../../support/test-server.ts";
import { addCleanUp } from "../children.ts";
import { contend } from "../contention.ts";
import { expect } from "../figures.ts";
import { acquireLock, LEASE_MS, releaseLock } from "../hand-offs.ts";
import { startOurs } from "../ours.ts";
import { Peer } from "../peer.ts";
import type { AcquireResult, Client, ClientContext } from "./client.ts";

const MASTERS = 3;
const SECONDS = 10;

interface Redlock {
  readonly name: string;
  readonly module: string;
  /**
   * Whether the contention test runs. It does not for redlock 5, whose failed attempts leave votes that block both
   * libraries until they expire.
   */
  readonly contends: boolean;
}

const REDLOCKS: readonly Redlock[] = [
  { name: "redlock 4 on a quorum", module: "redlock4", contends: true },
  { name: "redlock 5 on a quorum", module: "redlock5", contends: false },
];

/** Tests versions 4 and 5 of the npm package `redlock` together with Lockkeeper's quorum on the same masters. */
export const redlockClients: readonly Client[] = REDLOCKS.map(({ name, module, contends }) => ({
  name,
  needs: ["npm"],
  async run(bench) {
    const masters = await startTestMasters(MASTERS);
    const stop = addCleanUp(() => masters.stop());
    const worker = fileURLToPath(new URL("../workers/npm-peer.ts", import.meta.url));
    const urls = masters.urls.join(",");
    const peerArguments = ["--import", "tsx", worker, module, urls, bench.tools.npm.dir];
    const theirs = await Peer.start(module, process.execPath, peerArguments);
    const ours = await startOurs(urls, "ours", "token");
    try {
      for (const [holder, other] of [
        [theirs, ours],
        [ours, theirs],
      ] as const) {
        await proveExclusion(masters, holder, other);
      }
      if (contends) await contendBoth(masters, [theirs, ours], bench);
    } finally {
      for (const peer of [theirs, ours]) peer.end();
      await stop();
    }
  },
}));

/** Proves mutual exclusion when the holder has the votes of all masters, and when it has only a majority. */
async function proveExclusion(masters: TestMasters, holder: Peer, other: Peer): Promise<void> {
  for (const lost of [0, 1]) {
    const key = `lock:held-by-${holder.name}-${lost}`;
    await acquireLock({ peer: holder, who: "a" }, key, 0);
    // redlock 5 returns once it has a majority, so the last master may not have stored its vote yet.
    await waitUntil(async () => {
      const votes = new Set(await masters.readHolders(key));
      return votes.size === 1 && !votes.has(null);
    });
    if (lost > 0) await masters.vacate(key, [MASTERS - 1]);
    const { outcome } = await other.ask<AcquireResult>("take", ["a", key, 0, LEASE_MS]);
    expect(`what ${other.name} gets while ${holder.name} holds`, outcome, "refused");
    await releaseLock({ peer: holder, who: "a" }, key);
    await acquireLock({ peer: other, who: "a" }, key, LEASE_MS);
    await releaseLock({ peer: other, who: "a" }, key);
  }
}

async function contendBoth(
  masters: TestMasters,
  peers: readonly Peer[],
  bench: ClientContext,
): Promise<void> {
  const forMs = (bench.seconds ?? SECONDS) * 1000;
  const contenders = peers.map((peer) => ({ peer, loops: 1 }));
  const { line } = await contend(masters.getClient(0), "lock:contended", forMs, contenders);
  bench.note(`${forMs / 1000} s of contention on ${MASTERS} masters: ${line}`);
}
