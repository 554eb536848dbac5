import { AcquireInput, Hold, LEASE_MS_DEFAULT } from "../../../lib/contract/actions/verb.ts";
import type { Principal } from "../../auth/principal.ts";
import { AbortedError, IdempotencyKeyRequiredError, InvalidHoldIdError } from "../../errors/lock-errors.ts";
import { parseHoldId, type TargetHoldRef } from "../../formats/hold-id.ts";
import type { AcquiredGrant, AcquireOptions } from "../../locks/verbs/verbs.ts";
import { toVerbCall, type VerbEnd } from "../../stats/verb-call.ts";
import { toHold } from "../http/hold-json.ts";
import { type ApiResponse, createJsonResponse } from "../http/http-exchange.ts";
import { buildLocation, describeLocation } from "../http/location.ts";
import { EXAMPLE_HOLD_ID } from "../openapi/example-hold-id.ts";
import { ACQUIRED, REENTERED } from "../openapi/examples/holds.ts";
import type { PendingRequest, PendingRequests } from "../routing/pending-requests.ts";
import { defineTargetRoute, type Route, type TargetCall } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

const ACQUIRE_EXAMPLES = {
  "For 30 seconds": {},
  "Wait up to 10 seconds": { waitMs: 10_000, owner: "checkout@pod-7:311" },
  "Keep it shut for a minute after a crash": { leaseMs: 10_000, graceMs: 60_000 },
  "Not more often than every five minutes": { minHoldMs: 300_000 },
  "Share it with redlock, redis-py and other SET NX PX locks": { format: "token" },
  "Share it with SETNX and GETSET locks that write seconds": { format: "timestamp", unit: "s" },
  "Enter a hold once more": { reenter: EXAMPLE_HOLD_ID },
};

const REPLAYED_HEADER = {
  "Idempotent-Replayed": {
    description: "`true` when this Idempotency-Key was granted this hold before.",
    example: "true",
  },
};

/** Acquires locks, and enters holds once more. */
export function createVerbRoutes(
  { pendingRequests }: Pick<Services, "pendingRequests">,
  basePath: string,
): Route[] {
  return [
    defineTargetRoute({
      method: "POST",
      path: "/locks/{key}/acquire",
      operationId: "acquireLock",
      tag: "Holds",
      access: "lock",
      summary: "Acquire a lock",
      description:
        "Acquires the lock when it is free. A held lock is refused, whoever holds it. With `waitMs` the request is held open until the lock is acquired or the time is over (`timeout`). Repeat its Idempotency-Key within 5 s to keep your place in the queue. If you disconnect, the pending acquire is cancelled. The hold lasts until `waitedMs` + `remainingMs` after you sent the request. With `reenter` the hold is entered once more: its count rises, `holdId` and `fence` stay. A pause can outlast a lease, so send the fencing token with every write and have the resource reject lower ones.",
      body: AcquireInput,
      examples: ACQUIRE_EXAMPLES,
      idempotent: "by_lock",
      response: {
        status: 201,
        schema: Hold,
        example: ACQUIRED,
        description: "Acquired.",
        headers: { ...describeLocation("holds", EXAMPLE_HOLD_ID), ...REPLAYED_HEADER },
      },
      otherResponse: {
        status: 200,
        schema: Hold,
        example: REENTERED,
        description: "With `reenter`: entered once more.",
      },
      errors: [
        "key_not_allowed",
        "not_a_lock",
        "unknown_outcome",
        "idempotency_key_reused",
        "not_replicated",
        "held",
        "timeout",
        "lost",
        "queue_full",
        "too_many_waiting",
        "unit_conflict",
        "not_owner",
        "idempotency_key_required",
        "invalid_hold_id",
      ],
      verb: ({ target, key, body }) =>
        toVerbCall(body.reenter === undefined ? "acquire" : "reenter", target.name, key, body),
      handle: (call) =>
        call.body.reenter === undefined
          ? acquireLock(call, pendingRequests, basePath)
          : reenterHold(call, call.body.reenter),
    }),
  ];
}

type AcquireCall = TargetCall<Record<string, unknown>, AcquireInput>;

