import { FORMATS } from "../../formats/lock-writer.ts";
import { kthLargest, majorityOf } from "../../redis/majority.ts";
import type { Renewable, Renewed } from "../verbs/backend.ts";
import { momentNow } from "../verbs/moment.ts";
import { verdictOf } from "./common-hold.ts";
import { type Answers, ask, repliesOf } from "./poll-masters.ts";
import type { Master } from "./quorum-master.ts";
import { certainMs, validityMs } from "./time-limits.ts";

/**
 * Renews the holds of a process at all masters, one script each. A hold that a bare majority has left is held as one
 * that all have: what it has lost is how many more masters may fail, and that is no loss of its own.
 */
export async function renewTogether(
  masters: readonly Master[],
  holds: readonly Renewable[],
  tryMs: number,
): Promise<Renewed[]> {
  const sentAt = momentNow();
  const at = holds.map((_, index) => index);
  const answers = await ask(masters, {
    by: "renewals",
    budgetMs: tryMs,
    call: ({ renewals, channel }) => FORMATS.token.renewMany(renewals, channel, holds),
    progress: (soFar) => (at.some((index) => stateOf(soFar, index).verdict === "unsure") ? "open" : "enough"),
  });
  return at.map((index) => {
    const { verdict, remaining } = stateOf(answers, index);
    if (verdict === "lost") return null;
    const leastMs = kthLargest(remaining, majorityOf(masters.length));
    // Whoever asks counts from before it asked.
    return verdict === "held" && validityMs(sentAt, leastMs) > 0 ? certainMs(leastMs) : undefined;
  });

  function stateOf(soFar: Answers<Renewed[]>, index: number) {
    const told = repliesOf(soFar).flatMap(
      (renewed) => renewed[index] ?? (renewed[index] === null ? [null] : []),
    );
    const remaining = told.filter((each) => each !== null);
    return { remaining, verdict: verdictOf(remaining.length, told.length, masters.length) };
  }
}
