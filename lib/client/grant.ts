import { isSameKey } from "../keys/key.ts";
import { ApiError } from "./api-error.ts";
import type { ApiResponse } from "./api-transport.ts";
import type { Released } from "./hold-options.ts";
import { computeElapsedMs, type Moment } from "./moment.ts";
import type { ReceivedReleaseRequest } from "./release-requests.ts";
import { readAmount, readList, readObject, readText } from "./untrusted.ts";
import type { WritableFormat } from "./wire-types.ts";

/** A hold as returned by the server. */
export interface Grant {
  readonly holdId: string;
  readonly fence: string;
  readonly owner: string;
  readonly format: WritableFormat;
  readonly count: number;
  readonly leaseMs: number;
  /** Moment just before the request was sent. */
  readonly sentAt: Moment;
  /** Time from `sentAt` to the end of the lease, in milliseconds. */
  readonly leftMs: number;
  /** The most recent operator request to release the hold; `undefined` if there is none. */
  readonly releaseRequested?: ReceivedReleaseRequest | undefined;
}

const REQUEST_STATES = ["requested", "accepted", "refused"] as const;
const HOLD_ID = /^h1\.[A-Za-z0-9_-]{1,2400}$/;
const FENCE = /^\d{1,20}$/;
const FORMATS = ["redisson", "token", "timestamp"] as const satisfies WritableFormat[];
const OUTCOMES = ["released", "still_held", "not_held"] as const satisfies Released["outcome"][];

/**
 * Reads the hold of the lock at `key` from a response. Compares the key, because a proxy may have returned the response
 * of another request.
 *
 * @throws ApiError with the code `unexpected_response` if the hold is of another key, or a required field is missing or
 * malformed
 */
export function readGrant(key: string, response: ApiResponse): Grant {
  const { value, sentAt } = response;
  const hold = readObject(value) ?? {};
  if (!isSameKey(key, hold)) throw createFieldError("key", response.status);
  const holdId = readField(response, "holdId", matchPattern(HOLD_ID));
  const fence = readField(response, "fence", matchPattern(FENCE));
  const format = readField(response, "format", matchOneOf(FORMATS));
  const count = readField(response, "count", readAmount);
  const leaseMs = readField(response, "leaseMs", readAmount);
  const remainingMs = readField(response, "remainingMs", readAmount);
  // Limits `waitedMs`, because the server cannot have waited for longer than the request took.
  const waitedMs = Math.min(readAmount(hold.waitedMs) ?? 0, computeElapsedMs(sentAt));
  const owner = readText(hold.owner) ?? "";
  const releaseRequested = readReleaseRequest(hold.releaseRequested);
  const leftMs = waitedMs + remainingMs;
  return { holdId, fence, owner, format, count, leaseMs, sentAt, leftMs, releaseRequested };
}

/**
 * Parses the release request in a server response. Returns `undefined` if there is none or it is malformed. Version 0.2
 * servers never send one.
 */
export function readReleaseRequest(value: unknown): ReceivedReleaseRequest | undefined {
  const request = readObject(value) ?? {};
  const requestId = readText(request.requestId);
  const state = matchOneOf(REQUEST_STATES)(request.state);
  if (requestId === undefined || state === undefined) return undefined;
  const [reason = "", requestedBy = ""] = [readText(request.reason), readText(request.requestedBy)];
  return { requestId, reason, requestedBy, requestedAt: readAmount(request.requestedAt) ?? 0, state };
}

/**
 * Reads the holds of several locks that were acquired together. Returns them in the same order as `keys`.
 *
 * @throws ApiError with the code `unexpected_response` if the holds do not match the keys, or a required field is
 * missing or malformed
 */
export function readGrants(keys: readonly string[], response: ApiResponse): Grant[] {
  const holds = readField(response, "holds", readList);
  const waitedMs = readObject(response.value)?.waitedMs;
  if (holds.length !== keys.length) throw createFieldError("holds", response.status);
  return keys.map((key, at) =>
    readGrant(key, { ...response, value: { ...readObject(holds[at]), waitedMs } }),
  );
}

/** @throws ApiError with the code `unexpected_response` if `outcome` is missing or unknown */
export function readReleased(response: ApiResponse): Released {
  const outcome = readField(response, "outcome", matchOneOf(OUTCOMES));
  return { outcome, count: readAmount(readObject(response.value)?.count) ?? 0 };
}

/**
 * Returns whether the response states that the hold exists.
 *
 * @throws ApiError with the code `unexpected_response` if the field is missing or malformed
 */
export function readHeld(response: ApiResponse): boolean {
  return readField(response, "held", (held) => (typeof held === "boolean" ? held : undefined));
}

/**
 * Reads a required field of a response.
 *
 * @param read returns `undefined` if the value is malformed
 * @throws ApiError with the code `unexpected_response` if the field is missing or malformed
 */
export function readField<Value>(
  { value, status }: ApiResponse,
  field: string,
  read: (value: unknown) => Value | undefined,
): Value {
  const result = read(readObject(value)?.[field]);
  if (result === undefined) throw createFieldError(field, status);
  return result;
}

export function createFieldError(field: string, status: number): ApiError {
  const detail = `The response of the server has no valid ${field}. Check the URL.`;
  return new ApiError({ code: "unexpected_response", detail, status });
}

function matchPattern(pattern: RegExp) {
  return (value: unknown) => (typeof value === "string" && pattern.test(value) ? value : undefined);
}

function matchOneOf<Value>(values: readonly Value[]) {
  return (value: unknown) => values.find((each) => each === value);
}
