import type { Verified, VerifyInput } from "../../../lib/contract/actions/verb.ts";
import { type Key, toKeyFields } from "../../../lib/keys/key.ts";
import type { ReadableObservation } from "../../formats/observation.ts";
import { readKey } from "../../formats/registry/read-keys.ts";
import { computeMajority, groupLargestFirst } from "../../redis/majority.ts";
import { ATTEMPT_BUDGET_MS, attempt } from "../verbs/attempt.ts";
import { createLostError, createNotALockError } from "../verbs/error-factories.ts";
import { requireReadable } from "../verbs/require-readable.ts";
import { assessMajority, findCommonHold, type MasterHold } from "./common-hold.ts";
import { collectReplies, type MasterAnswers, pollMasters } from "./poll-masters.ts";
import { createTooFewAnswersError } from "./quorum-errors.ts";
import type { QuorumMaster } from "./quorum-master.ts";

/** Whether a majority has the owner's hold at this moment. @throws LockkeeperError lost, not_a_lock, unavailable */
export async function verifyOnMasters(
  masters: readonly QuorumMaster[],
  key: Key,
  wanted: VerifyInput,
): Promise<Verified> {
  const { owner } = wanted;
  const answers = await pollMasters(masters, {
    by: "verbs",
    to: "all",
    budgetMs: ATTEMPT_BUDGET_MS,
    call: async ({ verbs }) => requireReadable(await attempt(verbs, () => readKey(verbs, key))),
    progress: (soFar) => (assessHold(soFar, wanted, masters.length).verdict === "unsure" ? "open" : "enough"),
  });
  const { hold, verdict } = assessHold(answers, wanted, masters.length);
  if (verdict === "unsure") throw createTooFewAnswersError(answers, "Nothing was changed; ask again.");
  const seen = collectReplies(answers);
  const strange = seen.flatMap((each) => (each.state === "not_a_lock" ? [each.type] : []));
  if (strange.length >= computeMajority(masters.length))
    throw createNotALockError(key, strange[0] ?? "none", wanted.format);
  if (verdict === "lost" || hold === undefined) throw createLostError(key, owner, findMajorityHolder(seen));
  const { count, fence, remainingMs, asOf } = hold;
  return { ...toKeyFields(key), owner, count, fence, remainingMs, asOf };
}

function assessHold(answers: MasterAnswers<ReadableObservation>, wanted: VerifyInput, masters: number) {
  const hold = findCommonHold(
    collectReplies(answers).flatMap((seen) => toMasterHolds(seen, wanted)),
    masters,
  );
  return { hold, verdict: assessMajority(hold?.votes ?? 0, collectReplies(answers).length, masters) };
}

function toMasterHolds(seen: ReadableObservation, { owner, fence }: VerifyInput): MasterHold[] {
  if (seen.state !== "held" || seen.format !== "token") return [];
  const holder = seen.holders.find((each) => each.owner === owner);
  if (holder === undefined || (fence !== undefined && holder.fence !== fence)) return [];
  const remainingMs = seen.remainingMs === null ? null : seen.remainingMs - holder.marginMs;
  if (remainingMs !== null && remainingMs <= 0) return [];
  return [{ fence: holder.fence, count: holder.count, remainingMs, asOf: seen.asOf }];
}

/** What the holder that most masters name has; nobody where most have none. */
function findMajorityHolder(seen: readonly ReadableObservation[]) {
  const [[most] = []] = groupLargestFirst(seen, (each) =>
    each.state === "held" ? each.holders[0].owner : "",
  );
  const { asOf } = most ?? { asOf: 0 };
  if (most?.state !== "held") return { holders: [], remainingMs: null, asOf };
  return { holders: most.holders, remainingMs: most.remainingMs, asOf };
}
