import type { z } from "zod";

/** Whether a request that failed changed anything, in the words of the problem pages. */
export const MEANING_OF_OUTCOME = {
  not_done: "Nothing was changed.",
  unconfirmed: "The change was made on the master, but too few replicas confirmed it in time.",
  unknown: "The request may or may not have been carried out.",
  ended: "Nothing was changed. The hold has ended.",
} as const;
export type ProblemOutcome = keyof typeof MEANING_OF_OUTCOME;

/** Whether and how a client sends a failed request again, in the words of the problem pages. */
export const MEANING_OF_RETRY = {
  never: "Do not retry. The same request fails again.",
  after_change: "Do not retry the same request. Correct it first, or what it depends on.",
  after_delay: "Wait, then send the same request again.",
  same_idempotency_key: "Send the same request again with the same Idempotency-Key.",
  new_idempotency_key: "Wait, then send the request again with a new Idempotency-Key.",
} as const;
export type ProblemRetry = keyof typeof MEANING_OF_RETRY;

/** What is documented of one code beyond its status and title. */
export interface ProblemKind {
  /** What happened, in one or two sentences. */
  readonly meaning: string;
  readonly outcome: ProblemOutcome;
  readonly retry: ProblemRetry;
  /** The response has the header `Retry-After`, in seconds. */
  readonly sendsRetryAfter?: true;
  /** What the caller does about it, in the imperative. */
  readonly remedy: string;
  /** The fields that this code adds to the document. */
  readonly facts: z.ZodRawShape;
  /** `detail` and the additional fields, as sent. */
  readonly example: { readonly detail: string; readonly [fact: string]: unknown };
}
