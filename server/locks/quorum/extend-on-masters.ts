import type { ExtendRequest } from "../../formats/lock-writer.ts";
import { FORMATS } from "../../formats/lock-writer.ts";
import type { HeldObservation } from "../../formats/observation.ts";
import { read } from "../../formats/registry/read-keys.ts";
import type { ExtendReply } from "../../formats/script-replies.ts";
import { COMMAND_TIMEOUT_MS } from "../../redis/connect.ts";
import { majorityOf } from "../../redis/majority.ts";
import { isOf } from "./force-release-on-masters.ts";
import { ask, repliesOf } from "./poll-masters.ts";
import { tooFew } from "./quorum-errors.ts";
import type { Master } from "./quorum-master.ts";
import { certainMs } from "./time-limits.ts";

/** Prolongs a hold at all masters at once; a majority has to have it. @throws LockkeeperError unavailable */
export async function extendEverywhere(
  masters: readonly Master[],
  seen: HeldObservation,
  request: Omit<ExtendRequest, "owner" | "fence">,
): Promise<ExtendReply> {
  const answers = await ask(masters, {
    by: "verbs",
    budgetMs: COMMAND_TIMEOUT_MS,
    call: (master) => extendAt(master, seen, request),
    progress: () => "open",
  });
  const majority = majorityOf(masters.length);
  const replies = repliesOf(answers);
  const of = (...outcomes: ExtendReply["outcome"][]) =>
    replies.filter(({ outcome }) => outcomes.includes(outcome));
  const has = of("extended", "enough").flatMap((reply) => ("remainingMs" in reply ? [reply] : []));
  if (has.length >= majority) {
    // What a majority still has then, by the slowest way and the fastest clock.
    const left = has.map(({ remainingMs }) => remainingMs ?? Number.POSITIVE_INFINITY).sort((a, b) => b - a);
    const least = left[majority - 1] ?? 0;
    const remainingMs = Number.isFinite(least) ? Math.floor(certainMs(least)) : null;
    const outcome = of("extended").length > 0 ? "extended" : "enough";
    return { outcome, remainingMs, asOf: has[0]?.asOf ?? Date.now() };
  }
  const [gone] = of("gone");
  if (gone !== undefined && of("gone").length >= majority) return gone;
  const [other] = of("changed", "not_a_lock");
  if (other !== undefined && of("changed", "not_a_lock", "gone").length >= majority) return other;
  throw tooFew(answers, "The hold was prolonged nowhere for certain; it stands until its deadline.");
}

async function extendAt(
  { verbs, channel }: Master,
  seen: HeldObservation,
  request: Omit<ExtendRequest, "owner" | "fence">,
): Promise<ExtendReply> {
  const [there] = await read(verbs, [seen.key], { formatOf: () => seen.format });
  if (there === undefined || there.state === "unreadable") throw new Error(there?.why ?? "nothing was read");
  if (there.state !== "held")
    return { outcome: there.state === "free" ? "gone" : "changed", asOf: there.asOf };
  const [{ owner, fence }] = there.holders;
  // A majority agreed on the fence. A smaller one may be of an older hold of this owner, which is not brought back.
  if (!isOf(there, seen) || fence !== seen.holders[0].fence) return { outcome: "changed", asOf: there.asOf };
  return await FORMATS.token.extend(verbs, channel, seen.key, { ...request, owner, fence });
}
