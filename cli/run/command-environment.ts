import { HOLDING_MAX } from "../../lib/contract/actions/verb.ts";
import type { HeldFacts } from "./held-lock.ts";

const API_KEY = "LOCKKEEPER_API_KEY";
/** The variable with the `holdId`s of the runs around a command, outermost first, separated by spaces. */
const HOLDING = "LOCKKEEPER_HOLDING";

const HOLD_ID = /^h1\.[A-Za-z0-9_-]{1,2400}$/;

type Variables = Readonly<Record<string, string | undefined>>;

export interface CommandEnvironmentOptions {
  /** In the order of the keys on the command line. */
  readonly holds: readonly HeldFacts[];
  readonly apiKey: "pass" | "remove";
}

/**
 * Creates the environment of the command: the environment of this process without the API key, plus the facts of the
 * holds.
 */
export function createCommandEnvironment(
  variables: Variables,
  { holds, apiKey }: CommandEnvironmentOptions,
): NodeJS.ProcessEnv {
  const [first] = holds;
  const facts = {
    LOCKKEEPER_KEY: first?.key,
    LOCKKEEPER_FENCE: first?.fence,
    LOCKKEEPER_HOLD_ID: first?.holdId,
    LOCKKEEPER_LOCKS: JSON.stringify(holds),
    [HOLDING]: formatEnclosingHolds(variables, holds),
  };
  return toProcessEnv({ ...variables, ...(apiKey === "pass" ? {} : { [API_KEY]: undefined }), ...facts });
}

/** Creates the environment of the guardian, without secrets, because the guardian needs none. */
export function createGuardianEnvironment(variables: Variables): NodeJS.ProcessEnv {
  return toProcessEnv({ ...variables, [API_KEY]: undefined });
}

/** Casts variables to the type that Next extends with a required NODE_ENV. Processes started here may lack it. */
function toProcessEnv(variables: Variables): NodeJS.ProcessEnv {
  return variables as NodeJS.ProcessEnv;
}

/**
 * Reads which holds the runs around this one keep while it waits. At most as many as a waiter can declare, of the
 * innermost runs.
 */
export function readEnclosingHolds(variables: Variables): string[] {
  const words = (variables[HOLDING] ?? "").split(/\s+/);
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
