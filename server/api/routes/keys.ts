import {
  ApiKey,
  ApiKeyInput,
  ApiKeyList,
  CreatedApiKey,
  RotateApiKeyInput,
} from "../../../lib/contract/accounts/api-key.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { buildLocation, describeLocation } from "../http/location.ts";
import { API_KEY, CREATED_API_KEY, KEY_ID, ROTATED_API_KEY } from "../openapi/examples/accounts.ts";
import { defineRoute, HOME_ERRORS, type Route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";
import { assertTargetsExist } from "./assert-targets.ts";

/** The API keys of apps; the root key is none of them. */
export function createApiKeyRoutes({ apiKeys, targets }: Services, basePath: string): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/keys",
      operationId: "listApiKeys",
      tag: "API keys",
      access: "admin",
      summary: "All API keys",
      response: {
        status: 200,
        schema: ApiKeyList,
        example: { items: [API_KEY] },
        description: "Without their secrets, which nobody has.",
      },
      errors: HOME_ERRORS,
      handle: async () => createJsonResponse(200, { items: await apiKeys.list() }),
    }),
    defineRoute({
      method: "POST",
      path: "/keys",
      operationId: "createApiKey",
      tag: "API keys",
      access: "admin",
      summary: "Create an API key",
      description:
        "The secret is in this answer and nowhere else: what is kept is its hash. Nobody makes a key that may do more than they may, and a key that expires makes none that outlive it.",
      body: ApiKeyInput,
      examples: {
        "An app that locks orders": { name: "checkout", verbs: ["read", "lock"], keys: ["lock:orders:*"] },
      },
      response: {
        status: 201,
        schema: CreatedApiKey,
        example: CREATED_API_KEY,
        description: "The key, with its secret.",
        headers: describeLocation("keys", KEY_ID.example),
      },
      errors: ["already_exists", "idempotency_key_reused", ...HOME_ERRORS],
      idempotent: "by_answer",
      audit: ({ body }) => ({ action: "create_api_key", details: body }),
      handle: async ({ body, principal }) => {
        assertTargetsExist(targets, body.targets, "targets");
        const created = await apiKeys.create(body, principal);
        return createJsonResponse(201, created, {
          headers: { location: buildLocation(basePath, "keys", created.id) },
          auditOutcome: { details: { id: created.id } },
        });
      },
    }),
    defineRoute({
      method: "GET",
      path: "/keys/{id}",
      operationId: "getApiKey",
      tag: "API keys",
      idParam: KEY_ID,
      access: "admin",
      summary: "One API key",
      response: { status: 200, schema: ApiKey, example: API_KEY, description: "Without its secret." },
      errors: ["not_found", ...HOME_ERRORS],
      handle: async ({ id }) => createJsonResponse(200, await apiKeys.get(id)),
    }),
    defineRoute({
      method: "DELETE",
      path: "/keys/{id}",
      operationId: "revokeApiKey",
      tag: "API keys",
      idParam: KEY_ID,
      access: "admin",
      summary: "Revoke an API key",
      description:
        "Every instance refuses it within two seconds, and its streams end. Holds that it acquired stay: free them, or let them lapse. It is listed as revoked for 30 days.",
      response: { status: 204, description: "It is revoked, now or before." },
      errors: ["not_found", ...HOME_ERRORS],
      audit: ({ id }) => ({ action: "revoke_api_key", details: { id } }),
      handle: async ({ id }) => {
        await apiKeys.revoke(id);
        return { status: 204, headers: {} };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/keys/{id}/rotate",
      operationId: "rotateApiKey",
      tag: "API keys",
      idParam: KEY_ID,
      access: "admin",
      summary: "Give an API key a new secret",
      description:
        "The id stays, and with it what the key holds. The secret before works for overlapMs more; the one before that ends at once.",
      body: RotateApiKeyInput,
      examples: { "The old secret works for an hour more": { overlapMs: 3_600_000 }, "At once": {} },
      response: {
        status: 200,
        schema: CreatedApiKey,
        example: ROTATED_API_KEY,
        description: "The key, with its new secret.",
      },
      errors: ["not_found", "api_key_inactive", "idempotency_key_reused", ...HOME_ERRORS],
      idempotent: "by_answer",
      audit: ({ id, body }) => ({ action: "rotate_api_key", details: { id, overlapMs: body.overlapMs } }),
      handle: async ({ id, body, principal }) =>
        createJsonResponse(200, await apiKeys.rotate(id, body.overlapMs, principal)),
    }),
  ];
}
