import {
  MEANING_OF_OUTCOME,
  MEANING_OF_RETRY,
  type ProblemOutcome,
  type ProblemRetry,
} from "@/lib/contract/problems/problem-kind.ts";

/** The pages that document problem codes. */
export const problemPages = {
  namespace: "problemPages" as const,
  title: "Problem codes",
  intro:
    "Every error response of the API is a problem document (RFC 9457). Decide by its `code`, not by its `title` or `detail`. Its `type` is the address of the page of its code.",
  /** Of a page that is not English; null: it is. */
  isEnglish: null as string | null,
  allCodes: "All problem codes",
  code: "Code",
  status: "Status",
  name: "Title",
  done: "Anything done?",
  retry: "Retry?",
  whatHappened: "What happened",
  whatToDo: "What to do",
  fields: "Additional fields",
  noFields: "This code adds no fields.",
  field: "Field",
  type: "Type",
  description: "Description",
  optional: "optional",
  example: "Example",
  exampleNote: "The problem document as sent, with the content type `application/problem+json`.",
  retryAfter: "The header `Retry-After` has the number of seconds to wait.",
  outcomeLabels: {
    not_done: "No",
    unconfirmed: "Not confirmed",
    unknown: "Unknown",
    ended: "No; the hold has ended",
  } satisfies Record<ProblemOutcome, string>,
  outcomes: MEANING_OF_OUTCOME as Readonly<Record<ProblemOutcome, string>>,
  retryLabels: {
    never: "No",
    after_change: "After a correction",
    after_delay: "After a pause",
    same_idempotency_key: "With the same Idempotency-Key",
    new_idempotency_key: "With a new Idempotency-Key",
  } satisfies Record<ProblemRetry, string>,
  retries: MEANING_OF_RETRY as Readonly<Record<ProblemRetry, string>>,
};
