import { AcquireInput, Grant, Released, ReleaseInput, RenewInput } from "../../../lib/contract/lock.ts";
import { json } from "../http.ts";
import { type Route, route } from "../route.ts";
import type { Services } from "../services.ts";

const ALWAYS = [
  "invalid",
  "unauthenticated",
  "forbidden",
  "too_large",
  "unsupported_media_type",
  "key_not_allowed",
  "not_a_lock",
  "request_id_reused",
  "unavailable",
  "unknown_outcome",
] as const;

/** The verbs that apps call. */
export function verbRoutes({ locks }: Services): Route[] {
  return [
    route({
      method: "POST",
      path: "/locks/{key}/acquire",
      access: "lock",
      summary: "Acquire a lock without waiting",
      description:
        "Grants the lock when it is free, or once more when the same owner holds it (count rises, fence stays). A lease can be outlived by a pause of the holder: hand the fence to the resource and let it refuse lower ones.",
      body: AcquireInput,
      idempotent: true,
      response: { status: 200, schema: Grant, description: "Granted." },
      errors: [...ALWAYS, "held", "lost"],
      handle: async ({ key, body, requestId, request }) => {
        const { grant, abandon } = await locks.acquire(key, { ...body, requestId });
        // Whoever asked has gone: nobody knows of this hold, so nobody would release it.
        if (request.signal.aborted) abandon();
        return json(200, grant);
      },
    }),
    route({
      method: "POST",
      path: "/locks/{key}/renew",
      access: "lock",
      summary: "Prolong a hold",
      description: "Never creates a lock and never shortens a lease.",
      body: RenewInput,
      idempotent: true,
      response: { status: 200, schema: Grant, description: "Renewed." },
      errors: [...ALWAYS, "lost"],
      handle: async ({ key, body, requestId }) => json(200, await locks.renew(key, { ...body, requestId })),
    }),
    route({
      method: "POST",
      path: "/locks/{key}/release",
      access: "lock",
      summary: "Give back one count of a hold",
      description: "Releasing what one does not hold is an outcome, not an error.",
      body: ReleaseInput,
      idempotent: true,
      response: { status: 200, schema: Released, description: "Released, or there was nothing to release." },
      errors: [...ALWAYS],
      handle: async ({ key, body, requestId }) => json(200, await locks.release(key, { ...body, requestId })),
    }),
  ];
}
