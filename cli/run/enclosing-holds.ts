import { HOLDING_MAX } from "../../lib/contract/actions/verb.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** The variable with the `holdId`s of the runs around a command, outermost first, separated by spaces. */
export const HOLDING_VARIABLE = "LOCKKEEPER_HOLDING";

const HOLD_ID = /^h1\.[A-Za-z0-9_-]{1,2400}$/;

/**
 * Reads which holds the runs around this one keep while it waits. At most as many as a waiter can declare, of the
 * innermost runs.
 */
export function readEnclosingHolds(variables: Variables): string[] {
  const words = (variables[HOLDING_VARIABLE] ?? "").split(/\s+/);
  return words.filter((word) => HOLD_ID.test(word)).slice(-HOLDING_MAX);
}

/** Returns the value of the variable for a command that is run while holding `holds` as well. */
export function formatEnclosingHolds(
  variables: Variables,
  holds: readonly { readonly holdId: string }[],
): string {
  const holdIds = [...readEnclosingHolds(variables), ...holds.map(({ holdId }) => holdId)];
  return holdIds.slice(-HOLDING_MAX).join(" ");
}
