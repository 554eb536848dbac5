import type { KeyFields } from "../../../lib/keys/key.ts";
import { DeadlockError } from "../../errors/lock-errors.ts";
import type { DeadlockStep } from "./deadlock-refusals.ts";

/** Creates the error for a wait that was refused because of a deadlock. */
export function createDeadlockError(fields: KeyFields, cycle: readonly DeadlockStep[]): DeadlockError {
  const waits = cycle.map((step) => `${JSON.stringify(step.owner)} waits for ${JSON.stringify(step.key)}`);
  const what = waits.length === 0 ? "" : ` ${waits.join(", ")}.`;
  return new DeadlockError(
    `The wait was part of a deadlock, so it was refused.${what} Release your locks, then retry.`,
    { ...fields, cycle },
  );
}

/** Returns a copy of the error without the steps whose lock the caller is not allowed to see. */
export function hideSteps({ facts }: DeadlockError, canSee: (key: string) => boolean): DeadlockError {
  const { cycle, ...fields } = facts;
  return createDeadlockError(
    fields,
    cycle.filter(({ key }) => canSee(key)),
  );
}
