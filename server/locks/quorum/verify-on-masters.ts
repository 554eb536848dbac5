import type { Verified, VerifyInput } from "../../../lib/contract/actions/verb.ts";
import { fieldsOfKey, type Key } from "../../../lib/keys/key.ts";
import type { Answered } from "../../formats/observation.ts";
import { readOne } from "../../formats/registry/read-keys.ts";
import { largestFirst, majorityOf } from "../../redis/majority.ts";
import { attempt, BUDGET_MS } from "../verbs/attempt.ts";
import { lostBy, notALock } from "../verbs/error-factories.ts";
import { answered } from "../verbs/require-readable.ts";
import { commonHoldOf, type SeenHold, verdictOf } from "./common-hold.ts";
import { type Answers, ask, repliesOf } from "./poll-masters.ts";
import { tooFew } from "./quorum-errors.ts";
import type { Master } from "./quorum-master.ts";

/** Whether a majority has the owner's hold at this moment. @throws LockkeeperError lost, not_a_lock, unavailable */
export async function verify(masters: readonly Master[], key: Key, wanted: VerifyInput): Promise<Verified> {
  const { owner } = wanted;
  const answers = await ask(masters, {
    by: "verbs",
    to: "all",
    budgetMs: BUDGET_MS,
    call: async ({ verbs }) => answered(await attempt(verbs, () => readOne(verbs, key))),
    progress: (soFar) => (stateOf(soFar, wanted, masters.length).verdict === "unsure" ? "open" : "enough"),
  });
  const { hold, verdict } = stateOf(answers, wanted, masters.length);
  if (verdict === "unsure") throw tooFew(answers, "Nothing was changed; ask again.");
  const seen = repliesOf(answers);
  const strange = seen.flatMap((each) => (each.state === "not_a_lock" ? [each.type] : []));
  if (strange.length >= majorityOf(masters.length)) throw notALock(key, strange[0] ?? "none", wanted.format);
  if (verdict === "lost" || hold === undefined) throw lostBy(key, owner, holderOf(seen));
  const { count, fence, remainingMs, asOf } = hold;
  return { ...fieldsOfKey(key), owner, count, fence, remainingMs, asOf };
}

function stateOf(answers: Answers<Answered>, wanted: VerifyInput, masters: number) {
  const hold = commonHoldOf(
    repliesOf(answers).flatMap((seen) => holdOf(seen, wanted)),
    masters,
  );
  return { hold, verdict: verdictOf(hold?.votes ?? 0, repliesOf(answers).length, masters) };
}

function holdOf(seen: Answered, { owner, fence }: VerifyInput): SeenHold[] {
  if (seen.state !== "held" || seen.format !== "token") return [];
  const holder = seen.holders.find((each) => each.owner === owner);
  if (holder === undefined || (fence !== undefined && holder.fence !== fence)) return [];
  const remainingMs = seen.remainingMs === null ? null : seen.remainingMs - holder.marginMs;
  if (remainingMs !== null && remainingMs <= 0) return [];
  return [{ fence: holder.fence, count: holder.count, remainingMs, asOf: seen.asOf }];
}

/** What the holder that most masters name has; nobody where most have none. */
function holderOf(seen: readonly Answered[]) {
  const [[most] = []] = largestFirst(seen, (each) => (each.state === "held" ? each.holders[0].owner : ""));
  const { asOf } = most ?? { asOf: 0 };
  if (most?.state !== "held") return { holders: [], remainingMs: null, asOf };
  return { holders: most.holders, remainingMs: most.remainingMs, asOf };
}
