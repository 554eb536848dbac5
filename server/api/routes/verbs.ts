import {
  AcquireInput,
  Grant,
  Released,
  ReleaseInput,
  RenewInput,
  Verified,
  VerifyInput,
} from "../../../lib/contract/actions/verb.ts";
import { AbortedError } from "../../errors/lock-errors.ts";
import type { AcquiredGrant } from "../../locks/verbs/verbs.ts";
import { toVerbCall, type VerbEnd } from "../../stats/verb-call.ts";
import { type ApiResponse, createJsonResponse } from "../http/http-exchange.ts";
import { GRANT, RELEASED, RENEWED, VERIFIED } from "../openapi/examples/locks.ts";
import type { PendingRequest } from "../routing/pending-requests.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

const READ_ERRORS = ["key_not_allowed", "not_a_lock", "unknown_outcome"] as const;
const VERB_ERRORS = [...READ_ERRORS, "idempotency_key_reused"] as const;

const ACQUIRE_EXAMPLES = {
  "Take it for half a minute": { owner: "checkout@pod-7:311" },
  "Wait for it for up to ten seconds": { owner: "checkout@pod-7:311", waitMs: 10_000 },
  "Keep it shut for a minute after a crash": {
    owner: "checkout@pod-7:311",
    leaseMs: 10_000,
    graceMs: 60_000,
  },
  "Not more often than every five minutes": { owner: "cron@vm-3:17", minHoldMs: 300_000 },
  "Share it with redlock, redis-py and other SET NX PX locks": {
    owner: "checkout@pod-7:311",
    format: "token",
  },
  "Share it with SETNX and GETSET locks that write seconds": {
    owner: "checkout@pod-7:311",
    format: "timestamp",
    unit: "s",
  },
};

/**
 * The answer to a request that may wait. It has in hand only what it needs in the end: all of it stays there meanwhile,
 * and thousands may wait.
 */
async function respondToAcquire(
  acquiring: Promise<AcquiredGrant>,
  requestId: string | undefined,
  clock: WaitClock | undefined,
  held: PendingRequest | undefined,
): Promise<ApiResponse> {
  let acquired: AcquiredGrant;
  try {
    acquired = await acquiring;
  } catch (error) {
    throw error instanceof AbortedError && held !== undefined ? held.toWaitError(error) : error;
  }
  const { grant, abandon } = acquired;
  const waitedMs = clock?.waitedMs;
  const body = clock === undefined ? grant : { ...grant, waitedMs };
  // Whoever asked has gone: nobody knows of this hold, so nobody would release it. With an id of its own the caller may
  // be asking again already, and would be told of the very hold that we take back.
  const onUndelivered = requestId === undefined ? abandon : undefined;
  return createJsonResponse(200, body, { onUndelivered, verbEnd: { outcome: "granted", waitedMs } });
}

const RENEWED_END: VerbEnd = { outcome: "renewed" };
const VERIFIED_END: VerbEnd = { outcome: "verified" };

/** How long a request waited before the look that was granted. */
class WaitClock {
  readonly #since = performance.now();
  waitedMs = 0;
  readonly onSend = this.#recordWait.bind(this);

  #recordWait(): void {
    // Rounded down: a deadline that is counted with it must not come too late.
    this.waitedMs = Math.floor(performance.now() - this.#since);
  }
}

