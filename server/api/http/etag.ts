import { createHash } from "node:crypto";
import { type ApiResponse, createJsonResponse } from "./http-exchange.ts";

/** Caching headers. Only the client may cache the response, and it must revalidate its copy before each use. */
const ETAG_HEADERS = { "cache-control": "private, no-cache" };
/**
 * Precision of the deadlines in an ETag, in ms. Rounding can cause small differences between deadlines that are
 * computed from two reads.
 */
const DEADLINE_PRECISION_MS = 50;

/**
 * Creates a response with an ETag of its content. A client that sends the ETag with its next request does not receive
 * an unchanged body again.
 */
export function createTaggedResponse(value: object): ApiResponse {
  return createJsonResponse(200, value, { headers: { ...ETAG_HEADERS, etag: computeEtag(value) } });
}

/**
 * Computes a weak ETag. Two reads of an unchanged value normally produce the same ETag, although `asOf`, `watchedMs`
 * and the remaining times differ: `asOf` and `watchedMs` are ignored, and remaining times are hashed as deadlines,
 * rounded to 50 ms. A client that does not receive the body again can still compute correct deadlines from its copy.
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
    // `watchedMs` is ignored like `asOf`, because it counts from a fixed time and thus grows with `asOf`.
    if (name === "asOf" || name === "watchedMs" || member === undefined) continue;
    const isLeft = name === "remainingMs" && typeof member === "number" && own !== undefined;
    parts.push(name);
    collectParts(isLeft ? Math.round((member + own) / DEADLINE_PRECISION_MS) : member, own, parts);
  }
}

/** Returns a 304 response if `ifNoneMatch` matches the ETag of `response`, and otherwise `response`. */
export function applyIfNoneMatch(response: ApiResponse, ifNoneMatch: string | undefined): ApiResponse {
  const { etag } = response.headers;
  if (etag === undefined || ifNoneMatch === undefined || !isEtagListed(etag, ifNoneMatch)) return response;
  return { status: 304, headers: { ...ETAG_HEADERS, etag } };
}

/** Returns whether an `If-None-Match` header contains the ETag, by weak comparison (RFC 9110, section 8.8.3.2). */
function isEtagListed(etag: string, ifNoneMatch: string): boolean {
  const bare = (tag: string) => tag.trim().replace(/^W\//, "");
  return ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => bare(tag) === bare(etag));
}
