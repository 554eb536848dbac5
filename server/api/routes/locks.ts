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
import { requireReadable } from "../../formats/registry/require-readable.ts";
import { createObservedNotALockError } from "../../locks/verbs/error-factories.ts";
import { explainRedisFailure } from "../../operator/explain-redis-failure.ts";
import { extendLock } from "../../operator/extend-lock.ts";
import { forceReleaseLock } from "../../operator/force-release.ts";
import type { KeyPatternSet } from "../../redis/glob.ts";
import { toVerbCall } from "../../stats/verb-call.ts";
import type { ObservedHold } from "../../watch/holds/observed-hold.ts";
import { UNLISTED_FILTER } from "../../watch/index/lock-index.ts";
import { BY_KEY, parseSortOrder } from "../../watch/index/query-context.ts";
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

/** Creates the routes that read locks, and the routes for operator actions on a single lock. */
export function createLockRoutes(): Route[] {
  return [
    defineTargetRoute({
      method: "GET",
      path: "/locks",
      operationId: "listLocks",
      tag: "Locks",
      access: "read",
      summary: "List locks",
      description:
        "Lists the indexed locks that are held, or whose deadline has passed while their key still exists. Locks that the caller cannot read are omitted. Possible locks are listed where their key matches a lockable pattern or a format rule; `unlisted` counts the others, and the filter `is:unlisted` finds them.",
      query: ListQuery,
      filtersByGrant: true,
      expensive: true,
      response: {
        status: 200,
        schema: LockList,
        example: LOCK_LIST,
        description: "A page of locks.",
        etag: true,
      },
      handle: async ({ target, query, principal, cpu }) => {
        const allowedKeys = getAllowedKeys(principal, "read", target.name);
        assertConnected(target.watcher);
        await target.watcher.readQueued();
        const { index } = target.watcher;
        if (allowedKeys !== undefined) await index.prepareQuery(UNLISTED_FILTER, BY_KEY, allowedKeys, cpu);
        await index.prepareQuery(query.filter, parseSortOrder(query.sort), allowedKeys, cpu);
        return cpu.run(() => createTaggedResponse(listLocks(target.watcher, query, allowedKeys)));
      },
    }),
    defineTargetRoute({
      method: "GET",
      path: "/locks/{key}",
      operationId: "getLock",
      tag: "Locks",
      access: "read",
      summary: "Get a lock",
      description: "Reads the lock from Redis. A free key is returned without holders.",
      response: {
        status: 200,
        schema: Lock,
        example: HELD_LOCK,
        description: "The lock.",
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
      summary: "Force-release a lock",
      description:
        "Releases the hold that `expectedVersion` identifies, or nothing if the hold has changed; wakes its waiters as its library would, and records the caller and the reason. With `reservedMs` no client can acquire the lock in between. The old holder may still be working: only a fencing token at the resource stops its writes. Some libraries recreate a released lock: watch for the event `recreated` for `watchMs`.",
      body: ForceReleaseInput,
      examples: {
        Release: { expectedVersion: "fence.1795216496123456", reason: "pod-7 lost its node" },
        "Release and reserve for 1 minute": {
          expectedVersion: "fence.1795216496123456",
          reason: "pod-7 lost its node",
          reservedMs: 60_000,
        },
        "Name the format of an ambiguous lock": {
          expectedVersion: "token.ud8a2LQp1x0s",
          reason: "pod-7 lost its node",
          format: "redsync",
        },
      },
      response: {
        status: 200,
        schema: ForceReleased,
        example: FORCE_RELEASED,
        description: "Result of the force-release.",
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
      summary: "Extend the lease of a lock",
      description:
        "Extends the hold that `expectedVersion` identifies to at least `leaseMs`, or changes nothing. Never creates a lock and never shortens a lease. Works for locks that expire by the TTL of their key, and for holds acquired through Lockkeeper. The holder is not notified: `lasts` reports whether its library will replace the new time.",
      body: ExtendInput,
      examples: {
        "Extend to 10 minutes": {
          expectedVersion: "fence.1795216496123456",
          leaseMs: 600_000,
          reason: "migration 80 % done",
        },
      },
      response: { status: 200, schema: Extended, example: EXTENDED, description: "Result of the extension." },
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
      summary: "Reserve a free lock",
      description:
        "Acquires a free lock for `lockkeeper:reserve:<name>`, so that no client of any library can acquire it; pass the `format` that the lock's clients use. The reservation is listed like any lock, expires after `reservedMs`, and can be force-released early. A held lock is refused with `held`: force-release it with `reservedMs` instead.",
      body: ReserveInput,
      examples: {
        "Reserve for 10 minutes": { reservedMs: 600_000, reason: "migration of the orders table" },
        "Reserve against SETNX and GETSET clients that write seconds": {
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
        description: "The reservation.",
      },
      errors: [
        "held",
        "lost",
        "unit_conflict",
        "kind_conflict",
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

/**
 * Reads the state of a lock from Redis.
 * @throws LockkeeperError not_a_lock, unavailable
 */
async function readLock(watcher: Watcher, key: Key, allowedKeys: KeyPatternSet | undefined): Promise<Lock> {
  const { observation: seen, hold } = await explainRedisFailure(
    () => watcher.readKey(key),
    "The lock cannot be read now.",
  );
  const observation = requireReadable(seen);
  if (observation.state === "not_a_lock") throw createObservedNotALockError(observation);
  if (hold !== undefined) return toVisibleLock(watcher, hold, allowedKeys);
  const { waiters, votes } = observation.state === "free" ? observation : {};
  return watcher.locks.toFreeLock(key, observation.asOf, waiters, votes);
}

/** Builds the `Lock` of an observed hold. Its `sharedWith` contains only keys that the caller may read. */
function toVisibleLock(watcher: Watcher, hold: ObservedHold, allowedKeys: KeyPatternSet | undefined): Lock {
  return watcher.locks.toLock(hold, watcher.locks.findKeysSharingToken(hold, allowedKeys));
}

function listLocks(
  watcher: Watcher,
  { limit, cursor, filter, sort }: z.output<typeof ListQuery>,
  allowedKeys: KeyPatternSet | undefined,
): LockList {
  const order = parseSortOrder(sort);
  const start = cursor === undefined ? { offset: 0 } : { after: decodeCursor(cursor, order) };
  const { holds, total, next } = watcher.index.queryPage(filter, order, start, limit, allowedKeys);
  return {
    items: holds.map((hold) => toVisibleLock(watcher, hold, allowedKeys)),
    total,
    unlisted: watcher.index.countUnlisted(allowedKeys),
    ...(next === undefined ? {} : { next: encodeCursor(next, order) }),
    asOf: watcher.asOf,
  };
}
