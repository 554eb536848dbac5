import { isSemaphoreKind } from "../../../lib/contract/format.ts";
import { Peer } from "../../interop/peer.ts";
import { readLocalFile } from "../../interop/steps/cached-dir.ts";
import { LEASE_MS } from "../contender.ts";
import type { Run } from "../figure.ts";
import { provideBenchRedisson } from "../redisson.ts";
import type { KindsContender, PairsDone } from "./contender.ts";

/** Size of Redisson's connection pool, which is its default. A thread needs a connection while its command runs. */
const CONNECTIONS = 64;

/**
 * Opens the contender for Redisson. One JVM holds locks, and another JVM waits for them.
 *
 * @throws Skip if Java or the jars are not available
 */
export async function openRedissonKinds(run: Run, url: string): Promise<KindsContender> {
  const { java, classpath } = await provideBenchRedisson();
  const start = async (connections: number) => {
    const args = ["-Xmx256m", "-cp", classpath, "KindsPeer", url, String(connections)];
    const peer = await Peer.start("redisson", java, args);
    run.defer(() => peer.end());
    return peer;
  };
  const [holder, waiter] = [await start(CONNECTIONS), await start(1)];
  return {
    name: "redisson",
    settings: `${readVersion()}, one JVM, a thread for each pair in flight, ${CONNECTIONS} connections, lock(${LEASE_MS} ms) without the watchdog`,
    async prepare({ kind, prefix, names, limit }) {
      if (isSemaphoreKind(kind)) await holder.ask("prepare", [kind, prefix, names, limit]);
    },
    runPairs: ({ kind, prefix, names, inFlight, forMs }) =>
      holder.ask<PairsDone>("pairs", [kind, prefix, names, inFlight, forMs], forMs),
    hold: (kind, key) => holder.ask("hold", [kind, key]),
    release: async (kind, key) => (await holder.ask<{ ms: number }>("release", [kind, key])).ms,
    waiter: {
      wait: async (kind, key) => (await waiter.ask<{ ms: number }>("wait", [kind, key], LEASE_MS)).ms,
    },
  };
}

function readVersion(): string {
  const pom = readLocalFile("java", "pom.xml");
  return /<artifactId>redisson<\/artifactId>\s*<version>([^<]+)</.exec(pom)?.[1] ?? "unknown";
}
