import {
  MEANING_OF_OUTCOME,
  MEANING_OF_RETRY,
  type ProblemOutcome,
  type ProblemRetry,
} from "@/lib/contract/problems/problem-kind.ts";

/** Messages of the reference pages for problem codes. */
export const problemPages = {
  namespace: "problemPages" as const,
  title: "Problem codes",
  intro:
    "Every error response of the API is a problem document (RFC 9457). In your client, check `code`, not `title` or `detail`. `type` is the URL of the page for that code.",
  /** A note that lists which content is shown in English because it is not translated; `null` in English. */
  isEnglish: null as string | null,
  allCodes: "All problem codes",
  code: "Code",
  status: "Status",
  name: "Title",
  done: "Carried out?",
  retry: "Retry?",
  whatHappened: "What happened",
  whatToDo: "What to do",
  fields: "Additional fields",
  noFields: "This error has no additional fields.",
  field: "Field",
  type: "Type",
  description: "Description",
  optional: "optional",
  example: "Example",
  exampleNote: "A response body with the content type `application/problem+json`.",
  retryAfter: "The `Retry-After` header contains the number of seconds to wait.",
  outcomeLabels: {
    not_done: "No",
    unconfirmed: "Not confirmed",
    unknown: "Unknown",
    ended: "No; the hold has ended",
  } satisfies Record<ProblemOutcome, string>,
  outcomes: MEANING_OF_OUTCOME as Readonly<Record<ProblemOutcome, string>>,
  retryLabels: {
    never: "No",
    after_change: "After fixing the cause",
    after_delay: "After a delay",
    same_idempotency_key: "With the same Idempotency-Key",
    new_idempotency_key: "With a new Idempotency-Key",
  } satisfies Record<ProblemRetry, string>,
  retries: MEANING_OF_RETRY as Readonly<Record<ProblemRetry, string>>,
};
