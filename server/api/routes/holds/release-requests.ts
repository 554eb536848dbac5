import {
  AnswerReleaseRequestInput,
  RequestReleaseInput,
} from "../../../../lib/contract/actions/release-request.ts";
import { ReleaseRequest } from "../../../../lib/contract/holds/release-request.ts";
import { getAllowedKeys } from "../../../auth/principal.ts";
import { requestRelease } from "../../../operator/request-release.ts";
import { createJsonResponse } from "../../http/http-exchange.ts";
import { RELEASE_REQUEST_ANSWERED, RELEASE_REQUESTED } from "../../openapi/examples/holds.ts";
import { toAuditSeen } from "../../routing/auditing.ts";
import { defineHoldRoute, defineTargetRoute, type Route } from "../../routing/route.ts";

/** Creates the routes with which operators request the release of a lock and holders accept or refuse the request. */
export function createReleaseRequestRoutes(): Route[] {
  return [
    defineTargetRoute({
      method: "POST",
      path: "/locks/{key}/request-release",
      operationId: "requestRelease",
      tag: "Locks",
      access: "force",
      summary: "Ask the holder to release a lock",
      description:
        "Sends a request to the client of the hold that `expectedVersion` identifies. Requires that the holder has `receivesReleaseRequests`. Nothing is released: the holder finishes or interrupts its work and then releases the lock itself, or refuses. Clients of the Node.js library receive the request at once, clients of the HTTP API with their next renewal. A new request replaces the last one. The version of the lock stays the same, so you can still force-release it.",
      body: RequestReleaseInput,
      examples: {
        "Ask for a migration": {
          expectedVersion: "fence.1795216496123456",
          reason: "migration of the orders table",
        },
      },
      response: {
        status: 200,
        schema: ReleaseRequest,
        example: RELEASE_REQUESTED,
        description: "The request. Its state and the answer are in the holder of `GET /locks/{key}`.",
      },
      errors: [
        "reason_required",
        "release_request_unsupported",
        "lost",
        "changed",
        "not_a_lock",
        "key_not_allowed",
        "unknown_outcome",
      ],
      audit: ({ target, key, body: { expectedVersion, reason, format } }) => ({
        action: "request_release",
        seen: toAuditSeen(target, key, expectedVersion),
        reason,
        details: { format },
      }),
      handle: async ({ target, key, body, principal }) => {
        const allowedKeys = getAllowedKeys(principal, "force", target.name);
        const request = await requestRelease(target, key, { ...body, by: principal.name, allowedKeys });
        return createJsonResponse(200, request, {
          verbEnd: { outcome: request.state },
          auditOutcome: { details: { requestId: request.requestId } },
        });
      },
    }),
    defineHoldRoute({
      method: "POST",
      path: "/holds/{holdId}/answer-release-request",
      operationId: "answerReleaseRequest",
      tag: "Holds",
      access: "lock",
      summary: "Answer a release request",
      description:
        "Informs the operator whether you will release the hold. `accepted` does not release it: do that when the work has stopped. The first answer counts; repeating it changes nothing. `changed`: the request has another answer, or a newer one has replaced it. Only the API key or operator that acquired the hold can answer.",
      body: AnswerReleaseRequestInput,
      examples: {
        Accept: { requestId: RELEASE_REQUESTED.requestId, answer: "accepted" },
        Refuse: {
          requestId: RELEASE_REQUESTED.requestId,
          answer: "refused",
          text: "ends in about 2 minutes",
        },
      },
      response: {
        status: 200,
        schema: ReleaseRequest,
        example: RELEASE_REQUEST_ANSWERED,
        description: "The answered request.",
      },
      errors: [
        "not_owner",
        "lost",
        "changed",
        "release_request_unsupported",
        "key_not_allowed",
        "unknown_outcome",
      ],
      isOwnChange: true,
      audit: ({ hold, body: { requestId, answer, text } }) => ({
        action: "answer_release_request",
        seen: { fence: hold.fence },
        details: { requestId, answer, text },
      }),
      handle: async ({ target, hold, body, principal }) => {
        const { key, format, kind, unit, token, fence } = hold;
        const named = { key, format, kind, unit, token, fence, principal: principal.id };
        const request = await target.locks.answerReleaseRequest(named, body);
        return createJsonResponse(200, request, { verbEnd: { outcome: request.state } });
      },
    }),
  ];
}
