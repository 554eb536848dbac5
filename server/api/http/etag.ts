import { createHash } from "node:crypto";
import { type ApiResponse, createJsonResponse } from "./http-exchange.ts";

/** Kept by the client alone, and asked about each time. */
const ETAG_HEADERS = { "cache-control": "private, no-cache" };
/** A deadline that is told from two looks may differ by what was rounded. */
const DEADLINE_PRECISION_MS = 50;

/** What was looked at, with a tag of its content: a client that has it already is spared the body. */
export function createTaggedResponse(value: object): ApiResponse {
  return createJsonResponse(200, value, { headers: { ...ETAG_HEADERS, etag: computeEtag(value) } });
}

/**
 * Weak: two looks at what has not changed have one tag, although `asOf` differs and less is left of a lease. So what is
 * left counts as the deadline that it stands for, and a client that keeps the body it has still knows the right one.
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
    // For how long a hold was watched is counted from a moment that stays.
    if (name === "asOf" || name === "watchedMs" || member === undefined) continue;
    const isLeft = name === "remainingMs" && typeof member === "number" && own !== undefined;
    parts.push(name);
    collectParts(isLeft ? Math.round((member + own) / DEADLINE_PRECISION_MS) : member, own, parts);
  }
}

/** 304 in place of a body that the client has. */
export function applyIfNoneMatch(response: ApiResponse, ifNoneMatch: string | undefined): ApiResponse {
  const { etag } = response.headers;
  if (etag === undefined || ifNoneMatch === undefined || !isEtagListed(etag, ifNoneMatch)) return response;
  return { status: 304, headers: { ...ETAG_HEADERS, etag } };
}

/** The weak comparison of RFC 9110. */
function isEtagListed(etag: string, ifNoneMatch: string): boolean {
  const bare = (tag: string) => tag.trim().replace(/^W\//, "");
  return ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => bare(tag) === bare(etag));
}
