import { Hold, HoldStatus, Released, ReleaseInput, RenewInput } from "../../../lib/contract/actions/verb.ts";
import { toVerbCall, type VerbEnd } from "../../stats/verb-call.ts";
import { toHold, toHoldStatus, toReleased } from "../http/hold-json.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { HELD, RELEASED, RENEWED } from "../openapi/examples/holds.ts";
import { defineHoldRoute, type Route } from "../routing/route.ts";

const HOLD_ERRORS = ["not_owner", "key_not_allowed", "unknown_outcome"] as const;
const CHANGE_ERRORS = [...HOLD_ERRORS, "idempotency_key_reused"] as const;

const RENEWED_END: VerbEnd = { outcome: "renewed" };
const VERIFIED_END: VerbEnd = { outcome: "verified" };
const LOST_END: VerbEnd = { outcome: "lost" };

/** Holds, by the id that `acquire` returned. */
export function createHoldRoutes(): Route[] {
  return [
    defineHoldRoute({
      method: "GET",
      path: "/holds/{holdId}",
      operationId: "getHold",
      tag: "Holds",
      access: "lock",
      summary: "Read whether a hold is still held",
      description:
        "Changes nothing. The answer can be out of date when it arrives, so it replaces neither the holder's own deadline nor the fencing token that the resource compares.",
      response: { status: 200, schema: HoldStatus, example: HELD, description: "Whether it is held." },
      errors: HOLD_ERRORS,
      verb: ({ target, hold }) => toVerbCall("verify", target.name, hold.key, hold),
      handle: async ({ target, hold, principal }) => {
        const found = await target.locks.verify({ ...hold, principal: principal.id });
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
        "Never creates a lock and never shortens a lease. Only the API key or operator that acquired the hold can renew it.",
      body: RenewInput,
      examples: { "For its own lease": {}, "For a minute": { leaseMs: 60_000 } },
      idempotent: "by_lock",
      response: { status: 200, schema: Hold, example: RENEWED, description: "Renewed." },
      errors: [...CHANGE_ERRORS, "not_replicated", "lost"],
      verb: ({ target, hold }) => toVerbCall("renew", target.name, hold.key, hold),
      handle: async ({ target, hold, body: { leaseMs }, requestId, principal }) => {
        const ask = { ...hold, principal: principal.id };
        const grant = await target.locks.renew(ask, { leaseMs, requestId });
        return createJsonResponse(200, toHold(target.name, grant), { verbEnd: RENEWED_END });
      },
    }),
    defineHoldRoute({
      method: "POST",
      path: "/holds/{holdId}/release",
      operationId: "releaseHold",
      tag: "Holds",
      access: "lock",
      summary: "Release one count of a hold",
      description:
        "The last count frees the lock and wakes a waiter. A hold that has ended is the outcome `not_held`, not an error. While the count is above 1, the request needs an Idempotency-Key. Only the API key or operator that acquired the hold can release it. With `reservedMs` the last count does not free the lock: no client of any library can acquire it for that time.",
      body: ReleaseInput,
      examples: { Release: {}, "Release and reserve for ten seconds": { reservedMs: 10_000 } },
      idempotent: "by_lock",
      response: {
        status: 200,
        schema: Released,
        example: RELEASED,
        description: "Released, or there was nothing to release.",
      },
      errors: [...CHANGE_ERRORS, "idempotency_key_required"],
      verb: ({ target, hold }) => toVerbCall("release", target.name, hold.key, hold),
      handle: async ({ target, hold, body: { reservedMs }, requestId, principal }) => {
        const ask = { ...hold, principal: principal.id, owner: principal.name };
        const released = await target.locks.release(ask, { reservedMs, requestId });
        return createJsonResponse(200, toReleased(hold, released), {
          verbEnd: { outcome: released.outcome },
        });
      },
    }),
  ];
}
