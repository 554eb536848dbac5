import { setTimeout as sleep } from "node:timers/promises";
import type { Key } from "../../../lib/keys/key.ts";
import type { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { UnavailableError } from "../../errors/redis-errors.ts";
import type { AcquireRequest } from "../../formats/lock-writer.ts";
import { majorityOf } from "../../redis/majority.ts";
import type { StopSignal } from "../verbs/verbs.ts";
import type { Candidate, Elected, Outcome } from "./quorum-attempt.ts";
import { isSplit, isTooFew, isWithdrawn, maybeDone, refusalOf } from "./quorum-errors.ts";
import { pauseAfterSplit } from "./time-limits.ts";

export interface Patience {
  /** How long it will wait should it be refused; undefined: not at all. */
  readonly waitMs: (() => number) | undefined;
  /** For how long a lock is tried that nobody is known to hold. */
  readonly patienceMs: number;
  /** For how long it outlasts that too few masters answer. */
  readonly outlastsMs: number;
  readonly signal?: StopSignal | undefined;
  /** Called before each try. */
  readonly onSend: (() => void) | undefined;
}

/** Stands for a lock until it is elected, or somebody else holds it. */
export async function elect(candidate: Candidate, patience: Patience): Promise<Outcome> {
  const begunAt = performance.now();
  for (let tried = 0; ; ) {
    patience.onSend?.();
    const sentAt = performance.now();
    const outcome = await candidate.stand(patience.waitMs?.());
    if (outcome.outcome === "elected") return outcome;
    // The same request goes on behind the ids that were taken back before.
    if (isWithdrawn(outcome.answers)) continue;
    const pauseMs = pauseAfterSplit(tried, performance.now() - sentAt);
    const spentMs = performance.now() - begunAt + pauseMs;
    if (patience.signal?.aborted || spentMs >= limitMs(outcome, patience, tried)) return outcome;
    tried++;
    await sleep(pauseMs);
  }
}

/** Up to when such an outcome is followed by another try. */
function limitMs({ outcome, answers }: Exclude<Outcome, Elected>, patience: Patience, tried: number): number {
  if (isTooFew(answers)) return patience.outlastsMs;
  // A master that voted and went away before all had agreed took the time for it; it is known to be away now.
  if (outcome === "too_late") return tried === 0 ? Number.POSITIVE_INFINITY : patience.patienceMs;
  return isSplit(answers) ? patience.patienceMs : 0;
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
  const unknown = states.filter(({ state }) => state === "unknown" || state === "late");
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
