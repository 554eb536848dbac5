import {
  DowngradeInput,
  Hold,
  HoldStatus,
  Released,
  ReleaseInput,
  RenewInput,
} from "../../../lib/contract/actions/verb.ts";
import type { Principal } from "../../auth/principal.ts";
import type { TargetHoldRef } from "../../formats/hold-id.ts";
import type { VerbHold } from "../../locks/verbs/contract/grant.ts";
import { toVerbCall, type VerbEnd } from "../../stats/verb-call.ts";
import { toHold, toHoldStatus, toReleased } from "../http/hold-json.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { DOWNGRADED, HELD, RELEASED, RENEWED } from "../openapi/examples/holds.ts";
import { defineHoldRoute, type Route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

/**
 * Builds the argument for lock verbs from a parsed `holdId`. Copies field by field, because spreading objects of
 * different shapes takes longer than the rest of the handler.
 */
export function toVerbHold(
  { key, format, kind, unit, token, fence }: TargetHoldRef,
  { id }: Principal,
  owner?: string,
): VerbHold {
  return { key, format, kind, unit, token, fence, principal: id, owner };
}

const HOLD_ERRORS = ["not_owner", "key_not_allowed", "unknown_outcome"] as const;
const CHANGE_ERRORS = [...HOLD_ERRORS, "idempotency_key_reused"] as const;

const RENEWED_END: VerbEnd = { outcome: "renewed" };
const VERIFIED_END: VerbEnd = { outcome: "verified" };
const DOWNGRADED_END: VerbEnd = { outcome: "downgraded" };
const LOST_END: VerbEnd = { outcome: "lost" };

/** Creates the routes for single holds. Each hold is identified by the `holdId` that `acquire` returned. */
export function createHoldRoutes({ quotas }: Pick<Services, "quotas">): Route[] {
  return [
    defineHoldRoute({
      method: "GET",
      path: "/holds/{holdId}",
      operationId: "getHold",
      tag: "Holds",
      access: "lock",
      summary: "Verify a hold",
      description:
        "Returns whether the hold still exists. Changes nothing. The result can be outdated when it arrives: also check your own deadline, and send the fencing token with every write.",
      response: { status: 200, schema: HoldStatus, example: HELD, description: "State of the hold." },
      errors: HOLD_ERRORS,
      verb: ({ target, hold }) => toVerbCall("verify", target.name, hold.key, hold),
      handle: async ({ target, hold, principal }) => {
        const found = await target.locks.verify(toVerbHold(hold, principal));
        return createJsonResponse(200, toHoldStatus(hold, found), {
          verbEnd: found.held ? VERIFIED_END : LOST_END,
        });
      },
    }),
    defineHoldRoute({
      method: "POST",
      path: "/holds/{holdId}/renew",
      operationId: "renewHold",
      tag: "Holds",
      access: "lock",
      summary: "Renew a hold",
      description:
        "Extends the lease of a hold. Never creates a lock and never shortens a lease. Only the API key or operator that acquired the hold can renew it.",
      body: RenewInput,
      examples: { "Keep the lease": {}, "Renew for 1 minute": { leaseMs: 60_000 } },
      idempotent: "by_lock",
      response: { status: 200, schema: Hold, example: RENEWED, description: "The renewed hold." },
      errors: [...CHANGE_ERRORS, "not_replicated", "lost"],
      verb: ({ target, hold }) => toVerbCall("renew", target.name, hold.key, hold),
      handle: async ({ target, hold, body, requestId, principal }) => {
        const grant = await target.locks.renew(toVerbHold(hold, principal), {
          leaseMs: body.leaseMs,
          receivesReleaseRequests: body.receivesReleaseRequests,
          requestId,
        });
        quotas.extend({ ...hold, target: target.name }, grant.remainingMs);
        return createJsonResponse(200, toHold(target.name, grant), { verbEnd: RENEWED_END });
      },
    }),
    defineHoldRoute({
      method: "POST",
      path: "/holds/{holdId}/downgrade",
      operationId: "downgradeHold",
      tag: "Holds",
      access: "lock",
      summary: "Downgrade a write hold to a read hold",
      description:
        "Turns the hold of a writer into that of a reader. No other writer can acquire the lock in between, and waiting readers are woken. The new hold has another `holdId`, the same fencing token and the rest of the lease. A repeated request returns the same hold. A hold that was re-entered is refused with `held`: release its other counts first. The reverse is not possible: release the read hold, then acquire the lock with the kind `write`.",
      body: DowngradeInput,
      examples: { Downgrade: {} },
      response: { status: 200, schema: Hold, example: DOWNGRADED, description: "The read hold." },
      errors: [...HOLD_ERRORS, "not_replicated", "lost", "held"],
      verb: ({ target, hold }) => toVerbCall("downgrade", target.name, hold.key, hold),
      handle: async ({ target, hold, principal }) => {
        const grant = await target.locks.downgrade(toVerbHold(hold, principal));
        quotas.replace({ ...hold, target: target.name }, grant, grant.remainingMs);
        return createJsonResponse(200, toHold(target.name, grant), { verbEnd: DOWNGRADED_END });
      },
    }),
    defineHoldRoute({
      method: "POST",
      path: "/holds/{holdId}/release",
      operationId: "releaseHold",
      tag: "Holds",
      access: "lock",
      summary: "Release a hold",
      description:
        "Releases one count of the hold; the last one releases the lock and wakes a waiter. A hold that has already ended returns the outcome `not_held`, not an error. If a writer was downgraded, its original `holdId` releases the reader, unless the request reserves the lock. While the count is above 1, the request requires an `Idempotency-Key`. Only the API key or operator that acquired the hold can release it.",
      body: ReleaseInput,
      examples: { Release: {}, "Release and reserve for 10 s": { reservedMs: 10_000 } },
      idempotent: "by_lock",
      response: {
        status: 200,
        schema: Released,
        example: RELEASED,
        description: "Result of the release.",
      },
      errors: [...CHANGE_ERRORS, "idempotency_key_required"],
      verb: ({ target, hold }) => toVerbCall("release", target.name, hold.key, hold),
      handle: async ({ target, hold, body: { reservedMs }, requestId, principal }) => {
        const released = await target.locks.release(toVerbHold(hold, principal, principal.name), {
          reservedMs,
          requestId,
        });
        if (released.outcome === "released") quotas.forget({ ...hold, target: target.name });
        return createJsonResponse(200, toReleased(hold, released), {
          verbEnd: { outcome: released.outcome },
        });
      },
    }),
  ];
}
