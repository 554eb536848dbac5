import { InvalidError } from "../../errors/request-errors.ts";
import type { ConditionVerbs } from "../verbs/contract/condition-verbs.ts";
import type { VerbHold } from "../verbs/contract/grant.ts";
import type { LatchVerbs } from "../verbs/contract/latch-verbs.ts";
import type { AcquireOptions } from "../verbs/contract/verbs.ts";
import { createConditionUnsupportedError } from "../verbs/error-factories.ts";

const refuseLatch = () => Promise.reject(createUnsupportedError("latches"));

/** The latch verbs of a quorum. They reject every call, because a quorum does not support latches. */
export const NO_LATCHES: LatchVerbs = {
  trySetCount: refuseLatch,
  countDown: refuseLatch,
  getCount: refuseLatch,
  wait: refuseLatch,
};

const refuseCondition = ({ key }: VerbHold) =>
  Promise.reject(createConditionUnsupportedError(key, "A lock on a quorum has no conditions."));

/** The condition verbs of a quorum. They reject every call, because a quorum does not support conditions. */
export const NO_CONDITIONS: ConditionVerbs = { await: refuseCondition, signal: refuseCondition };

/**
 * Creates the error for objects that a quorum does not support.
 *
 * @param what the plural name of the objects, such as `semaphores`
 */
export function createUnsupportedError(what: string): InvalidError {
  return new InvalidError(`A quorum does not support ${what}. Nothing was done.`, {});
}

/** Rejects `onDeadlock: "refuse"`, because no master sees all waiters of a quorum. @throws InvalidError */
export function assertNoRefusal({ onDeadlock }: Pick<AcquireOptions, "onDeadlock">): void {
  if (onDeadlock !== "refuse") return;
  throw new InvalidError("On a quorum, deadlocks are not detected. Omit onDeadlock, and set waitMs.", {
    field: "onDeadlock",
  });
}