function acquireLock(
  { target, key, body, requestId, request, principal }: AcquireCall,
  pendingRequests: PendingRequests,
  basePath: string,
): Promise<ApiResponse> {
  const { waitMs = 0 } = body;
  const ask = toAcquireOptions(body, principal, requestId);
  const answer = { target: target.name, basePath, requestId };
  if (waitMs === 0) return respondToAcquire(target.locks.acquire(key, ask), answer);
  pendingRequests.assertCapacity(principal.id);
  const wait = new Wait(pendingRequests.create(principal.id, request.detach()));
  const options = { ...ask, waitMs, signal: wait.request, onSend: wait.onSend };
  return respondToAcquire(target.locks.acquire(key, options), answer, wait);
}

function toAcquireOptions(
  { owner, leaseMs = LEASE_MS_DEFAULT, record, format, unit, graceMs, minHoldMs }: AcquireInput,
  principal: Principal,
  requestId: string | undefined,
): AcquireOptions {
  const asked = { leaseMs, record, format, unit, graceMs, minHoldMs, requestId };
  return { ...asked, owner: owner ?? getDefaultOwner(principal), principal: principal.id };
}

/** The name of the API key or of the operator. */
function getDefaultOwner({ name }: Principal): string {
  return name.replace(/^key:/, "");
}

interface AcquireAnswer {
  readonly target: string;
  readonly basePath: string;
  readonly requestId: string | undefined;
}

/**
 * The answer to a request that may wait. It has in hand only what it needs in the end: all of it stays there meanwhile,
 * and thousands may wait.
 */
async function respondToAcquire(
  acquiring: Promise<AcquiredGrant>,
  { target, basePath, requestId }: AcquireAnswer,
  wait?: Wait,
): Promise<ApiResponse> {
  let acquired: AcquiredGrant;
  try {
    acquired = await acquiring;
  } catch (error) {
    throw error instanceof AbortedError && wait !== undefined ? wait.request.toWaitError(error) : error;
  }
  const hold = toHold(target, acquired.grant);
  const waitedMs = wait?.waitedMs;
  // The client is gone and cannot know of this hold, so it would never release it. With an id of its own it may be
  // asking again already, and would be given the very hold that we take back.
  const onUndelivered = requestId === undefined ? acquired.abandon : undefined;
  return createJsonResponse(201, waitedMs === undefined ? hold : { ...hold, waitedMs }, {
    headers: {
      location: buildLocation(basePath, "holds", hold.holdId),
      ...(acquired.isReplayed ? { "idempotent-replayed": "true" } : {}),
    },
    onUndelivered,
    verbEnd: { outcome: "granted", waitedMs },
  });
}

/** A request that is held open, and how long it waited before the try that was granted. */
class Wait {
  readonly #since = performance.now();
  waitedMs = 0;
  readonly onSend = this.#recordWait.bind(this);

  constructor(readonly request: PendingRequest) {}

  #recordWait(): void {
    // Rounded down: a deadline that is counted with it must not come too late.
    this.waitedMs = Math.floor(performance.now() - this.#since);
  }
}

const REENTERED_END: VerbEnd = { outcome: "granted" };

async function reenterHold(
  { target, key, body, requestId, principal }: AcquireCall,
  holdId: string,
): Promise<ApiResponse> {
  const hold = parseOwnHoldId(holdId, target.name, key);
  if (requestId === undefined) {
    throw new IdempotencyKeyRequiredError(
      "A re-entry needs an Idempotency-Key: without one, a retry would enter the hold twice. Nothing was done.",
    );
  }
  const options = { leaseMs: body.leaseMs, requestId };
  const grant = await target.locks.reenter({ ...hold, principal: principal.id }, options);
  return createJsonResponse(200, toHold(target.name, grant), { verbEnd: REENTERED_END });
}

/** @throws InvalidHoldIdError also when it names a hold of another lock */
function parseOwnHoldId(holdId: string, target: string, key: string): TargetHoldRef {
  const hold = parseHoldId(holdId);
  if (hold === undefined)
    throw new InvalidHoldIdError("Body, reenter: this is not a holdId that acquire returned.");
  if (hold.target === target && hold.key === key) return hold;
  throw new InvalidHoldIdError(
    "Body, reenter: the holdId names a hold of another key or target than the path does.",
  );
}
