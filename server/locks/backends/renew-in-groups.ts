import { withTimeout } from "../../concurrency/with-timeout.ts";
import { getLockWriter } from "../../formats/registry/lock-writers.ts";
import { isKeyRefusal } from "../../redis/failure.ts";
import type { RenewableHold, RenewalResult } from "../verbs/backend.ts";
import type { GuardedCommands } from "../verbs/safety.ts";

/**
 * Renews holds with one script call for all holds that have the same format, kind and slot. If a call fails or times
 * out, the results for its holds are `undefined`. The results of other calls are not affected.
 */
export async function renewInGroups(
  getGuarded: () => GuardedCommands,
  channel: string,
  holds: readonly RenewableHold[],
  tryMs: number,
  slotOf: (hold: RenewableHold) => number = () => 0,
): Promise<RenewalResult[]> {
  const groups = new Map<string, RenewableHold[]>();
  for (const hold of holds) {
    const { format, kind = "lock" } = hold;
    const name = `${format} ${kind} ${slotOf(hold)}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [hold]);
    else group.push(hold);
  }
  const remaining = new Map<RenewableHold, RenewalResult>();
  await Promise.all(
    [...groups.values()].map(async (group) => {
      const replies = await withTimeout(tryMs, renewGroup(getGuarded, channel, group)).catch(() => []);
      for (const [at, hold] of group.entries()) remaining.set(hold, replies[at]);
    }),
  );
  return holds.map((hold) => remaining.get(hold));
}

/** Renews the holds of a group, one by one if Redis refuses the call because of one of the keys. */
async function renewGroup(
  getGuarded: () => GuardedCommands,
  channel: string,
  group: readonly RenewableHold[],
): Promise<RenewalResult[]> {
  const guarded = getGuarded();
  const writer = getLockWriter(group[0] ?? { format: "redisson" });
  try {
    return await confirmRenewals(guarded, writer.renewMany(guarded.commands, channel, group));
  } catch (error) {
    if (group.length === 1 || !isKeyRefusal(error)) throw error;
    const alone = group.map((hold) => renewGroup(getGuarded, channel, [hold]).catch(() => []));
    return (await Promise.all(alone)).map(([result]) => result);
  }
}

/**
 * Waits until the replicas have confirmed the renewals, and otherwise returns the renewals as unknown. Does not change
 * the results of holds that have ended.
 */
async function confirmRenewals(
  { confirm }: GuardedCommands,
  renewed: Promise<RenewalResult[]>,
): Promise<RenewalResult[]> {
  const replies = await renewed;
  if (confirm === undefined || replies.every((left) => typeof left !== "number")) return replies;
  return await confirm().then(
    () => replies,
    () => replies.map((left) => (typeof left === "number" ? undefined : left)),
  );
}
