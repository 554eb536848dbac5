import { setTimeout as sleep } from "node:timers/promises";
import type { Key } from "../../../lib/contract/key.ts";
import type { AcquireRequest } from "../../formats/format.ts";
import { type LockkeeperError, UnavailableError } from "../errors.ts";
import type { Candidate, Elected, Outcome } from "./candidate.ts";
import { majorityOf } from "./master.ts";
import { isSplit, isWithdrawn, maybeDone, refusalOf } from "./refusal.ts";
import { pauseAfterSplit } from "./time.ts";

export interface Patience {
  /** How long it will wait should it be refused; undefined: not at all. */
  readonly waitMs: (() => number) | undefined;
  /** For how long a lock is tried that nobody is known to hold. */
  readonly patienceMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called before each try. */
  readonly onSend: (() => void) | undefined;
}

/** Stands for a lock until it is elected, or somebody else holds it. */
export async function elect(candidate: Candidate, patience: Patience): Promise<Outcome> {
  const deadline = performance.now() + patience.patienceMs;
  for (let splits = 0; ; ) {
    patience.onSend?.();
    const startedAt = performance.now();
    const outcome = await candidate.stand(patience.waitMs?.());
    if (outcome.outcome === "elected") return outcome;
    // The same request goes on behind the ids that were taken back before.
    if (isWithdrawn(outcome.answers)) continue;
    if (outcome.outcome === "too_late" || !isSplit(outcome.answers)) return outcome;
    const now = performance.now();
    const pauseMs = pauseAfterSplit(splits++, now - startedAt);
    if (now + pauseMs >= deadline || patience.signal?.aborted) return outcome;
    await sleep(pauseMs);
  }
}

/** Why it was not elected. */
export function reasonOf(
  key: Key,
  request: AcquireRequest,
  candidate: Candidate,
  { outcome, answers }: Exclude<Outcome, Elected>,
): LockkeeperError {
  const states = [...answers.values()];
  const granted = states.filter(
    (answer) => answer.state === "answered" && answer.reply.outcome === "granted",
  );
  const unknown = states.filter(({ state }) => state === "unknown");
  // What is not known was taken back where nobody can ask for it again.
  const mayBeHeld = granted.length + unknown.length >= majorityOf(answers.size) && unknown.length > 0;
  if (mayBeHeld && candidate.named === "by_caller") return maybeDone(answers);
  if (outcome === "too_late") {
    return new UnavailableError(
      "A majority of the masters voted for this, but too late for the lease. All was given back; nothing is held.",
    );
  }
  return refusalOf(key, request, answers);
}
