import type { z } from "zod";

/** The effect of a failed request, in the words of the problem pages. */
export const MEANING_OF_OUTCOME = {
  not_done: "Nothing was changed.",
  unconfirmed: "The change was made on the master, but too few replicas confirmed it in time.",
  unknown: "The request may or may not have been carried out.",
  ended: "Nothing was changed. The hold has ended.",
} as const;
export type ProblemOutcome = keyof typeof MEANING_OF_OUTCOME;

/** Advice on retrying a failed request, in the words of the problem pages. */
export const MEANING_OF_RETRY = {
  never: "Do not retry. The same request fails again.",
  after_change: "Do not retry the same request. First correct the request, or the state that it depends on.",
  after_delay: "Wait, then send the same request again.",
  same_idempotency_key: "Send the same request again with the same Idempotency-Key.",
  new_idempotency_key: "Wait, then send the request again with a new Idempotency-Key.",
} as const;
export type ProblemRetry = keyof typeof MEANING_OF_RETRY;

/** The documentation of one code, except for its status and title. */
export interface ProblemKind {
  /** What happened, in one or two sentences. */
  readonly meaning: string;
  readonly outcome: ProblemOutcome;
  readonly retry: ProblemRetry;
  /** Whether the response has the `Retry-After` header (in seconds). */
  readonly sendsRetryAfter?: true;
  /** What the caller should do, in the imperative. */
  readonly remedy: string;
  /** The fields that this code adds to the document. */
  readonly facts: z.ZodRawShape;
  /** The values of `detail` and the additional fields in the example document. */
  readonly example: { readonly detail: string; readonly [fact: string]: unknown };
}