/** The verbs that apps call. */
export function createVerbRoutes({ pendingRequests }: Pick<Services, "pendingRequests">): Route[] {
  return [
    defineTargetRoute({
      method: "POST",
      path: "/locks/{key}/acquire",
      operationId: "acquireLock",
      tag: "Holds",
      access: "lock",
      summary: "Acquire a lock",
      description:
        "Grants the lock when it is free, or once more when the same owner, with the same API key, holds it (count rises, fence stays). With `waitMs` the request is held open until the lock is granted or the time is over (`timeout`); who repeats its Idempotency-Key within 5 s keeps its place, and who closes the connection leaves nothing behind. The holder's deadline is `waitedMs` + `remainingMs` after it sent the request. A lease can be outlived by a pause of the holder: hand the fence to the resource and let it refuse lower ones.",
      body: AcquireInput,
      examples: ACQUIRE_EXAMPLES,
      idempotent: "by_lock",
      response: { status: 200, schema: Grant, example: GRANT, description: "Granted." },
      errors: [
        ...VERB_ERRORS,
        "not_replicated",
        "held",
        "timeout",
        "lost",
        "queue_full",
        "too_many_waiting",
        "aborted",
        "unit_conflict",
      ],
      verb: ({ target, key, body }) => toVerbCall("acquire", target.name, key, body),
      handle: ({ target: { locks }, key, body, requestId, request, principal }) => {
        const ask = { ...body, requestId, principal: principal.id };
        if (body.waitMs === 0)
          return respondToAcquire(locks.acquire(key, ask), requestId, undefined, undefined);
        pendingRequests.assertCapacity(principal.id);
        const signal = pendingRequests.create(principal.id, request.detach());
        const clock = new WaitClock();
        const options = { ...ask, signal, onSend: clock.onSend };
        return respondToAcquire(locks.acquire(key, options), requestId, clock, signal);
      },
    }),
    defineTargetRoute({
      method: "POST",
      path: "/locks/{key}/renew",
      operationId: "renewLock",
      tag: "Holds",
      access: "lock",
      summary: "Prolong a hold",
      description:
        "Never creates a lock and never shortens a lease. What one API key acquired, no other renews (`not_owner`), also where it knows the owner.",
      body: RenewInput,
      examples: {
        "Keep it for another minute": { owner: "checkout@pod-7:311", leaseMs: 60_000 },
        "A lock as redlock and redis-py write it": { owner: "checkout@pod-7:311", format: "token" },
      },
      idempotent: "by_lock",
      response: { status: 200, schema: Grant, example: RENEWED, description: "Renewed." },
      errors: [...VERB_ERRORS, "not_replicated", "lost", "not_owner"],
      verb: ({ target, key, body }) => toVerbCall("renew", target.name, key, body),
      handle: async ({ target: { locks }, key, body, requestId, principal }) => {
        const ask = { ...body, requestId, principal: principal.id };
        return createJsonResponse(200, await locks.renew(key, ask), { verbEnd: RENEWED_END });
      },
    }),
    defineTargetRoute({
      method: "POST",
      path: "/locks/{key}/release",
      operationId: "releaseLock",
      tag: "Holds",
      access: "lock",
      summary: "Give back one count of a hold",
      description:
        "Releasing what one does not hold is an outcome, not an error. What one API key acquired, no other releases (`not_owner`), also where it knows the owner. With `reservedMs` the last count does not free the lock: nobody gets it for so long, whatever library they use.",
      body: ReleaseInput,
      examples: {
        "Give it back": { owner: "checkout@pod-7:311" },
        "Give it back, and keep everybody off for ten seconds": {
          owner: "checkout@pod-7:311",
          reservedMs: 10_000,
        },
      },
      idempotent: "by_lock",
      response: {
        status: 200,
        schema: Released,
        example: RELEASED,
        description: "Released, or there was nothing to release.",
      },
      errors: [...VERB_ERRORS, "not_owner"],
      verb: ({ target, key, body }) => toVerbCall("release", target.name, key, body),
      handle: async ({ target: { locks }, key, body, requestId, principal }) => {
        const released = await locks.release(key, { ...body, requestId, principal: principal.id });
        return createJsonResponse(200, released, { verbEnd: { outcome: released.outcome } });
      },
    }),
    defineTargetRoute({
      method: "POST",
      path: "/locks/{key}/verify",
      operationId: "verifyLock",
      tag: "Holds",
      effect: "reads",
      access: "lock",
      summary: "Ask whether an owner holds the lock now",
      description:
        "Changes nothing. The answer may be out of date when it arrives: it replaces neither the deadline that the holder keeps nor the fence that the resource compares.",
      body: VerifyInput,
      examples: {
        "Is it still mine": { owner: "checkout@pod-7:311" },
        "Is it still that very hold": { owner: "checkout@pod-7:311", fence: "1795216496123456" },
      },
      response: { status: 200, schema: Verified, example: VERIFIED, description: "It does." },
      errors: [...READ_ERRORS, "lost"],
      verb: ({ target, key, body }) => toVerbCall("verify", target.name, key, body),
      handle: async ({ target: { locks }, key, body }) =>
        createJsonResponse(200, await locks.verify(key, body), { verbEnd: VERIFIED_END }),
    }),
  ];
}
