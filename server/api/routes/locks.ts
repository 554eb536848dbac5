import type { z } from "zod";
import { Extended, ExtendInput } from "../../../lib/contract/actions/extend.ts";
import {
  ForceReleased,
  ForceReleaseInput,
  ReserveInput,
} from "../../../lib/contract/actions/force-release.ts";
import { Reservation } from "../../../lib/contract/actions/verb.ts";
import { ListQuery, LockList } from "../../../lib/contract/list.ts";
import { Lock } from "../../../lib/contract/lock.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { getAllowedKeys } from "../../auth/principal.ts";
import { createObservedNotALockError } from "../../locks/verbs/error-factories.ts";
import { explainRedisFailure } from "../../locks/verbs/explain-redis-failure.ts";
import { requireReadable } from "../../locks/verbs/require-readable.ts";
import { extendLock } from "../../operator/extend-lock.ts";
import { forceReleaseLock } from "../../operator/force-release.ts";
import type { KeyPatternSet } from "../../redis/glob.ts";
import { toVerbCall } from "../../stats/verb-call.ts";
import type { ObservedHold } from "../../watch/holds/observed-hold.ts";
import { parseSortOrder } from "../../watch/index/query-cache.ts";
import type { Watcher } from "../../watch/watcher.ts";
import { decodeCursor, encodeCursor } from "../http/cursor.ts";
import { createTaggedResponse } from "../http/etag.ts";
import { toReservation } from "../http/hold-json.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { RESERVED } from "../openapi/examples/holds.ts";
import { EXTENDED, FORCE_RELEASED, HELD_LOCK, LOCK_LIST } from "../openapi/examples/locks.ts";
import { assertConnected } from "../routing/assert-connected.ts";
import { toAuditReleaseOutcome, toAuditSeen } from "../routing/auditing.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";

