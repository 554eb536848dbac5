import { withTimeout } from "../../concurrency/with-timeout.ts";
import { getLockWriter } from "../../formats/registry/lock-writers.ts";
import type { RenewableHold, RenewalResult } from "../verbs/backend.ts";
import { renewTogether } from "../verbs/renew-together.ts";
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
      const writer = getLockWriter(group[0] ?? { format: "redisson" });
      const renewing = renewTogether(group, (some) => {
        const guarded = getGuarded();
        return confirmRenewals(guarded, writer.renewMany(guarded.commands, channel, some));
      });
      const replies = await withTimeout(tryMs, renewing).catch(() => []);
      for (const [at, hold] of group.entries()) remaining.set(hold, replies[at]);
    }),
  );
  return holds.map((hold) => remaining.get(hold));
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
