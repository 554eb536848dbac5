import type { z } from "zod";
import { Extended, ExtendInput } from "../../../lib/contract/actions/extend.ts";
import {
  ForceReleased,
  ForceReleaseInput,
  ReserveInput,
} from "../../../lib/contract/actions/force-release.ts";
import { Grant } from "../../../lib/contract/actions/verb.ts";
import { ListQuery, LockList } from "../../../lib/contract/list.ts";
import { Lock } from "../../../lib/contract/lock.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { keysFor } from "../../auth/principal.ts";
import { noLockSeen } from "../../locks/verbs/error-factories.ts";
import { whileRedisAnswers } from "../../locks/verbs/explain-redis-failure.ts";
import { answered } from "../../locks/verbs/require-readable.ts";
import { extendByForce } from "../../operator/extend-lock.ts";
import { freeByForce } from "../../operator/force-release.ts";
import type { KeyRange } from "../../redis/glob.ts";
import { callOf } from "../../stats/verb-call.ts";
import type { Hold } from "../../watch/holds/observed-hold.ts";
import { orderOf } from "../../watch/index/query-cache.ts";
import type { Watcher } from "../../watch/watcher.ts";
import { cursorAt, placeIn } from "../http/cursor.ts";
import { tagged } from "../http/etag.ts";
import { json } from "../http/http-exchange.ts";
import { EXTENDED, FORCE_RELEASED, HELD_LOCK, LOCK_LIST, RESERVED } from "../openapi/examples/locks.ts";
import { assertUp } from "../routing/assert-connected.ts";
import { auditOfFreed, seenOf } from "../routing/auditing.ts";
import { type Route, targetRoute } from "../routing/route.ts";

