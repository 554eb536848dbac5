import {
  ApiKey,
  ApiKeyInput,
  ApiKeyList,
  ApiKeyMade,
  RotateInput,
} from "../../../lib/contract/accounts/api-key.ts";
import { json } from "../http/http-exchange.ts";
import { API_KEY, API_KEY_MADE, API_KEY_ROTATED, KEY_ID } from "../openapi/examples/accounts.ts";
import { HOME_ERRORS, type Route, route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";
import { assertTargets } from "./assert-targets.ts";

/** The API keys of apps; the root key is none of them. */
export function keyRoutes({ apiKeys, targets }: Services): Route[] {
  return [
    route({
      method: "GET",
      path: "/keys",
      operationId: "listApiKeys",
      tag: "Administration",
      access: "admin",
      summary: "All API keys",
      response: {
        status: 200,
        schema: ApiKeyList,
        example: { items: [API_KEY] },
        description: "Without their secrets, which nobody has.",
      },
      errors: HOME_ERRORS,
      handle: async () => json(200, { items: await apiKeys.list() }),
    }),
    route({
      method: "POST",
      path: "/keys",
      operationId: "makeApiKey",
      tag: "Administration",
      access: "admin",
      summary: "Make an API key",
      description:
        "The secret is in this answer and nowhere else: what is kept is its hash. Nobody makes a key that may do more than they may, and a key that expires makes none that outlive it.",
      body: ApiKeyInput,
      examples: {
        "An app that locks orders": { name: "checkout", verbs: ["read", "lock"], keys: ["lock:orders:*"] },
      },
      response: {
        status: 200,
        schema: ApiKeyMade,
        example: API_KEY_MADE,
        description: "The key, with its secret.",
      },
      errors: ["request_id_reused", ...HOME_ERRORS],
      idempotent: "by_answer",
      audit: ({ body }) => ({ action: "key-make", details: body }),
      handle: async ({ body, principal }) => {
        assertTargets(targets, body.targets, "targets");
        const made = await apiKeys.make(body, principal);
        return json(200, made, { audited: { details: { id: made.id } } });
      },
    }),
    route({
      method: "GET",
      path: "/keys/{id}",
      operationId: "getApiKey",
      tag: "Administration",
      idIs: KEY_ID,
      access: "admin",
      summary: "One API key",
      response: { status: 200, schema: ApiKey, example: API_KEY, description: "Without its secret." },
      errors: ["not_found", ...HOME_ERRORS],
      handle: async ({ id }) => json(200, await apiKeys.one(id)),
    }),
    route({
      method: "DELETE",
      path: "/keys/{id}",
      operationId: "revokeApiKey",
      tag: "Administration",
      idIs: KEY_ID,
      access: "admin",
      summary: "Revoke an API key",
      description:
        "Every instance refuses it within two seconds, and its streams end. Holds that it acquired stay: free them, or let them lapse. It is listed as revoked for 30 days.",
      response: { status: 204, description: "It is revoked, now or before." },
      errors: ["not_found", ...HOME_ERRORS],
      audit: ({ id }) => ({ action: "key-revoke", details: { id } }),
      handle: async ({ id }) => {
        await apiKeys.revoke(id);
        return { status: 204, headers: {} };
      },
    }),
    route({
      method: "POST",
      path: "/keys/{id}/rotate",
      operationId: "rotateApiKey",
      tag: "Administration",
      idIs: KEY_ID,
      access: "admin",
      summary: "Give an API key a new secret",
      description:
        "The id stays, and with it what the key holds. The secret before works for overlapMs more; the one before that ends at once.",
      body: RotateInput,
      examples: { "The old secret works for an hour more": { overlapMs: 3_600_000 }, "At once": {} },
      response: {
        status: 200,
        schema: ApiKeyMade,
        example: API_KEY_ROTATED,
        description: "The key, with its new secret.",
      },
      errors: ["not_found", "request_id_reused", ...HOME_ERRORS],
      idempotent: "by_answer",
      audit: ({ id, body }) => ({ action: "key-rotate", details: { id, overlapMs: body.overlapMs } }),
      handle: async ({ id, body, principal }) =>
        json(200, await apiKeys.rotate(id, body.overlapMs, principal)),
    }),
  ];
}
