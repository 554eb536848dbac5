import type { Key } from "../../../lib/keys/key.ts";
import type { HeldError } from "../../errors/lock-errors.ts";
import type { HeldObservation, Observation } from "../../formats/observation.ts";
import { findLargestRedLock, isRedLockPart } from "../../formats/redisson/red-lock.ts";
import { readKey } from "../../formats/registry/read-keys.ts";
import { computeMajority, groupLargestFirst, kthSmallest, median } from "../../redis/majority.ts";
import { ATTEMPT_BUDGET_MS } from "../verbs/attempt.ts";
import { createHeldError, createSplitHeldError } from "../verbs/error-factories.ts";
import { collectReplies, pollMasters } from "./poll-masters.ts";
import type { QuorumMaster } from "./quorum-master.ts";

/**
 * Checks whether a majority of the masters has a lock in another format, such as Redisson's RedLock. Lockkeeper cannot
 * acquire such a lock on a quorum.
 *
 * @returns the error for the refused acquire; `undefined` if no majority has such a lock
 */
export async function readForeignHold(
  masters: readonly QuorumMaster[],
  key: Key,
): Promise<HeldError | undefined> {
  const majority = computeMajority(masters.length);
  const results = await pollMasters<Observation>(masters, {
    by: "verbs",
    budgetMs: ATTEMPT_BUDGET_MS,
    call: ({ verbs }) => readKey(verbs, key),
    progress: (soFar) => (soFar.size >= majority ? "enough" : "open"),
  });
  const seen = collectReplies(results);
  const held = seen.flatMap((each) => (isLock(each) ? [each] : []));
  if (held.length < majority) return undefined;
  const freeMs = kthSmallest(seen.map(computeFreeInMs), majority);
  const known = {
    remainingMs: Number.isFinite(freeMs) ? freeMs : null,
    asOf: median(held.map(({ asOf }) => asOf)),
  };
  const holder = findHolder(held, majority);
  if (holder !== undefined) return createHeldError(key, { ...known, holders: holder.holders });
  return createSplitHeldError(key, { ...known, holders: held.flatMap(({ holders }) => holders) });
}

/**
 * Whether the observation shows a lock. An observation with the confidence `possible` counts only if the key is part of
 * a RedLock, because other keys may contain application data.
 */
const isLock = (seen: Observation): seen is HeldObservation =>
  seen.state === "held" && (seen.confidence !== "possible" || isRedLockPart(seen));

function findHolder(held: readonly HeldObservation[], majority: number): HeldObservation | undefined {
  const [same] = groupLargestFirst(held, ({ holders }) => holders.map(({ token }) => token).join("\0"));
  if (same !== undefined && same.length >= majority) return same[0];
  const parts = held.filter(isRedLockPart).map((seen) => ({ seen, begunAt: undefined }));
  const redLock = findLargestRedLock(parts);
  return redLock.length >= majority ? redLock[0]?.seen : undefined;
}

function computeFreeInMs(seen: Observation): number {
  if (seen.state === "free" || seen.state === "ended") return 0;
  return seen.state === "held" ? (seen.remainingMs ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
}
