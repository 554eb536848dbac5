import type { SpokenFormat } from "../../../lib/contract/format.ts";
import { within } from "../../concurrency/with-timeout.ts";
import { FORMATS } from "../../formats/lock-writer.ts";
import type { Renewable, Renewed } from "../verbs/backend.ts";
import type { Door } from "../verbs/safety.ts";

/**
 * One script for all holds of a group, which have one format and can be reached by one script. A group that gets no
 * answer leaves the others theirs.
 */
export async function renewTogether(
  doorOf: () => Door,
  channel: string,
  holds: readonly Renewable[],
  tryMs: number,
  groupOf: (hold: Renewable) => string,
): Promise<Renewed[]> {
  const groups = new Map<string, Renewable[]>();
  for (const hold of holds) {
    const name = groupOf(hold);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [hold]);
    else group.push(hold);
  }
  const remaining = new Map<Renewable, Renewed>();
  await Promise.all(
    [...groups.values()].map(async (group) => {
      const format: SpokenFormat = group[0]?.format ?? "redisson";
      const door = doorOf();
      const renewed = FORMATS[format].renewMany(door.commands, channel, group);
      const replies = await within(tryMs, confirmedBy(door, renewed)).catch(() => []);
      for (const [at, hold] of group.entries()) remaining.set(hold, replies[at]);
    }),
  );
  return holds.map((hold) => remaining.get(hold));
}

/** What was renewed and is not confirmed may be there or not; what is gone is gone. */
async function confirmedBy({ confirm }: Door, renewed: Promise<Renewed[]>): Promise<Renewed[]> {
  const replies = await renewed;
  if (confirm === undefined || replies.every((left) => typeof left !== "number")) return replies;
  return await confirm().then(
    () => replies,
    () => replies.map((left) => (typeof left === "number" ? undefined : left)),
  );
}
