import {
  ApiKey,
  ApiKeyInput,
  ApiKeyList,
  ApiKeyQuotaInput,
  type ApiKeyUsage,
  CreatedApiKey,
  RotateApiKeyInput,
} from "../../../lib/contract/accounts/api-key.ts";
import type { KnownApiKey } from "../../auth/api-keys.ts";
import type { HoldQuotas } from "../../quotas/hold-quotas.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { buildLocation, describeLocation } from "../http/location.ts";
import { API_KEY, CREATED_API_KEY, KEY_ID, ROTATED_API_KEY } from "../openapi/examples/accounts.ts";
import { defineRoute, HOME_ERRORS, type Route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";
import { assertTargetsExist } from "./assert-targets.ts";

/** Creates the routes for the API keys of applications. The root key is not included. */
export function createApiKeyRoutes({ apiKeys, targets, quotas }: Services, basePath: string): Route[] {
  const withUsage = <Known extends KnownApiKey>(key: Known) => ({ ...key, usage: toUsage(quotas, key) });
  return [
    defineRoute({
      method: "GET",
      path: "/keys",
      operationId: "listApiKeys",
      tag: "API keys",
      access: "admin",
      summary: "List API keys",
      description: "Lists all API keys except the root key, sorted by name. Secrets are never returned.",
      response: {
        status: 200,
        schema: ApiKeyList,
        example: { items: [API_KEY] },
        description: "The API keys, without their secrets.",
      },
      errors: HOME_ERRORS,
      handle: async () => createJsonResponse(200, { items: (await apiKeys.list()).map(withUsage) }),
    }),
    defineRoute({
      method: "POST",
      path: "/keys",
      operationId: "createApiKey",
      tag: "API keys",
      access: "admin",
      summary: "Create an API key",
      description:
        "Creates an API key. Only this response contains the secret; the server stores a hash of it. You cannot grant more access than you have, and a key that expires cannot create a key that expires later.",
      body: ApiKeyInput,
      examples: {
        "Key for an application that locks orders": {
          name: "checkout",
          verbs: ["read", "lock"],
          keys: ["lock:orders:*"],
        },
      },
      response: {
        status: 201,
        schema: CreatedApiKey,
        example: CREATED_API_KEY,
        description: "The API key with its secret.",
        headers: describeLocation("keys", KEY_ID.example),
      },
      errors: ["already_exists", "idempotency_key_reused", ...HOME_ERRORS],
      idempotent: "by_answer",
      audit: ({ body }) => ({ action: "create_api_key", details: body }),
      handle: async ({ body, principal }) => {
        assertTargetsExist(targets, body.targets, "targets");
        const created = await apiKeys.create(body, principal);
        return createJsonResponse(201, withUsage(created), {
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
      summary: "Get an API key",
      description: "Returns an API key by id, without its secret.",
      response: { status: 200, schema: ApiKey, example: API_KEY, description: "The API key." },
      errors: ["not_found", ...HOME_ERRORS],
      handle: async ({ id }) => createJsonResponse(200, withUsage(await apiKeys.get(id))),
    }),
    defineRoute({
      method: "PATCH",
      path: "/keys/{id}",
      operationId: "updateApiKey",
      tag: "API keys",
      idParam: KEY_ID,
      access: "admin",
      summary: "Change the quotas of an API key",
      description:
        "Changes how many live holds the key may have and how many bytes they may take in Redis, on every instance within 2 s. A quota below the current usage refuses new holds; existing holds remain and can be renewed.",
      body: ApiKeyQuotaInput,
      examples: {
        "Permit 50,000 live holds": { holdsMax: 50_000 },
        "Use the limits of the server": { holdsMax: null, bytesMax: null },
      },
      response: { status: 200, schema: ApiKey, example: API_KEY, description: "The API key." },
      errors: ["not_found", "api_key_inactive", ...HOME_ERRORS],
      audit: ({ id, body }) => ({ action: "update_api_key", details: { id, ...body } }),
      handle: async ({ id, body }) => createJsonResponse(200, withUsage(await apiKeys.setQuota(id, body))),
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
        "Revokes the key on every instance within 2 s and closes its streams. Holds that it acquired remain: force-release them or wait for expiry. The key stays listed as revoked for 30 days.",
      response: { status: 204, description: "The key is revoked. Also returned if it was revoked before." },
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
      summary: "Rotate the secret of an API key",
      description:
        "Creates a new secret for the key. Its id and access stay the same. The previous secret stays valid for `overlapMs`; an even older one becomes invalid immediately.",
      body: RotateApiKeyInput,
      examples: {
        "Keep the old secret for 1 hour": { overlapMs: 3_600_000 },
        "Revoke the old secret at once": {},
      },
      response: {
        status: 200,
        schema: CreatedApiKey,
        example: ROTATED_API_KEY,
        description: "The API key with its new secret.",
      },
      errors: ["not_found", "api_key_inactive", "idempotency_key_reused", ...HOME_ERRORS],
      idempotent: "by_answer",
      audit: ({ id, body }) => ({ action: "rotate_api_key", details: { id, overlapMs: body.overlapMs } }),
      handle: async ({ id, body, principal }) =>
        createJsonResponse(200, withUsage(await apiKeys.rotate(id, body.overlapMs, principal))),
    }),
  ];
}

function toUsage(quotas: HoldQuotas, { id, holdsMax, bytesMax }: KnownApiKey): ApiKeyUsage {
  return { ...quotas.getUsage(id), ...quotas.resolveQuota({ holdsMax, bytesMax }) };
}
