import { UnavailableError, UnknownOutcomeError } from "../../errors/redis-errors.ts";
import type { ForceReleaseParams } from "../../formats/lock-format.ts";
import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";
import { isRedLockPart } from "../../formats/redisson/red-lock.ts";
import { findLockFormat } from "../../formats/registry/lock-formats.ts";
import { readKeys } from "../../formats/registry/read-keys.ts";
import type { ForceReleaseReply } from "../../formats/script-replies.ts";
import { COMMAND_TIMEOUT_MS } from "../../redis/connect.ts";
import { computeMajority, median } from "../../redis/majority.ts";
import type { ForceReleaseResult, MasterReleaseOutcome } from "../verbs/contract/verbs.ts";
import { type MasterResult, type MasterResults, pollMasters } from "./poll-masters.ts";
import type { QuorumMaster } from "./quorum-master.ts";

/**
 * Force-releases a hold on all masters. On each master, releases the vote with the hold's token, even if the master
 * stores a different fencing token.
 *
 * Returns `released` if at least one master released its vote and no majority can still have the hold. A vote that
 * remains on an unreachable master expires with its lease and is not a hold. If no master released a vote, returns
 * `changed` if a majority has a different hold, and otherwise `gone`.
 *
 * @throws LockkeeperError unavailable, unknown_outcome
 */
export async function forceReleaseOnMasters(
  masters: readonly QuorumMaster[],
  seen: HeldObservation,
  releaseParams: ForceReleaseParams,
): Promise<ForceReleaseResult> {
  const results = await pollMasters(masters, {
    by: "verbs",
    budgetMs: COMMAND_TIMEOUT_MS,
    call: (master) => forceReleaseOnMaster(master, seen, releaseParams),
    // Also waits for slow masters, because their votes must be released too.
    progress: () => "open",
  });
  const outcomes = masters.map(
    (master): MasterReleaseOutcome => ({
      name: getMasterName(master),
      outcome: toMasterOutcome(results.get(master)),
    }),
  );
  return toForceReleaseResult(outcomes, results);
}

/** Returns the name that a master has in the health of the target. */
function getMasterName({ verbs: { options } }: QuorumMaster): string {
  return options.path ?? `${options.host}:${options.port}`;
}

type MasterReleaseReply = ForceReleaseReply | { readonly outcome: "other"; readonly asOf: number };

async function forceReleaseOnMaster(
  { verbs, channel }: QuorumMaster,
  seen: HeldObservation,
  releaseParams: ForceReleaseParams,
): Promise<MasterReleaseReply> {
  const [there] = await readKeys(verbs, [seen.key], { findFormat: () => seen.format });
  if (there === undefined || there.state === "unreadable") throw new Error(there?.why ?? "nothing was read");
  const { asOf } = there;
  if (there.state !== "held") return { outcome: there.state === "free" ? "gone" : "changed", asOf };
  if (!isSameHold(there, seen)) return { outcome: "changed", asOf };
  const releaser = findLockFormat(there.format, there.type)?.releaser;
  if (releaser === undefined) return { outcome: "changed", asOf };
  const { holder } = releaseParams;
  const one = holder && there.holders.find((each) => isSameHolder(each, holder));
  return await releaser.forceRelease(verbs, channel, there, { ...releaseParams, holder: one });
}

/**
 * Whether a master has the holders that the operator saw. Ignores fencing tokens, because a master that missed the
 * agreement has a different fencing token. A RedLock has a different owner on each master, so one of the owners that
 * the operator saw is sufficient.
 */
export function isSameHold(there: HeldObservation, seen: HeldObservation): boolean {
  const { ownersPerMaster } = seen.holders[0];
  if (ownersPerMaster !== undefined)
    return isRedLockPart(there) && ownersPerMaster.includes(there.holders[0].token);
  return (
    there.holders.length === seen.holders.length &&
    there.holders.every((holder) => seen.holders.some((each) => isSameHolder(each, holder)))
  );
}

const isSameHolder = (one: SeenHolder, other: SeenHolder) =>
  one.token === other.token && one.role === other.role;

function toMasterOutcome(
  result: MasterResult<MasterReleaseReply> | undefined,
): MasterReleaseOutcome["outcome"] {
  if (result === undefined || result.state === "away") return "away";
  if (result.state !== "answered") return "unknown";
  const { outcome } = result.reply;
  if (outcome === "released") return "released";
  return outcome === "gone" ? "already_gone" : "changed";
}

function toForceReleaseResult(
  masters: readonly MasterReleaseOutcome[],
  results: MasterResults<MasterReleaseReply>,
): ForceReleaseResult {
  const majority = computeMajority(masters.length);
  const count = (...outcomes: MasterReleaseOutcome["outcome"][]) =>
    masters.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const open = count("away", "unknown");
  if (open >= majority) throw createUndecidedError(masters, count("released", "unknown") === 0);
  const times = [...results.values()].flatMap((result) =>
    result.state === "answered" && "asOf" in result.reply ? [result.reply.asOf] : [],
  );
  const asOf = times.length === 0 ? Date.now() : median(times);
  if (count("released") > 0) return { outcome: "released", asOf, masters };
  return { outcome: count("changed") >= majority ? "changed" : "gone", asOf };
}

function createUndecidedError(masters: readonly MasterReleaseOutcome[], isUntouched: boolean) {
  const unanswered = masters.filter(({ outcome }) => outcome === "away" || outcome === "unknown");
  const who = unanswered.map(({ name }) => name).join(", ");
  if (isUntouched) {
    return new UnavailableError(
      `${unanswered.length} of ${masters.length} masters are not responding (${who}), so there is no majority. Nothing was released; try again.`,
    );
  }
  const released = masters.filter(({ outcome }) => outcome === "released").length;
  return new UnknownOutcomeError(
    `${released} of ${masters.length} masters released it and ${unanswered.length} did not respond (${who}), so a majority may still have it. Check the lock and try again.`,
  );
}
