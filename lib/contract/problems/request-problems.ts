import { z } from "zod";
import type { ProblemKind } from "./problem-kind.ts";

/** Problems caused by the request or its caller. */
export const REQUEST_PROBLEMS = {
  invalid: {
    meaning: "A parameter or a field of the body is missing, malformed or out of range.",
    outcome: "not_done",
    retry: "after_change",
    remedy: "Correct the fields that `errors` or `field` names.",
    facts: {
      field: z.string().optional().meta({ description: "The invalid field, if there is exactly one." }),
      errors: z
        .array(z.object({ field: z.string(), message: z.string() }).meta({ id: "FieldError" }))
        .optional()
        .meta({ description: "The invalid fields, at most ten." }),
    },
    example: {
      detail: "Body, leaseMs: must be at least 10.",
      errors: [{ field: "leaseMs", message: "must be at least 10" }],
    },
  },
  idempotency_key_required: {
    meaning:
      "The request changes the count of a hold. Without an `Idempotency-Key`, a retry would count twice.",
    outcome: "not_done",
    retry: "after_change",
    remedy: "Send the request with an `Idempotency-Key`.",
    facts: {},
    example: {
      detail:
        "The hold was re-entered, so its release requires an Idempotency-Key: without one, a retry would release it twice. Nothing was done.",
    },
  },
  invalid_hold_id: {
    meaning: "The value is not a `holdId`, or it belongs to another key or target than the path.",
    outcome: "not_done",
    retry: "after_change",
    remedy:
      "Send the `holdId` exactly as `acquire` returned it, with the key and target for which it was acquired.",
    facts: {},
    example: { detail: "The holdId in the path is not a holdId returned by acquire." },
  },
  idempotency_key_reused: {
    meaning: "The `Idempotency-Key` was sent before with another operation, path or body.",
    outcome: "not_done",
    retry: "after_change",
    remedy:
      "Create a new `Idempotency-Key` for each new request. Repeat one only with the identical request.",
    facts: {},
    example: {
      detail: "This Idempotency-Key was used for another request. Use a new one for a new request.",
    },
  },
  unauthenticated: {
    meaning: "The request has no credentials, or they are unknown, expired or revoked.",
    outcome: "not_done",
    retry: "after_change",
    remedy: "Send `Authorization: Bearer <API key>`, or log in to the console again.",
    facts: {},
    example: { detail: "The API key is unknown." },
  },
  forbidden: {
    meaning: "The credentials are valid but do not permit this operation, target or key.",
    outcome: "not_done",
    retry: "never",
    remedy: "Use an API key that has the required access, or ask an administrator to grant it.",
    facts: {},
    example: { detail: 'mei does not have the required access: `force` on the target "main". It has read.' },
  },
  not_found: {
    meaning: "No resource has this path, or no target has this name.",
    outcome: "not_done",
    retry: "after_change",
    remedy: "Check the path and `target`. `detail` lists what exists.",
    facts: {},
    example: {
      detail: 'There is no target "orders". Use one of "default", or omit `target` for the first one.',
    },
  },
  method_not_allowed: {
    meaning: "The path exists but does not support the method.",
    outcome: "not_done",
    retry: "after_change",
    remedy: "Use one of the methods in `allowed`.",
    facts: { allowed: z.string().meta({ description: "The supported methods, as in the `Allow` header." }) },
    example: { detail: "This path supports GET.", allowed: "GET" },
  },
  request_timeout: {
    meaning: "The headers did not arrive within 10 s, or the body within 20 s.",
    outcome: "not_done",
    retry: "after_delay",
    remedy: "Retry, and send the whole request at once.",
    facts: {},
    example: {
      detail: "The headers must arrive within 10 s and the body within 20 s. Nothing was done.",
    },
  },
  too_large: {
    meaning: "The body is larger than the operation permits.",
    outcome: "not_done",
    retry: "after_change",
    remedy: "Send a smaller body. `detail` contains the limit. Split a bulk request into several.",
    facts: {},
    example: { detail: "The body is larger than 65536 bytes." },
  },
  uri_too_long: {
    meaning: "The URL is longer than 8,000 characters.",
    outcome: "not_done",
    retry: "after_change",
    remedy: "Shorten the URL. Write a long key as `~` followed by its base64url encoding.",
    facts: {},
    example: { detail: "The URL is longer than 8000 characters. A key is limited to 1024 bytes." },
  },
  headers_too_large: {
    meaning: "The request line and headers are larger than 16 KiB.",
    outcome: "not_done",
    retry: "after_change",
    remedy: "Send fewer or shorter headers.",
    facts: {},
    example: {
      detail: "The URL and the headers together are larger than 16384 bytes. A key is limited to 1024 bytes.",
    },
  },
  unsupported_media_type: {
    meaning: "The `Content-Type` of the body is not JSON.",
    outcome: "not_done",
    retry: "after_change",
    remedy: "Send JSON with `Content-Type: application/json`.",
    facts: {},
    example: { detail: "The Content-Type must be application/json; it is text/plain." },
  },
  last_admin: {
    meaning: "The change would leave no operator who can log in by password and administer every target.",
    outcome: "not_done",
    retry: "after_change",
    remedy: "Give another operator the role `admin` for all targets first.",
    facts: {},
    example: {
      detail:
        "This is the last operator who can log in by password and administers every target. Create another one first.",
    },
  },
  already_exists: {
    meaning: "A resource with this name already exists.",
    outcome: "not_done",
    retry: "after_change",
    remedy: "Choose another name, or use the existing resource.",
    facts: { field: z.string().meta({ description: "The field whose value is in use." }) },
    example: {
      detail: 'name: an API key named "checkout" already exists. Choose another name.',
      field: "name",
    },
  },
  api_key_inactive: {
    meaning: "The API key to rotate is expired or revoked. An inactive key gets no new secret.",
    outcome: "not_done",
    retry: "never",
    remedy: "Create a new API key.",
    facts: {
      state: z.enum(["expired", "revoked"]).meta({ description: "Why the API key cannot be rotated." }),
    },
    example: { detail: "The API key is revoked. Create a new one.", state: "revoked" },
  },
} as const satisfies Record<string, ProblemKind>;
