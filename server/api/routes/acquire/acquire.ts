import { AcquireInput, Hold } from "../../../../lib/contract/actions/verb.ts";
import { IdempotencyKeyRequiredError, InvalidHoldIdError } from "../../../errors/lock-errors.ts";
import { parseHoldId, type TargetHoldRef } from "../../../formats/hold-id.ts";
import type { DeclaredHold } from "../../../formats/wait-declaration.ts";
import type { AcquiredGrant } from "../../../locks/verbs/contract/grant.ts";
import { deriveSharedToken } from "../../../locks/verbs/request-factory.ts";
import { toVerbCall, type VerbEnd } from "../../../stats/verb-call.ts";
import { toHold } from "../../http/hold-json.ts";
import { type ApiResponse, createJsonResponse } from "../../http/http-exchange.ts";
import { buildLocation, describeLocation } from "../../http/location.ts";
import { EXAMPLE_HOLD_ID } from "../../openapi/example-hold-id.ts";
import { ACQUIRED, REENTERED } from "../../openapi/examples/holds.ts";
import { defineTargetRoute, type Route, type TargetCall } from "../../routing/route.ts";
import type { Services } from "../../routing/services.ts";
import { createAcquireAllRoute } from "./acquire-all.ts";
import { REPLAYED_HEADER, toAcquireOptions, Wait } from "./acquire-request.ts";
import { type GrantResponse, respondWithGrant } from "./respond-with-grant.ts";

const ACQUIRE_EXAMPLES = {
  "Acquire for 30 s": {},
  "Wait up to 10 s": { waitMs: 10_000, owner: "checkout@pod-7:311" },
  "Keep the lock for 1 minute after a crash": { leaseMs: 10_000, graceMs: 60_000 },
  "Receive release requests of operators": { receivesReleaseRequests: true },
  "Allow one hold every 5 minutes": { minHoldMs: 300_000 },
  "Use the format of redlock, redis-py and other SET NX PX libraries": { format: "token" },
  "Use the format of SETNX and GETSET locks that write seconds": { format: "timestamp", unit: "s" },
  "Acquire 2 of 10 permits of a semaphore": { kind: "semaphore", permits: 2, limit: 10 } as const,
  "Refuse to wait in a deadlock": {
    waitMs: 10_000,
    holding: [EXAMPLE_HOLD_ID],
    onDeadlock: "refuse",
  } as const,
  "Re-enter a hold": { reenter: EXAMPLE_HOLD_ID },
};

/** Creates the routes that acquire locks and re-enter holds. */
export function createVerbRoutes(
  services: Pick<Services, "pendingRequests" | "quotas">,
  basePath: string,
): Route[] {
  const describe = createDescription(basePath);
  return [
    defineTargetRoute({
      method: "POST",
      path: "/locks/{key}/acquire",
      operationId: "acquireLock",
      tag: "Holds",
      access: "lock",
      summary: "Acquire a lock",
      description:
        "Acquires the lock if it is free; a held lock is refused with `held`, even if you hold it. With `waitMs` the request stays open until the lock is acquired or the time has passed (`timeout`); repeat it with the same `Idempotency-Key` within 5 s to keep your place in the queue. If you disconnect, the pending acquire is cancelled. A pause can outlast the lease, so send the fencing token with every write and have the resource reject lower ones.",
      body: AcquireInput,
      examples: ACQUIRE_EXAMPLES,
      idempotent: "by_lock",
      response: {
        status: 201,
        schema: Hold,
        example: ACQUIRED,
        description: "The new hold.",
        headers: { ...describeLocation("holds", EXAMPLE_HOLD_ID), ...REPLAYED_HEADER },
      },
      otherResponse: {
        status: 200,
        schema: Hold,
        example: REENTERED,
        description: "With `reenter`: the re-entered hold.",
      },
      errors: [
        "key_not_allowed",
        "not_a_lock",
        "unknown_outcome",
        "idempotency_key_reused",
        "not_replicated",
        "held",
        "timeout",
        "deadlock",
        "lost",
        "queue_full",
        "quota_exceeded",
        "too_many_waiting",
        "unit_conflict",
        "kind_conflict",
        "limit_conflict",
        "not_owner",
        "idempotency_key_required",
        "invalid_hold_id",
      ],
      verb: ({ target, key, body }) =>
        toVerbCall(body.reenter === undefined ? "acquire" : "reenter", target.name, key, body),
      handle: (call) =>
        call.body.reenter === undefined
          ? acquireLock(call, services, describe)
          : reenterHold(call, call.body.reenter),
    }),
    createAcquireAllRoute(services),
  ];
}

