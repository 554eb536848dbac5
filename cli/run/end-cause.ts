/**
 * The cause for terminating the command. `lost`: the hold was lost. `not_renewed`: the lease was not renewed and is
 * about to end. `ended_by_guardian`: like `not_renewed`, but the guardian has already sent the signal. `unguarded`: the
 * guardian was killed and cannot be replaced.
 */
export type EndCause =
  | { readonly kind: "lost" | "unguarded"; readonly reason: string }
  | { readonly kind: "not_renewed" | "ended_by_guardian" };

/** Describes the cause in one sentence for the user. */
export function describeEndCause(cause: EndCause, key: string): string {
  switch (cause.kind) {
    case "lost":
      return cause.reason;
    case "not_renewed":
      return `The lease of ${key} was not renewed and is about to end.`;
    case "ended_by_guardian":
      return `The lease of ${key} was not renewed and is about to end, as the guardian process found.`;
    case "unguarded":
      return `The guardian process was killed, and another one could not be started (${cause.reason}).`;
  }
}
