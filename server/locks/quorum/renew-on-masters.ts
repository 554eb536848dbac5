import type { Grant } from "../../../lib/contract/actions/verb.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { FORMATS, type RenewRequest } from "../../formats/lock-writer.ts";
import type { RenewReply } from "../../formats/script-replies.ts";
import { largestFirst } from "../../redis/majority.ts";
import { grantOf, lostBy, notOwner, refusal } from "../verbs/error-factories.ts";
import { momentNow } from "../verbs/moment.ts";
import { commonHoldOf, verdictOf } from "./common-hold.ts";
import { type Answers, ask, repliesOf } from "./poll-masters.ts";
import { tooFew } from "./quorum-errors.ts";
import type { Master } from "./quorum-master.ts";
import { budgetMsOf, certainMs, validityMs } from "./time-limits.ts";

/** Prolongs a hold where it still is. @throws LockkeeperError lost, not_owner, not_a_lock, request_id_reused, unavailable */
export async function renew(masters: readonly Master[], key: Key, request: RenewRequest): Promise<Grant> {
  const { owner, leaseMs } = request;
  const sentAt = momentNow();
  const answers = await ask(masters, {
    by: "verbs",
    budgetMs: budgetMsOf(leaseMs),
    call: ({ verbs, channel }) => FORMATS.token.renew(verbs, channel, key, request),
    progress: (soFar) => (stateOf(soFar, masters.length).verdict === "unsure" ? "open" : "enough"),
  });
  const { hold, verdict } = stateOf(answers, masters.length);
  const leastMs = hold?.remainingMs ?? 0;
  if (verdict === "held" && hold !== undefined && validityMs(sentAt, leastMs) > 0) {
    // Whoever asks counts from before it asked.
    const remainingMs = Math.floor(certainMs(leastMs));
    return grantOf(key, owner, leaseMs, { ...hold, outcome: "granted", remainingMs });
  }
  if (verdict === "lost") throw lossOf(key, owner, repliesOf(answers));
  throw tooFew(answers, "The hold was prolonged nowhere for certain; it stands until its deadline.");
}

function stateOf(answers: Answers<RenewReply>, masters: number) {
  const known = repliesOf(answers).filter(({ outcome }) => outcome !== "unknown");
  const hold = commonHoldOf(
    known.flatMap((reply) => (reply.outcome === "granted" ? [reply] : [])),
    masters,
  );
  return { hold, verdict: verdictOf(hold?.votes ?? 0, known.length, masters) };
}

function lossOf(key: Key, owner: string, replies: readonly RenewReply[]) {
  const [[said] = []] = largestFirst(
    replies.filter(({ outcome }) => outcome !== "granted"),
    ({ outcome }) => outcome,
  );
  if (said === undefined || said.outcome === "granted") return lostBy(key, owner, undefined);
  if (said.outcome === "not_owner") return notOwner(key, owner);
  return said.outcome === "lost" ? lostBy(key, owner, said) : refusal(key, "token", said);
}
