import { HOLDING_MAX } from "../../lib/contract/actions/verb.ts";
import type { HeldFacts } from "./held-lock.ts";

const API_KEY = "LOCKKEEPER_API_KEY";
/**
 * Environment variable in which nested `lockkeeper run` processes pass on their `holdId`s, outermost first, separated
 * by spaces.
 */
const HOLDING = "LOCKKEEPER_HOLDING";

const HOLD_ID = /^h1\.[A-Za-z0-9_-]{1,2400}$/;

type Variables = Readonly<Record<string, string | undefined>>;

export interface CommandEnvironmentOptions {
  /** The acquired holds, in the same order as the keys on the command line. */
  readonly holds: readonly HeldFacts[];
  readonly apiKey: "pass" | "remove";
}

/**
 * Creates the environment of the command from the environment of this process. Adds variables that describe the holds,
 * and removes the API key unless `apiKey` is `pass`.
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

/** Creates the environment of the guardian from the environment of this process, without the API key. */
export function createGuardianEnvironment(variables: Variables): NodeJS.ProcessEnv {
  return toProcessEnv({ ...variables, [API_KEY]: undefined });
}

/**
 * Casts variables to `NodeJS.ProcessEnv`. A cast is required because Next's types declare NODE_ENV as required, but
 * child processes may run without NODE_ENV.
 */
function toProcessEnv(variables: Variables): NodeJS.ProcessEnv {
  return variables as NodeJS.ProcessEnv;
}

/**
 * Returns the `holdId`s of the enclosing `lockkeeper run` processes, which keep their holds while this process waits.
 * Limited to the innermost `HOLDING_MAX` holds, the maximum that a waiter can declare.
 */
export function readEnclosingHolds(variables: Variables): string[] {
  const words = (variables[HOLDING] ?? "").split(/\s+/);
  return words.filter((word) => HOLD_ID.test(word)).slice(-HOLDING_MAX);
}

/**
 * Formats the value of `LOCKKEEPER_HOLDING` for a command that runs with `holds` in addition to the enclosing holds.
 * Limited to the innermost `HOLDING_MAX` holds.
 */
export function formatEnclosingHolds(
  variables: Variables,
  holds: readonly { readonly holdId: string }[],
): string {
  const holdIds = [...readEnclosingHolds(variables), ...holds.map(({ holdId }) => holdId)];
  return holdIds.slice(-HOLDING_MAX).join(" ");
}
