import type { Redis } from "ioredis";
import type { FormatName } from "../../lib/contract/lock.ts";
import { FORMATS } from "../formats/format.ts";
import { eventChannelOf } from "../formats/keys.ts";
import { addressOf, connect, whenReady } from "../redis/connect.ts";
import type { Hold } from "./hold.ts";
import { Locks } from "./locks.ts";
import type { Verbs } from "./verbs.ts";

/** What a client of the library stands on: the verbs, and renewals on connections of their own. */
export interface Backend {
  readonly verbs: Verbs;
  /** What remains of each hold in ms; null where it is gone, undefined where that cannot be told. Up to a hundred. */
  renewMany(holds: readonly Hold[]): Promise<(number | null | undefined)[]>;
  close(): void;
}

const OPEN_MS = 5000;

/**
 * Opens three connections: for the verbs, for wake-ups, and for renewals alone.
 *
 * @throws StartupError when the URL is wrong; a TimeoutError when Redis does not answer within five seconds
 */
export async function openStandalone(url: string, lockable: readonly string[]): Promise<Backend> {
  const address = addressOf(url);
  const verbs = connect(address, "verbs");
  const wake = connect(address, "wake", { autoResubscribe: false });
  const renewals = connect(address, "renewals");
  const all = [verbs, wake, renewals];
  const close = () => {
    for (const redis of all) redis.disconnect();
  };
  try {
    const signal = AbortSignal.timeout(OPEN_MS);
    await Promise.all(all.map((redis) => whenReady(redis, signal)));
  } catch (error) {
    close();
    throw error;
  }
  const channel = eventChannelOf(address.db);
  return {
    verbs: new Locks(verbs, wake, address.db, lockable),
    renewMany: (holds) => renewTogether(renewals, channel, holds, ({ format }) => format),
    close,
  };
}

/** One script for all holds of a group, which have one format and can be reached by one script. */
export async function renewTogether(
  redis: Redis,
  channel: string,
  holds: readonly Hold[],
  groupOf: (hold: Hold) => string,
): Promise<(number | null | undefined)[]> {
  const groups = new Map<string, Hold[]>();
  for (const hold of holds) groups.set(groupOf(hold), [...(groups.get(groupOf(hold)) ?? []), hold]);
  const remaining = new Map<Hold, number | null>();
  await Promise.all(
    [...groups.values()].map(async (group) => {
      const format: FormatName = group[0]?.format ?? "redisson";
      const replies = await FORMATS[format].renewMany(redis, channel, group);
      for (const [at, hold] of group.entries()) remaining.set(hold, replies[at] ?? null);
    }),
  );
  return holds.map((hold) => remaining.get(hold));
}