/** Looking at locks, and the operator's release. */
export function createLockRoutes(): Route[] {
  return [
    defineTargetRoute({
      method: "GET",
      path: "/locks",
      operationId: "listLocks",
      tag: "Locks",
      access: "read",
      summary: "List the locks that are held, or have ended and are still there",
      query: ListQuery,
      filtersByGrant: true,
      response: { status: 200, schema: LockList, example: LOCK_LIST, description: "One page.", etag: true },
      handle: ({ target, query, principal }) =>
        createTaggedResponse(
          listLocks(target.watcher, query, getAllowedKeys(principal, "read", target.name)),
        ),
    }),
    defineTargetRoute({
      method: "GET",
      path: "/locks/{key}",
      operationId: "getLock",
      tag: "Locks",
      access: "read",
      summary: "Look at one lock, in Redis, now",
      response: {
        status: 200,
        schema: Lock,
        example: HELD_LOCK,
        description: "The lock; a free key has no holders.",
        etag: true,
      },
      errors: ["not_a_lock", "key_not_allowed"],
      handle: async ({ target, key, principal }) =>
        createTaggedResponse(
          await readLock(target.watcher, key, getAllowedKeys(principal, "read", target.name)),
        ),
    }),
    defineTargetRoute({
      method: "POST",
      path: "/locks/{key}/force-release",
      operationId: "forceReleaseLock",
      tag: "Locks",
      access: "force",
      summary: "Free a stuck lock, if it is still the hold that was seen",
      description:
        "Compares `expectedVersion` with the hold that is there now; frees that one or nothing, wakes its waiters as its library would, and records who and why. With `reservedMs` the lock is never free in between: it stays taken in the caller's name, in the format it has. What may be done about a lock, and what must be named for it, is its `release`. The old holder may still be working: only a fence at the resource stops its writes. Some libraries make a lock again that was freed: look for the event `recreated` for `watchMs`.",
      body: ForceReleaseInput,
      examples: {
        "Free it": { expectedVersion: "fence.1795216496123456", reason: "its worker lost its node" },
        "Free it, and keep everybody off for a minute": {
          expectedVersion: "fence.1795216496123456",
          reason: "its worker lost its node",
          reservedMs: 60_000,
        },
        "Free what may be a lock of several libraries": {
          expectedVersion: "token.ud8a2LQp1x0s",
          reason: "its worker lost its node",
          format: "redsync",
        },
      },
      response: {
        status: 200,
        schema: ForceReleased,
        example: FORCE_RELEASED,
        description: "Released, or already gone.",
      },
      errors: [
        "reason_required",
        "format_required",
        "read_only",
        "changed",
        "unverified",
        "not_a_lock",
        "key_not_allowed",
        "unknown_outcome",
      ],
      verb: ({ target, key, body }) => toVerbCall("force_release", target.name, key, body),
      audit: ({ target, key, body: { expectedVersion, reason, reservedMs, format, onUnverified } }) => ({
        action: "force_release",
        seen: toAuditSeen(target, key, expectedVersion),
        reason,
        details: { onUnverified, reservedMs, format },
      }),
      handle: async ({ target, key, body, principal }) => {
        const allowedKeys = getAllowedKeys(principal, "force", target.name);
        const released = await forceReleaseLock(target, key, {
          ...body,
          by: principal.name,
          allowedKeys: allowedKeys,
        });
        return createJsonResponse(200, released, {
          verbEnd: { outcome: released.outcome },
          auditOutcome: toAuditReleaseOutcome(released),
        });
      },
    }),
    defineTargetRoute({
      method: "POST",
      path: "/locks/{key}/extend",
      operationId: "extendLock",
      tag: "Locks",
      access: "force",
      summary: "Give a holder more time, if it is still the hold that was seen",
      description:
        "Compares `expectedVersion` with the hold that is there now, and prolongs that one to at least `leaseMs`, or does nothing. It never creates a lock and never shortens one. Any lock whose end is the time to live of its key, and any hold of ours. The holder is not told: a library that renews sets its own time again at its next renewal (`lasts`), and one that keeps its own deadline stops there. It is told as the event `renewed` with `by` and `reason`.",
      body: ExtendInput,
      examples: {
        "Ten minutes for a migration that takes longer than thought": {
          expectedVersion: "fence.1795216496123456",
          leaseMs: 600_000,
          reason: "the migration is at 80 %",
        },
      },
      response: { status: 200, schema: Extended, example: EXTENDED, description: "It has that much time." },
      errors: [
        "reason_required",
        "format_required",
        "read_only",
        "lost",
        "changed",
        "unverified",
        "not_a_lock",
        "key_not_allowed",
        "unknown_outcome",
      ],
      audit: ({ target, key, body: { expectedVersion, reason, leaseMs, format, onUnverified } }) => ({
        action: "extend",
        seen: toAuditSeen(target, key, expectedVersion),
        reason,
        details: { leaseMs, onUnverified, format },
      }),
      handle: async ({ target, key, body, principal }) => {
        const allowedKeys = getAllowedKeys(principal, "force", target.name);
        const extended = await extendLock(target, key, {
          ...body,
          by: principal.name,
          allowedKeys: allowedKeys,
        });
        return createJsonResponse(200, extended, { verbEnd: { outcome: extended.outcome } });
      },
    }),
    defineTargetRoute({
      method: "POST",
      path: "/locks/{key}/reserve",
      operationId: "reserveLock",
      tag: "Locks",
      access: "force",
      summary: "Keep everybody off a free lock for a while",
      description:
        "Takes the lock for `lockkeeper:reserve:<who>` in its own format, so that no client of any library gets it. It is listed like any lock, ends by itself, and is freed by force. A lock that is held is `held`: free it with `reservedMs` instead.",
      body: ReserveInput,
      examples: {
        "For ten minutes": { reservedMs: 600_000, reason: "migration of the orders table" },
        "Also from SETNX and GETSET clients that write seconds": {
          reservedMs: 600_000,
          format: "timestamp",
          unit: "s",
        },
      },
      idempotent: "by_lock",
      response: {
        status: 200,
        schema: Reservation,
        example: RESERVED,
        description: "Nobody gets it until this ends.",
      },
      errors: [
        "held",
        "lost",
        "unit_conflict",
        "not_a_lock",
        "key_not_allowed",
        "idempotency_key_reused",
        "unknown_outcome",
      ],
      verb: ({ target, key, body }) => toVerbCall("reserve", target.name, key, body),
      audit: ({ target, key, body: { reason, ...details } }) => ({
        action: "reserve",
        seen: toAuditSeen(target, key),
        ...(reason === undefined ? {} : { reason }),
        details,
      }),
      handle: async ({ target, key, body, principal, requestId }) => {
        const ask = { ...body, by: principal.name, principal: principal.id, requestId };
        const grant = await target.locks.reserve(key, ask);
        return createJsonResponse(200, toReservation(target.name, grant), {
          verbEnd: { outcome: "granted" },
          auditOutcome: { owner: grant.owner },
        });
      },
    }),
  ];
}

/** @throws LockkeeperError not_a_lock, unavailable */
async function readLock(watcher: Watcher, key: Key, allowedKeys: KeyPatternSet | undefined): Promise<Lock> {
  const { observation: seen, hold } = await explainRedisFailure(
    () => watcher.readKey(key),
    "The lock cannot be looked at now.",
  );
  const observation = requireReadable(seen);
  if (observation.state === "not_a_lock") throw createObservedNotALockError(observation);
  if (hold !== undefined) return toVisibleLock(watcher, hold, allowedKeys);
  const { waiters, votes } = observation.state === "free" ? observation : {};
  return watcher.locks.toFreeLock(key, observation.asOf, waiters, votes);
}

/** Of the keys that hold the same token only those are named that the caller may look at. */
function toVisibleLock(watcher: Watcher, hold: ObservedHold, allowedKeys: KeyPatternSet | undefined): Lock {
  return watcher.locks.toLock(hold, watcher.locks.findKeysSharingToken(hold, allowedKeys));
}

function listLocks(
  watcher: Watcher,
  { limit, cursor, filter, sort }: z.output<typeof ListQuery>,
  allowedKeys: KeyPatternSet | undefined,
): LockList {
  assertConnected(watcher);
  const order = parseSortOrder(sort);
  const start = cursor === undefined ? { offset: 0 } : { after: decodeCursor(cursor, order) };
  const { holds, total, next } = watcher.index.queryPage(filter, order, start, limit, allowedKeys);
  return {
    items: holds.map((hold) => toVisibleLock(watcher, hold, allowedKeys)),
    total,
    ...(next === undefined ? {} : { next: encodeCursor(next, order) }),
    asOf: watcher.clock.lastUpdate,
  };
}
