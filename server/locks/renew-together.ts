import type { SpokenFormat } from "../../lib/contract/format.ts";
import { FORMATS } from "../formats/format.ts";
import type { Commands } from "../redis/commands.ts";
import type { Renewed } from "./backend.ts";
import type { Hold } from "./hold.ts";
import { within } from "./within.ts";

/**
 * One script for all holds of a group, which have one format and can be reached by one script. A group that gets no
 * answer leaves the others theirs.
 */
export async function renewTogether(
  redis: Commands,
  channel: string,
  holds: readonly Hold[],
  tryMs: number,
  groupOf: (hold: Hold) => string,
): Promise<Renewed[]> {
  const groups = new Map<string, Hold[]>();
  for (const hold of holds) {
    const name = groupOf(hold);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [hold]);
    else group.push(hold);
  }
  const remaining = new Map<Hold, Renewed>();
  await Promise.all(
    [...groups.values()].map(async (group) => {
      const format: SpokenFormat = group[0]?.format ?? "redisson";
      const replies = await within(tryMs, FORMATS[format].renewMany(redis, channel, group)).catch(() => []);
      for (const [at, hold] of group.entries()) remaining.set(hold, replies[at]);
    }),
  );
  return holds.map((hold) => remaining.get(hold));
}
