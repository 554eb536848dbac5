import { isWritableFormat } from "../../../lib/contract/format.ts";
import { LOCK_WRITERS } from "../../formats/lock-writer.ts";
import type { HeldObservation } from "../../formats/observation.ts";
import { readKeys } from "../../formats/registry/read-keys.ts";
import type { ExtendReply } from "../../formats/script-replies.ts";
import { COMMAND_TIMEOUT_MS } from "../../redis/connect.ts";
import { computeMajority } from "../../redis/majority.ts";
import type { ExtendParams } from "../verbs/contract/verbs.ts";
import { isSameHold } from "./force-release-on-masters.ts";
import { collectReplies, pollMasters } from "./poll-masters.ts";
import { createTooFewRepliesError } from "./quorum-errors.ts";
import type { QuorumMaster } from "./quorum-master.ts";
import { computeCertainMs } from "./time-limits.ts";

/**
 * Extends a hold on all masters. Succeeds if a majority of the masters has the hold.
 *
 * @throws LockkeeperError unavailable
 */
export async function extendOnMasters(
  masters: readonly QuorumMaster[],
  seen: HeldObservation,
  request: ExtendParams,
): Promise<ExtendReply> {
  const results = await pollMasters(masters, {
    by: "verbs",
    budgetMs: COMMAND_TIMEOUT_MS,
    call: (master) => extendOnMaster(master, seen, request),
    progress: () => "open",
  });
  const majority = computeMajority(masters.length);
  const replies = collectReplies(results);
  const of = (...outcomes: ExtendReply["outcome"][]) =>
    replies.filter(({ outcome }) => outcomes.includes(outcome));
  const has = of("extended", "enough").flatMap((reply) => ("remainingMs" in reply ? [reply] : []));
  if (has.length >= majority) {
    // The minimum remaining time of a majority, given the slowest reply and the fastest clock.
    const left = has.map(({ remainingMs }) => remainingMs ?? Number.POSITIVE_INFINITY).sort((a, b) => b - a);
    const least = left[majority - 1] ?? 0;
    const remainingMs = Number.isFinite(least) ? Math.floor(computeCertainMs(least)) : null;
    const outcome = of("extended").length > 0 ? "extended" : "enough";
    return { outcome, remainingMs, asOf: has[0]?.asOf ?? Date.now() };
  }
  const [gone] = of("gone");
  if (gone !== undefined && of("gone").length >= majority) return gone;
  const [other] = of("changed", "not_a_lock");
  if (other !== undefined && of("changed", "not_a_lock", "gone").length >= majority) return other;
  throw createTooFewRepliesError(
    results,
    "The hold was not extended on a majority of the masters; it remains until its deadline.",
  );
}

async function extendOnMaster(
  { verbs, channel }: QuorumMaster,
  seen: HeldObservation,
  request: ExtendParams,
): Promise<ExtendReply> {
  const [there] = await readKeys(verbs, [seen.key], { findFormat: () => seen.format });
  if (there === undefined || there.state === "unreadable") throw new Error(there?.why ?? "nothing was read");
  if (there.state !== "held")
    return { outcome: there.state === "free" ? "gone" : "changed", asOf: there.asOf };
  if (!isSameHold(there, seen)) return { outcome: "changed", asOf: there.asOf };
  const [{ token, fence }] = there.holders;
  // Other string locks are extended like a `token` lock, because they also end when their keys expire.
  const writer = LOCK_WRITERS[isWritableFormat(there.format) ? there.format : "token"];
  return await writer.extend(verbs, channel, seen.key, { ...request, token, fence });
}
