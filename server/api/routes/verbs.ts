import {
  AcquireInput,
  Grant,
  Released,
  ReleaseInput,
  RenewInput,
  Verified,
  VerifyInput,
} from "../../../lib/contract/lock.ts";
import { json } from "../http.ts";
import { type Route, route } from "../route.ts";
import type { Services } from "../services.ts";

const LOOKING = [
  "invalid",
  "unauthenticated",
  "forbidden",
  "too_large",
  "unsupported_media_type",
  "key_not_allowed",
  "not_a_lock",
  "unavailable",
  "unknown_outcome",
] as const;
const ALWAYS = [...LOOKING, "request_id_reused"] as const;

/** The verbs that apps call. */
export function verbRoutes({ locks }: Services): Route[] {
  return [
    route({
      method: "POST",
      path: "/locks/{key}/acquire",
      access: "lock",
      summary: "Acquire a lock",
      description:
        "Grants the lock when it is free, or once more when the same owner holds it (count rises, fence stays). With `waitMs` the request is held open until the lock is granted or the time is over (`timeout`); who repeats its Idempotency-Key within 5 s keeps its place, and who closes the connection leaves nothing behind. A lease can be outlived by a pause of the holder: hand the fence to the resource and let it refuse lower ones.",
      body: AcquireInput,
      idempotent: true,
      response: { status: 200, schema: Grant, description: "Granted." },
      errors: [...ALWAYS, "held", "timeout", "lost", "queue_full", "aborted"],
      handle: async ({ key, body, requestId, request }) => {
        const { grant, abandon } = await locks.acquire(key, {
          ...body,
          requestId,
          // Made when it is asked for, so only those who wait pay for it.
          ...(body.waitMs > 0 ? { signal: request.signal } : {}),
        });
        // Whoever asked has gone: nobody knows of this hold, so nobody would release it. With an id of its own the
        // caller may be asking again already, and would be told of the very hold that we take back.
        return requestId === undefined ? { ...json(200, grant), onUndelivered: abandon } : json(200, grant);
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
    route({
      method: "POST",
      path: "/locks/{key}/verify",
      access: "lock",
      summary: "Ask whether an owner holds the lock now",
      description:
        "Changes nothing. The answer may be out of date when it arrives: it replaces neither the deadline that the holder keeps nor the fence that the resource compares.",
      body: VerifyInput,
      response: { status: 200, schema: Verified, description: "It does." },
      errors: [...LOOKING, "lost"],
      handle: async ({ key, body }) => json(200, await locks.verify(key, body)),
    }),
  ];
}
