import { formatKey } from "../../lib/keys/key.ts";
import { DEADLOCK_CHANNEL } from "../formats/keys.ts";
import type { WaitRefusal } from "../locks/waiting/deadlock-refusals.ts";
import type { Masters } from "../redis/master.ts";
import { chooseRefusedWait, type Deadlock } from "./find-deadlocks.ts";

/**
 * Publishes the id of the wait that must end to resolve a deadlock. Does nothing if no client in the deadlock chose
 * `refuse`. The message can be lost.
 */
export async function refuseWait(masters: Masters, deadlock: Deadlock): Promise<void> {
  const waitId = chooseRefusedWait(deadlock)?.waitId;
  if (waitId === undefined) return;
  const cycle = deadlock.cycle.map(({ owner, key }) => ({ owner: formatKey(owner), key: formatKey(key) }));
  const message = JSON.stringify({ waitId, cycle } satisfies WaitRefusal);
  // On a cluster, a client receives either sharded messages or ordinary messages, never both.
  if (masters.routing?.hasShardedPubSub) await masters.routing.call("SPUBLISH", DEADLOCK_CHANNEL, message);
  else await masters.list[0]?.redis.publish(DEADLOCK_CHANNEL, message);
}