/** Looking at locks, and the operator's release. */
export function lockRoutes(): Route[] {
  return [
    targetRoute({
      method: "GET",
      path: "/locks",
      operationId: "listLocks",
      tag: "Looking",
      access: "read",
      summary: "List the locks that are held, or have ended and are still there",
      query: ListQuery,
      narrows: true,
      response: { status: 200, schema: LockList, example: LOCK_LIST, description: "One page.", etag: true },
      handle: ({ target, query, principal }) =>
        tagged(listOf(target.watcher, query, keysFor(principal, "read", target.name))),
    }),
    targetRoute({
      method: "GET",
      path: "/locks/{key}",
      operationId: "getLock",
      tag: "Looking",
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
        tagged(await lockNow(target.watcher, key, keysFor(principal, "read", target.name))),
    }),
    targetRoute({
      method: "POST",
      path: "/locks/{key}/force-release",
      operationId: "forceReleaseLock",
      tag: "Acting",
      access: "force",
      summary: "Free a stuck lock, if it is still the hold that was seen",
      description:
        "Compares `expect` with the hold that is there now; frees that one or nothing, wakes its waiters as its library would, and records who and why. With `holdOffMs` the lock is never free in between: it stays taken in the caller's name, in the format it has. What may be done about a lock, and what must be named for it, is its `release`. The old holder may still be working: only a fence at the resource stops its writes. Some libraries make a lock again that was freed: look for the event `recreated` for `watchMs`.",
      body: ForceReleaseInput,
      examples: {
        "Free it": { expect: "fence.1795216496123456", reason: "its worker lost its node" },
        "Free it, and keep everybody off for a minute": {
          expect: "fence.1795216496123456",
          reason: "its worker lost its node",
          holdOffMs: 60_000,
        },
        "Free what may be a lock of several libraries": {
          expect: "token.ud8a2LQp1x0s",
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
        "unsure",
        "not_a_lock",
        "key_not_allowed",
        "unknown_outcome",
      ],
      verb: ({ target, key, body }) => callOf("force-release", target.name, key, body),
      audit: ({ target, key, body: { expect, reason, holdOffMs, format, ifUnsure } }) => ({
        action: "force-release",
        seen: seenOf(target, key, expect),
        reason,
        details: { ifUnsure, holdOffMs, format },
      }),
      handle: async ({ target, key, body, principal }) => {
        const within = keysFor(principal, "force", target.name);
        const freed = await freeByForce(target, key, { ...body, by: principal.name, within });
        return json(200, freed, { end: { outcome: freed.outcome }, audited: auditOfFreed(freed) });
      },
    }),
    targetRoute({
      method: "POST",
      path: "/locks/{key}/extend",
      operationId: "extendLock",
      tag: "Acting",
      access: "force",
      summary: "Give a holder more time, if it is still the hold that was seen",
      description:
        "Compares `expect` with the hold that is there now, and prolongs that one to at least `leaseMs`, or does nothing. It never creates a lock and never shortens one. Any lock whose end is the time to live of its key, and any hold of ours. The holder is not told: a library that renews sets its own time again at its next renewal (`lasts`), and one that keeps its own deadline stops there. It is told as the event `renewed` with `by` and `reason`.",
      body: ExtendInput,
      examples: {
        "Ten minutes for a migration that takes longer than thought": {
          expect: "fence.1795216496123456",
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
        "unsure",
        "not_a_lock",
        "key_not_allowed",
        "unknown_outcome",
      ],
      audit: ({ target, key, body: { expect, reason, leaseMs, format, ifUnsure } }) => ({
        action: "extend",
        seen: seenOf(target, key, expect),
        reason,
        details: { leaseMs, ifUnsure, format },
      }),
      handle: async ({ target, key, body, principal }) => {
        const within = keysFor(principal, "force", target.name);
        const extended = await extendByForce(target, key, { ...body, by: principal.name, within });
        return json(200, extended, { end: { outcome: extended.outcome } });
      },
    }),
    targetRoute({
      method: "POST",
      path: "/locks/{key}/reserve",
      operationId: "reserveLock",
      tag: "Acting",
      access: "force",
      summary: "Keep everybody off a free lock for a while",
      description:
        "Takes the lock for `lockkeeper:reserve:<who>` in its own format, so that no client of any library gets it. It is listed like any lock, ends by itself, and is freed by force. A lock that is held is `held`: free it with `holdOffMs` instead.",
      body: ReserveInput,
      examples: {
        "For ten minutes": { holdOffMs: 600_000, reason: "migration of the orders table" },
        "Also from SETNX and GETSET clients that write seconds": {
          holdOffMs: 600_000,
          format: "timestamp",
          unit: "s",
        },
      },
      idempotent: "by_lock",
      response: {
        status: 200,
        schema: Grant,
        example: RESERVED,
        description: "Nobody gets it until this ends.",
      },
      errors: [
        "held",
        "lost",
        "unit_conflict",
        "not_a_lock",
        "key_not_allowed",
        "request_id_reused",
        "unknown_outcome",
      ],
      verb: ({ target, key, body }) => callOf("reserve", target.name, key, body),
      audit: ({ target, key, body: { reason, ...details } }) => ({
        action: "reserve",
        seen: seenOf(target, key),
        ...(reason === undefined ? {} : { reason }),
        details,
      }),
      handle: async ({ target, key, body, principal, requestId }) => {
        const ask = { ...body, by: principal.name, principal: principal.id, requestId };
        const grant = await target.locks.reserve(key, ask);
        return json(200, grant, { end: { outcome: "granted" }, audited: { owner: grant.owner } });
      },
    }),
  ];
}

/** @throws LockkeeperError not_a_lock, unavailable */
async function lockNow(watcher: Watcher, key: Key, within: KeyRange | undefined): Promise<Lock> {
  const { observation: seen, hold } = await whileRedisAnswers(
    () => watcher.look(key),
    "The lock cannot be looked at now.",
  );
  const observation = answered(seen);
  if (observation.state === "not_a_lock") throw noLockSeen(observation);
  if (hold !== undefined) return shown(watcher, hold, within);
  const { waiters, votes } = observation.state === "free" ? observation : {};
  return watcher.freeLock(key, observation.asOf, waiters, votes);
}

/** Of the keys that hold the same token only those are named that the caller may look at. */
function shown(watcher: Watcher, hold: Hold, within: KeyRange | undefined): Lock {
  return watcher.lockOf(hold, watcher.sharedWith(hold, within));
}

function listOf(
  watcher: Watcher,
  { limit, cursor, filter, sort }: z.output<typeof ListQuery>,
  within: KeyRange | undefined,
): LockList {
  assertUp(watcher);
  const order = orderOf(sort);
  const start = cursor === undefined ? { offset: 0 } : { after: placeIn(cursor, order) };
  const { holds, total, next } = watcher.mirror.page(filter, order, start, limit, within);
  return {
    items: holds.map((hold) => shown(watcher, hold, within)),
    total,
    ...(next === undefined ? {} : { next: cursorAt(next, order) }),
    asOf: watcher.clock.lastHeard,
  };
}