type AcquireCall = TargetCall<Record<string, unknown>, AcquireInput>;

function acquireLock(
  { target, key, body, requestId, request, principal }: AcquireCall,
  { pendingRequests, quotas }: Pick<Services, "pendingRequests" | "quotas">,
  describe: ReturnType<typeof createDescription>,
): Promise<ApiResponse> {
  const { waitMs = 0 } = body;
  const acquireOptions = toAcquireOptions(body, principal, requestId);
  const lock = { target: target.name, key, kind: body.kind, token: deriveSharedToken(acquireOptions) };
  const claim = quotas.claim(principal, lock, acquireOptions);
  const { leaseMs, graceMs = 0 } = acquireOptions;
  if (waitMs === 0) {
    claim.count();
    const context = { target: target.name, principal, requestId, claim, leaseMs, graceMs };
    return respondWithGrant(target.locks.acquire(key, acquireOptions), context, describe);
  }
  const { onDeadlock } = body;
  const declared = { holding: parseHolding(body.holding, target), onDeadlock };
  pendingRequests.assertCapacity(principal.id);
  const wait = new Wait(pendingRequests.create(principal.id, request.detach()));
  const options = { waitMs, signal: wait.request, onSend: wait.onSend, ...declared, ...acquireOptions };
  const context = { target: target.name, principal, requestId, claim, leaseMs, graceMs, wait };
  return respondWithGrant(target.locks.acquire(key, options), context, describe);
}

/**
 * @throws InvalidHoldIdError if a string is not a holdId, or belongs to another target. Deadlocks are detected only
 * within one target
 */
function parseHolding(
  holdIds: readonly string[] | undefined,
  target: AcquireCall["target"],
): DeclaredHold[] | undefined {
  return holdIds?.map((holdId, at) => {
    const hold = parseHoldId(holdId);
    if (hold === undefined || hold.target !== target.name)
      throw new InvalidHoldIdError(`Body, holding[${at}]: this is not a holdId of the same target.`);
    return { key: hold.key, token: hold.token };
  });
}

/** Creates a function that returns the status, headers and statistics of the response to an acquire. */
function createDescription(basePath: string) {
  return ({ isReplayed }: AcquiredGrant, { holdId }: Hold, waitedMs: number | undefined): GrantResponse => ({
    status: 201,
    headers: {
      location: buildLocation(basePath, "holds", holdId),
      ...(isReplayed ? { "idempotent-replayed": "true" } : {}),
    },
    verbEnd: { outcome: "granted", waitedMs },
  });
}

const REENTERED_END: VerbEnd = { outcome: "granted" };

async function reenterHold(
  { target, key, body, requestId, principal }: AcquireCall,
  holdId: string,
): Promise<ApiResponse> {
  const hold = parseOwnHoldId(holdId, target.name, key);
  if (requestId === undefined) {
    throw new IdempotencyKeyRequiredError(
      "A re-entry requires an Idempotency-Key: without one, a retry would re-enter the hold twice. Nothing was done.",
    );
  }
  const options = { leaseMs: body.leaseMs, requestId };
  const grant = await target.locks.reenter({ ...hold, principal: principal.id }, options);
  return createJsonResponse(200, toHold(target.name, grant), { verbEnd: REENTERED_END });
}

/** @throws InvalidHoldIdError if the string is not a holdId, or belongs to another target or key */
function parseOwnHoldId(holdId: string, target: string, key: string): TargetHoldRef {
  const hold = parseHoldId(holdId);
  if (hold === undefined)
    throw new InvalidHoldIdError("Body, reenter: this is not a holdId returned by acquire.");
  if (hold.target === target && hold.key === key) return hold;
  throw new InvalidHoldIdError("Body, reenter: the holdId belongs to another key or target than the path.");
}
