import { createHash } from "node:crypto";
import type { Logger } from "pino";
import {
  HOLD_BATCH_BODY_BYTES_MAX,
  ReleasedHolds,
  ReleaseHoldsInput,
  type ReleaseResult,
  type RenewalResult,
  RenewedHolds,
  RenewHoldsInput,
} from "../../../../lib/contract/actions/hold-batch.ts";
import type { ErrorCode } from "../../../../lib/contract/error.ts";
import type { Grant, Released } from "../../../locks/verbs/contract/grant.ts";
import { createJsonResponse } from "../../http/http-exchange.ts";
import { toProblem } from "../../http/problem.ts";
import { EXAMPLE_HOLD_ID } from "../../openapi/example-hold-id.ts";
import { RELEASED_HOLDS, RENEWED_HOLDS } from "../../openapi/examples/hold-batches.ts";
import { defineRoute, type Route } from "../../routing/route.ts";
import { toVerbHold } from "../holds.ts";
import { type BatchServices, getCode, getLatestTime, HoldBatch } from "./hold-batch.ts";

/**
 * Error codes after which the caller may repeat a renewal: it may have been executed, or may succeed the next time. All
 * other codes are final.
 */
const REPEATABLE = new Set<ErrorCode>(["unavailable", "unknown_outcome", "not_replicated", "internal"]);
/** Error codes after which it is not known whether the release was executed. */
const UNCERTAIN = new Set<ErrorCode>(["unknown_outcome", "internal"]);

/** Creates the routes that renew or release many holds in one request. */
export function createHoldBatchRoutes(services: BatchServices, log: Logger, basePath: string): Route[] {
  const renewals = new HoldBatch(services, log, "renew");
  const releases = new HoldBatch(services, log, "release");
  return [
    defineRoute({
      method: "POST",
      path: "/holds/renew",
      operationId: "renewHolds",
      tag: "Holds",
      access: "lock",
      filtersByGrant: true,
      summary: "Renew many holds",
      description:
        "Renews up to 1,000 holds, of any targets, and returns one result for each. A hold that fails does not affect the others. As in a single renewal, no lock is created and no lease is shortened. Repeating the request changes only the leases, so no `Idempotency-Key` is needed. Ten holds count as one request for the rate limit.",
      body: RenewHoldsInput,
      bodyBytesMax: HOLD_BATCH_BODY_BYTES_MAX,
      examples: {
        "Keep the leases": { holds: [{ holdId: EXAMPLE_HOLD_ID }] },
        "Renew for 1 minute": { holds: [{ holdId: EXAMPLE_HOLD_ID, leaseMs: 60_000 }] },
      },
      response: {
        status: 200,
        schema: RenewedHolds,
        example: RENEWED_HOLDS,
        description: "One result for each hold.",
      },
      handle: async ({ body: { holds }, principal, request }) => {
        const settled = await renewals.run(
          { holds, principal, request },
          async ({ name, locks }, named) => {
            const results = await locks.renewHolds(
              named.map(({ item, hold }) => ({ ...toVerbHold(hold, principal), leaseMs: item.leaseMs })),
            );
            for (const result of results) {
              if (result.status === "rejected") continue;
              services.quotas.extend({ ...result.value, target: name }, result.value.remainingMs);
            }
            return results;
          },
          () => "renewed",
        );
        const results = holds.map(({ holdId }, at) => toRenewalResult(holdId, settled[at], basePath));
        return createJsonResponse(200, { results, asOf: getLatestTime(settled) } satisfies RenewedHolds);
      },
    }),
    defineRoute({
      method: "POST",
      path: "/holds/release",
      operationId: "releaseHolds",
      tag: "Holds",
      access: "lock",
      filtersByGrant: true,
      summary: "Release many holds",
      description:
        "Releases one count of up to 1,000 holds, of any targets, and returns one result for each. A hold that fails does not affect the others. While the count of a hold is above 1, its release requires an `Idempotency-Key`. You can repeat the request, or a part of its holds, with the same key. Ten holds count as one request for the rate limit.",
      body: ReleaseHoldsInput,
      bodyBytesMax: HOLD_BATCH_BODY_BYTES_MAX,
      examples: {
        Release: { holds: [{ holdId: EXAMPLE_HOLD_ID }] },
        "Release and reserve for 10 s": { holds: [{ holdId: EXAMPLE_HOLD_ID, reservedMs: 10_000 }] },
      },
      idempotent: "by_lock",
      response: {
        status: 200,
        schema: ReleasedHolds,
        example: RELEASED_HOLDS,
        description: "One result for each hold.",
      },
      handle: async ({ body: { holds }, principal, request, requestId }) => {
        const settled = await releases.run(
          { holds, principal, request },
          ({ name, locks }, named) =>
            // The releases are sent in one turn of the event loop, so that they are combined into a few script calls.
            Promise.allSettled(
              named.map(async ({ item: { holdId, reservedMs }, hold }) => {
                const released = await locks.release(toVerbHold(hold, principal, principal.name), {
                  reservedMs,
                  requestId: requestId && deriveRequestId(requestId, holdId),
                });
                if (released.outcome === "released") services.quotas.forget({ ...hold, target: name });
                return released;
              }),
            ),
          ({ outcome }) => outcome,
        );
        const results = holds.map(({ holdId }, at) => toReleaseResult(holdId, settled[at], basePath));
        return createJsonResponse(200, { results, asOf: getLatestTime(settled) } satisfies ReleasedHolds);
      },
    }),
  ];
}

/**
 * Derives the request id for one hold of a batch. Request ids are stored with the key, so two holds of one key need
 * different ids.
 */
function deriveRequestId(requestId: string, holdId: string): string {
  return createHash("sha256").update(`${requestId}\n${holdId}`).digest("base64url");
}

function toRenewalResult(
  holdId: string,
  settled: PromiseSettledResult<Grant> | undefined,
  basePath: string,
): RenewalResult {
  if (settled?.status === "fulfilled") {
    const { remainingMs, leaseMs, releaseRequested = null } = settled.value;
    return { holdId, outcome: "renewed", remainingMs, leaseMs, releaseRequested };
  }
  const outcome = REPEATABLE.has(getCode(settled?.reason)) ? "unknown" : "lost";
  return { holdId, outcome, problem: toProblem(settled?.reason, basePath) };
}

function toReleaseResult(
  holdId: string,
  settled: PromiseSettledResult<Released> | undefined,
  basePath: string,
): ReleaseResult {
  if (settled?.status === "fulfilled") {
    const { outcome, count } = settled.value;
    return { holdId, outcome, count };
  }
  const outcome = UNCERTAIN.has(getCode(settled?.reason)) ? "unknown" : "refused";
  return { holdId, outcome, problem: toProblem(settled?.reason, basePath) };
}
