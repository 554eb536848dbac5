import { createHash } from "node:crypto";
import { type ApiResponse, createJsonResponse } from "./http-exchange.ts";

/** Headers for caching: only the client may cache the response, and it must revalidate its copy. */
const ETAG_HEADERS = { "cache-control": "private, no-cache" };
/** Precision of deadlines in an ETag, in ms. Deadlines that are computed from two reads can differ by rounding. */
const DEADLINE_PRECISION_MS = 50;

/** Creates a response with an ETag of its content, so that an unchanged body is not sent again. */
export function createTaggedResponse(value: object): ApiResponse {
  return createJsonResponse(200, value, { headers: { ...ETAG_HEADERS, etag: computeEtag(value) } });
}

/**
 * Computes a weak ETag, which is the same for two reads of an unchanged value although `asOf` and the remaining times
 * differ: remaining times are hashed as deadlines, which also remain correct in the client's copy.
 */
export function computeEtag(value: object): string {
  const parts: (string | number | boolean | null | undefined)[] = [];
  collectParts(value, undefined, parts);
  return `W/"${createHash("sha1").update(parts.join("\0")).digest("base64url")}"`;
}

function collectParts(value: unknown, asOf: number | undefined, parts: unknown[]): void {
  if (typeof value !== "object" || value === null) {
    parts.push(typeof value, value);
    return;
  }
  if (Array.isArray(value)) {
    parts.push("[", value.length);
    for (const item of value) collectParts(item, asOf, parts);
    return;
  }
  const own = "asOf" in value && typeof value.asOf === "number" ? value.asOf : asOf;
  parts.push("{");
  for (const [name, member] of Object.entries(value)) {
    // `watchedMs` grows with `asOf`, because it counts from a fixed time.
    if (name === "asOf" || name === "watchedMs" || member === undefined) continue;
    const isLeft = name === "remainingMs" && typeof member === "number" && own !== undefined;
    parts.push(name);
    collectParts(isLeft ? Math.round((member + own) / DEADLINE_PRECISION_MS) : member, own, parts);
  }
}

/** Replaces a body that the client already has with a 304 response. */
export function applyIfNoneMatch(response: ApiResponse, ifNoneMatch: string | undefined): ApiResponse {
  const { etag } = response.headers;
  if (etag === undefined || ifNoneMatch === undefined || !isEtagListed(etag, ifNoneMatch)) return response;
  return { status: 304, headers: { ...ETAG_HEADERS, etag } };
}

/** Compares tags weakly (RFC 9110). */
function isEtagListed(etag: string, ifNoneMatch: string): boolean {
  const bare = (tag: string) => tag.trim().replace(/^W\//, "");
  return ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => bare(tag) === bare(etag));
}
