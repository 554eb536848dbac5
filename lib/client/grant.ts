import { ApiError } from "./api-error.ts";
import type { ApiResponse } from "./api-transport.ts";
import type { Released } from "./hold-options.ts";
import { computeElapsedMs, type Moment } from "./moment.ts";
import type { ReceivedReleaseRequest } from "./release-requests.ts";
import { readAmount, readObject, readText } from "./untrusted.ts";
import type { WritableFormat } from "./wire-types.ts";

/** A hold in a response of the server. */
export interface Grant {
  readonly holdId: string;
  readonly fence: string;
  readonly owner: string;
  readonly format: WritableFormat;
  readonly count: number;
  readonly leaseMs: number;
  /** The moment just before the request was sent. */
  readonly sentAt: Moment;
  /** The time left at `sentAt`, in milliseconds. */
  readonly leftMs: number;
  /** The last request to release the hold. */
  readonly releaseRequested?: ReceivedReleaseRequest | undefined;
}

const REQUEST_STATES = ["requested", "accepted", "refused"] as const;
const HOLD_ID = /^h1\.[A-Za-z0-9_-]{1,2400}$/;
const FENCE = /^\d{1,20}$/;
const FORMATS: readonly string[] = ["redisson", "token", "timestamp"] satisfies WritableFormat[];
const OUTCOMES: readonly string[] = ["released", "still_held", "not_held"] satisfies Released["outcome"][];

/** @throws ApiError with the code `unexpected_response` if a field is missing or malformed */
export function readGrant({ value, status, sentAt }: ApiResponse): Grant {
  const hold = readObject(value) ?? {};
  const { format } = hold;
  const holdId = readText(hold.holdId);
  const fence = readText(hold.fence);
  const count = readAmount(hold.count);
  const leaseMs = readAmount(hold.leaseMs);
  const remainingMs = readAmount(hold.remainingMs);
  if (holdId === undefined || !HOLD_ID.test(holdId)) throw createFieldError("holdId", status);
  if (fence === undefined || !FENCE.test(fence)) throw createFieldError("fence", status);
  if (!isFormat(format)) throw createFieldError("format", status);
  if (count === undefined) throw createFieldError("count", status);
  if (leaseMs === undefined) throw createFieldError("leaseMs", status);
  if (remainingMs === undefined) throw createFieldError("remainingMs", status);
  // The server cannot have waited for longer than the request took.
  const waitedMs = Math.min(readAmount(hold.waitedMs) ?? 0, computeElapsedMs(sentAt));
  const owner = readText(hold.owner) ?? "";
  const releaseRequested = readReleaseRequest(hold.releaseRequested);
  const leftMs = waitedMs + remainingMs;
  return { holdId, fence, owner, format, count, leaseMs, sentAt, leftMs, releaseRequested };
}

/** Returns a release request; `undefined` if there is none. Servers of version 0.2 never send one. */
export function readReleaseRequest(value: unknown): ReceivedReleaseRequest | undefined {
  const request = readObject(value) ?? {};
  const requestId = readText(request.requestId);
  const state = REQUEST_STATES.find((each) => each === request.state);
  if (requestId === undefined || state === undefined) return undefined;
  const [reason = "", requestedBy = ""] = [readText(request.reason), readText(request.requestedBy)];
  return { requestId, reason, requestedBy, requestedAt: readAmount(request.requestedAt) ?? 0, state };
}

/**
 * Reads the holds of several locks, in the order of the keys.
 *
 * @throws ApiError with the code `unexpected_response`
 */
export function readGrants(keys: readonly string[], response: ApiResponse): Grant[] {
  const { value, status } = response;
  const { holds, waitedMs } = readObject(value) ?? {};
  if (!Array.isArray(holds) || holds.length !== keys.length) throw createFieldError("holds", status);
  return holds.map((hold: unknown, at) => {
    const fields = readObject(hold) ?? {};
    if (fields.key !== keys[at]) throw createFieldError("holds", status);
    return readGrant({ ...response, value: { ...fields, waitedMs } });
  });
}

/** @throws ApiError with the code `unexpected_response` */
export function readReleased({ value, status }: ApiResponse): Released {
  const { outcome, count } = readObject(value) ?? {};
  if (!isOutcome(outcome)) throw createFieldError("outcome", status);
  return { outcome, count: readAmount(count) ?? 0 };
}

/** Reads whether the hold exists. @throws ApiError with the code `unexpected_response` */
export function readHeld({ value, status }: ApiResponse): boolean {
  const held = readObject(value)?.held;
  if (typeof held !== "boolean") throw createFieldError("held", status);
  return held;
}

export function createFieldError(field: string, status: number): ApiError {
  const detail = `The response of the server has no valid ${field}. Check the URL.`;
  return new ApiError({ code: "unexpected_response", detail, status });
}

function isFormat(value: unknown): value is WritableFormat {
  return typeof value === "string" && FORMATS.includes(value);
}

function isOutcome(value: unknown): value is Released["outcome"] {
  return typeof value === "string" && OUTCOMES.includes(value);
}
