import type { Attempts } from "./locking-client.ts";

const REFUSED = ["held", "timeout", "queue_full", "unavailable", "lost"];

/**
 * Converts an error to the fields of a history entry. The type is `fail` for a call that was certainly not executed and
 * `info` for a call that may have been executed or may still be.
 */
export function describeFailure(error: unknown) {
  const code =
    error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : String(error);
  const asked = getAttempts(error instanceof Error && "asked" in error ? (error as Attempts) : {});
  // An earlier attempt without a reply may still be executed.
  const isCertain = REFUSED.includes(code) && asked.asked === undefined;
  return { type: isCertain ? ("fail" as const) : ("info" as const), code, ...asked };
}

export function getAttempts({ asked = 1 }: Attempts): Attempts {
  return asked > 1 ? { asked } : {};
}
