import { WritableFormat } from "../../lib/contract/format.ts";
import type { Key } from "../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../redis/commands.ts";
import { UnexpectedReplyError } from "../redis/failure.ts";
import { Script, toRedisArgument } from "../redis/script.ts";
import { computeCompanionMs, formatOwnerLines } from "./companion.ts";
import { buildCompanionKey, buildFencedCounterKey, buildWaitersKey } from "./keys.ts";
import type { AcquireRequest, WaitRequest } from "./lock-requests.ts";
import { type AcquireReply, type GrantedReply, parseAcquireReply } from "./script-replies.ts";

/** One of several locks to acquire, and the token of the new hold. */
export interface LockToAcquire {
  readonly key: Key;
  readonly token: string;
}

/** How a request for several locks waits if it is refused. */
export interface WaitForAllRequest extends WaitRequest {
  /** Identifies the client in the lists of waiters. */
  readonly waiterId: string;
  /** The lock whose list of waiters already contains the client; `undefined` if no list contains the client. */
  readonly listedKey: Key | undefined;
}

/**
 * The reply to a request for several locks: either grants for all of them, in the same order as in the request, or the
 * refusal for the lock at `index`.
 */
export type AcquireAllReply =
  | { readonly outcome: "granted"; readonly grants: readonly GrantedReply[] }
  | { readonly outcome: "refused"; readonly index: number; readonly reply: RefusedAcquireReply };

export type RefusedAcquireReply = Exclude<AcquireReply, GrantedReply>;

type AcquireAllScript = Script<RedisArgument[], RedisArgument[], AcquireAllReply>;

const SCRIPTS: ReadonlyMap<WritableFormat, AcquireAllScript> = new Map(
  WritableFormat.options.map((format) => [
    format,
    new Script(
      new URL("acquire-all.lua", import.meta.url),
      parseAcquireAllReply,
      new URL(`${format}/`, import.meta.url),
    ),
  ]),
);

/**
 * Acquires all the locks, or none of them. On a cluster, all keys must be in the same slot.
 *
 * @param ask the request for all locks. It has no token, because each lock has its own
 */
export async function acquireAll(
  redis: Commands,
  channel: string,
  format: WritableFormat,
  locks: readonly LockToAcquire[],
  ask: Omit<AcquireRequest, "token">,
  waiting?: WaitForAllRequest,
): Promise<AcquireAllReply> {
  const listed = locks.findIndex(({ key }) => key === waiting?.listedKey);
  const script = SCRIPTS.get(format);
  if (script === undefined) throw new Error(`No script for the format ${format}`);
  return await script.run(
    redis,
    locks.flatMap(({ key }) => [
      toRedisArgument(key),
      buildCompanionKey(key),
      buildFencedCounterKey(key),
      buildWaitersKey(key),
    ]),
    [
      ask.leaseMs,
      ask.id,
      ask.digest,
      channel,
      formatOwnerLines(ask),
      computeCompanionMs(ask.leaseMs),
      waiting?.waitMs ?? "",
      waiting?.sinceMs ?? "",
      waiting?.waitersMax ?? "",
      ask.retryMs ?? "",
      ask.graceMs,
      ask.minHoldMs,
      ask.unit,
      waiting?.giveWayMs ?? "",
      waiting?.waiterId ?? ask.id,
      listed < 0 ? "" : listed + 1,
      ...locks.map(({ token }) => token),
    ],
  );
}

function parseAcquireAllReply(reply: unknown): AcquireAllReply {
  if (!Array.isArray(reply)) throw createReplyError(reply);
  const [outcome, ...rest]: unknown[] = reply;
  if (outcome === "granted") return { outcome, grants: rest.map(parseGrant) };
  const refusal = parseAcquireReply(rest[1]);
  if (outcome !== "refused" || refusal.outcome === "granted") throw createReplyError(outcome);
  return { outcome, index: Number(rest[0]) - 1, reply: refusal };
}

function parseGrant(reply: unknown): GrantedReply {
  const grant = parseAcquireReply(reply);
  if (grant.outcome !== "granted") throw createReplyError(grant.outcome);
  return grant;
}

function createReplyError(reply: unknown): UnexpectedReplyError {
  return new UnexpectedReplyError(`acquire-all.lua returned ${JSON.stringify(reply)}`);
}
