import type { Attempts } from "./locking-client.ts";

const REFUSED = ["held", "timeout", "queue_full", "unavailable", "lost"];

/** What certainly was not done is a failure; what may have been done, or may be done yet, is `info`. */
export function describeFailure(error: unknown) {
  const code =
    error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : String(error);
  const asked = getAttempts(error instanceof Error && "asked" in error ? (error as Attempts) : {});
  // What was asked before without an answer may be carried out yet.
  const isCertain = REFUSED.includes(code) && asked.asked === undefined;
  return { type: isCertain ? ("fail" as const) : ("info" as const), code, ...asked };
}

export function getAttempts({ asked = 1 }: Attempts): Attempts {
  return asked > 1 ? { asked } : {};
}
