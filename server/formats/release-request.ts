import { z } from "zod";
import type { ReleaseAnswer, ReleaseRequest } from "../../lib/contract/holds/release-request.ts";
import { NAME_CHARACTERS_MAX, RELEASE_REQUEST_TEXT_MAX } from "../../lib/contract/limits.ts";
import { UnexpectedReplyError } from "../redis/failure.ts";
import type { HoldIdentity } from "./lock-requests.ts";

/**
 * Name of the field that contains the release request in a companion's record line. The field is present if the client
 * that has the hold reads release requests.
 */
export const RELEASE_REQUEST_FIELD = "releaseRequest";

/** Maximum length of a stored request in characters. All requests that the scripts write are shorter. */
const REQUEST_CHARACTERS_MAX = 4096;
const StoredText = z.string().max(RELEASE_REQUEST_TEXT_MAX);
const StoredRequest = z.tuple([
  z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  z.enum(["requested", "accepted", "refused"]),
  z.int().min(0),
  z.string().max(4 * NAME_CHARACTERS_MAX),
  StoredText,
  StoredText.nullable(),
]);

/**
 * Validates a stored release request and converts it to a `ReleaseRequest`. Returns `undefined` if the request is
 * malformed, which is possible because any client can write the companion.
 */
export function toReleaseRequest(stored: unknown): ReleaseRequest | undefined {
  const { success, data } = StoredRequest.safeParse(stored);
  if (!success) return undefined;
  const [requestId, state, requestedAt, requestedBy, reason, answerText] = data;
  return { requestId, reason, requestedBy, requestedAt, state, answerText };
}

/** Parses the release request in a reply or message. Returns `undefined` if there is no valid request. */
export function parseReleaseRequest(text: string | undefined): ReleaseRequest | undefined {
  if (text === undefined || text === "" || text.length > REQUEST_CHARACTERS_MAX) return undefined;
  try {
    return toReleaseRequest(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Parameters of a request to release a hold. Strings are limited to 200 characters and cannot contain control
 * characters.
 */
export interface ReleaseRequestParams extends HoldIdentity {
  /** Repeating a request with the same id changes nothing. */
  readonly requestId: string;
  readonly by: string;
  readonly reason: string;
}

/** Parameters of a client's response to a release request. */
export interface ReleaseAnswerParams extends HoldIdentity {
  readonly principal?: string | undefined;
  readonly requestId: string;
  readonly answer: ReleaseAnswer;
  /** At most 200 characters without control characters. */
  readonly text: string | undefined;
}

export type RequestReleaseReply =
  | { readonly outcome: "requested"; readonly request: ReleaseRequest }
  | { readonly outcome: "unsupported" | "gone" | "changed" }
  | { readonly outcome: "not_a_lock"; readonly type: string };

export type AnswerReply =
  | { readonly outcome: "answered"; readonly request: ReleaseRequest }
  | { readonly outcome: "changed" | "lost" | "not_owner" };

export function parseRequestReleaseReply(reply: unknown): RequestReleaseReply {
  const [outcome, detail = "", text] = readFields(reply);
  const request = parseReleaseRequest(text);
  if (outcome === "requested") return request ? { outcome, request } : { outcome: "unsupported" };
  if (outcome === "not_a_lock") return { outcome, type: detail };
  if (outcome === "unsupported" || outcome === "gone" || outcome === "changed") return { outcome };
  throw new UnexpectedReplyError(`request-release.lua returned ${JSON.stringify(outcome)}`);
}

export function parseAnswerReply(reply: unknown): AnswerReply {
  const [outcome, , text] = readFields(reply);
  const request = parseReleaseRequest(text);
  // If the stored request cannot be parsed, another client has overwritten it.
  if (outcome === "answered") return request ? { outcome, request } : { outcome: "changed" };
  if (outcome === "changed" || outcome === "lost" || outcome === "not_owner") return { outcome };
  throw new UnexpectedReplyError(`answer-release-request.lua returned ${JSON.stringify(outcome)}`);
}

function readFields(reply: unknown): string[] {
  if (Array.isArray(reply)) return reply.map(String);
  throw new UnexpectedReplyError(`A script returned ${typeof reply} instead of a list`);
}
