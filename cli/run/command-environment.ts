import { formatEnclosingHolds, HOLDING_VARIABLE } from "./enclosing-holds.ts";
import type { HeldFacts } from "./held-lock.ts";

const API_KEY = "LOCKKEEPER_API_KEY";

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
  variables: Readonly<Record<string, string | undefined>>,
  { holds, apiKey }: CommandEnvironmentOptions,
): NodeJS.ProcessEnv {
  const [first] = holds;
  const facts = {
    LOCKKEEPER_KEY: first?.key,
    LOCKKEEPER_FENCE: first?.fence,
    LOCKKEEPER_HOLD_ID: first?.holdId,
    LOCKKEEPER_LOCKS: JSON.stringify(holds),
    [HOLDING_VARIABLE]: formatEnclosingHolds(variables, holds),
  };
  return toProcessEnv({ ...variables, ...(apiKey === "pass" ? {} : { [API_KEY]: undefined }), ...facts });
}

/** Creates the environment of the guardian, without secrets, because the guardian needs none. */
export function createGuardianEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
): NodeJS.ProcessEnv {
  return toProcessEnv({ ...variables, [API_KEY]: undefined });
}

/** Casts variables to the type that Next extends with a required NODE_ENV. Processes started here may lack it. */
function toProcessEnv(variables: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  return variables as NodeJS.ProcessEnv;
}
