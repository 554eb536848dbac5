import { argumentOf, eventChannelOf } from "../formats/keys.ts";
import { Cluster } from "../redis/cluster.ts";
import { type ClusterWhere, clusterAddressOf } from "../redis/cluster-address.ts";
import { ClusterMap } from "../redis/cluster-map.ts";
import { ClusterSubscriber } from "../redis/cluster-subscriber.ts";
import { OPEN_MS, whenReady } from "../redis/connect.ts";
import { slotOf } from "../redis/slot.ts";
import { StartupError } from "../startup-error.ts";
import type { Backend } from "./backend.ts";
import { Locks } from "./locks.ts";
import { renewTogether } from "./renew-together.ts";

/** A cluster has no other database. */
const DB = 0;

/**
 * For each master one connection for the verbs and one for renewals; for wake-ups one more, to those masters alone whose
 * locks are waited for.
 *
 * @throws StartupError when a URL is wrong, or no node or master answers
 */
export async function openCluster(where: ClusterWhere, lockable: readonly string[]): Promise<Backend> {
  const map = new ClusterMap(clusterAddressOf(where));
  await map.look().catch((error: unknown) => {
    throw new StartupError(`No node of the cluster could be asked for its slots (${whyOf(error)}).`);
  });
  const verbs = new Cluster(map, "verbs");
  const renewals = new Cluster(map, "renewals");
  const wake = new ClusterSubscriber(map, "wake");
  const close = () => {
    map.close();
    for (const each of [verbs, renewals, wake]) each.disconnect();
  };
  try {
    const signal = AbortSignal.timeout(OPEN_MS);
    await Promise.any(verbs.masters.map((master) => whenReady(master, signal)));
  } catch (error) {
    close();
    throw new StartupError(`No master of the cluster can be reached (${whyOf(error)}).`);
  }
  const channel = eventChannelOf(DB);
  return {
    verbs: new Locks(verbs, wake, DB, lockable),
    renewMany: (holds, tryMs) =>
      renewTogether(
        renewals,
        channel,
        holds,
        tryMs,
        ({ format, key }) => `${format} ${slotOf(argumentOf(key))}`,
      ),
    close,
  };
}

/** Of many nodes the first one's reason: they rarely differ. */
function whyOf(error: unknown): string {
  const [reason] = error instanceof AggregateError ? error.errors : [error];
  return reason instanceof Error ? reason.message : String(reason);
}
