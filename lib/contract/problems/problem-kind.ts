import type { z } from "zod";

/** Sentences that describe the effect of a failed request, as shown on the problem pages. */
export const MEANING_OF_OUTCOME = {
  not_done: "Nothing was changed.",
  unconfirmed: "The change was made on the master, but too few replicas confirmed it in time.",
  unknown: "The request may or may not have been carried out.",
  ended: "Nothing was changed. The hold has ended.",
} as const;
export type ProblemOutcome = keyof typeof MEANING_OF_OUTCOME;

/** Sentences that advise on retrying a failed request, as shown on the problem pages. */
export const MEANING_OF_RETRY = {
  never: "Do not retry. The same request fails again.",
  after_change: "Do not retry the same request. First correct the request, or the state that it depends on.",
  after_delay: "Wait, then send the same request again.",
  same_idempotency_key: "Send the same request again with the same Idempotency-Key.",
  new_idempotency_key: "Wait, then send the request again with a new Idempotency-Key.",
} as const;
export type ProblemRetry = keyof typeof MEANING_OF_RETRY;

/** The documentation of one error code, except for its status and title. */
export interface ProblemKind {
  /** One or two sentences that state what happened. */
  readonly meaning: string;
  readonly outcome: ProblemOutcome;
  readonly retry: ProblemRetry;
  /** Whether the response has a `Retry-After` header. */
  readonly sendsRetryAfter?: true;
  /** What the caller should do. */
  readonly remedy: string;
  /** Additional fields of the problem document. */
  readonly facts: z.ZodRawShape;
  /** Values of `detail` and of the additional fields in the example document. */
  readonly example: { readonly detail: string; readonly [fact: string]: unknown };
}
