import type { HeldLock } from "./held-lock.ts";

const API_KEY = "LOCKKEEPER_API_KEY";

export interface CommandEnvironmentOptions {
  readonly key: string;
  readonly hold: Pick<HeldLock, "fence" | "holdId">;
  readonly apiKey: "pass" | "remove";
}

/** Creates the environment of the command: the one of this process with the facts of the hold, and without the API key. */
export function createCommandEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
  { key, hold, apiKey }: CommandEnvironmentOptions,
): NodeJS.ProcessEnv {
  const facts = { LOCKKEEPER_KEY: key, LOCKKEEPER_FENCE: hold.fence, LOCKKEEPER_HOLD_ID: hold.holdId };
  return toProcessEnv({ ...variables, ...(apiKey === "pass" ? {} : { [API_KEY]: undefined }), ...facts });
}

/** Creates the environment of the guardian, which needs no secret. */
export function createGuardianEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
): NodeJS.ProcessEnv {
  return toProcessEnv({ ...variables, [API_KEY]: undefined });
}

/** Next declares NODE_ENV as always set, which does not apply to the processes that are started here. */
function toProcessEnv(variables: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  return variables as NodeJS.ProcessEnv;
}
