import { parseReservedOwner } from "../../../lib/contract/actions/reservation.ts";
import { isWritableFormat, type LockKind, type WritableKind } from "../../../lib/contract/format.ts";
import type { Holder, Lock, Waiters } from "../../../lib/contract/lock.ts";
import { formatKey, type Key, toKeyFields } from "../../../lib/keys/key.ts";
import { formatHoldId } from "../../formats/hold-id.ts";
import type { SeenHolder, SeenVotes } from "../../formats/observation.ts";
import { getReleaseTerms } from "../../formats/registry/release-terms.ts";
import { buildHolderVersion, buildHoldVersion } from "./hold-version.ts";
import { describeLiveness } from "./liveness.ts";
import {
  getHolderSince,
  getLeaseMs,
  getRemainingMs,
  type ObservedHold,
  type ObservedHolder,
} from "./observed-hold.ts";

/** Converts a hold to its API form. */
export function toLock(target: string, hold: ObservedHold, sharedWith: readonly Key[]): Lock {
  const { seen } = hold;
  return {
    target,
    ...toKeyFields(hold.key),
    state: seen.state,
    type: seen.type,
    format: seen.format,
    candidates: [...seen.candidates],
    kind: seen.kind,
    confidence: seen.confidence,
    ...(hold.isListed ? {} : { unlisted: true }),
    holders: hold.holders.map((holder) => toHolder(target, hold, holder)),
    ...(seen.permits === undefined ? {} : { permits: seen.permits }),
    ...(seen.lastFence === undefined ? {} : { lastFence: seen.lastFence }),
    remainingMs: seen.remainingMs,
    leaseMs: getLeaseMs(hold),
    waiters: seen.waiters ?? UNKNOWN_WAITERS,
    ...toVotesField(seen.votes),
    liveness: describeLiveness(hold),
    sharedWith: sharedWith.map(toKeyFields),
    release: getReleaseTerms(seen),
    version: buildHoldVersion(hold),
    asOf: seen.asOf,
  };
}

function toHolder(target: string, hold: ObservedHold, holder: ObservedHolder): Holder {
  const { owner, ownersPerMaster, role, count, fence, record, marginMs } = holder.seen;
  const { receivesReleaseRequests, releaseRequested } = holder.seen;
  const remainingMs = getRemainingMs(hold, holder);
  const { key: text, keyBase64 } = toKeyFields(owner);
  return {
    owner: text,
    ...(keyBase64 === undefined ? {} : { ownerBase64: keyBase64 }),
    ...(ownersPerMaster === undefined ? {} : { ownersPerMaster: ownersPerMaster.map(formatKey) }),
    ...(role === undefined ? {} : { role }),
    count,
    fence,
    holdId: findHoldId(target, hold, holder.seen),
    ...(record === undefined ? {} : { record }),
    ...getHolderSince(holder),
    remainingMs: remainingMs === null ? null : Math.max(0, remainingMs - marginMs),
    ...(receivesReleaseRequests === undefined ? {} : { receivesReleaseRequests }),
    ...(releaseRequested === undefined ? {} : { releaseRequested }),
    version: buildHolderVersion(hold, holder),
  };
}

/**
 * Returns the id of the hold in the API. Returns `null` for holds that no verb accepts: foreign holds, reservations,
 * and formats that Lockkeeper does not write.
 */
function findHoldId(
  target: string,
  { key, seen }: ObservedHold,
  { token, role, fence, unit, kind }: SeenHolder,
): string | null {
  if (fence === null || !isWritableFormat(seen.format) || parseReservedOwner(token) !== undefined)
    return null;
  // Among the formats that Lockkeeper writes, only Redisson's has read and write locks, so the role is also the kind.
  const held = { target, key, format: seen.format, kind: kind ?? role ?? toWritableKind(seen.kind), unit };
  return formatHoldId({ ...held, token: formatKey(token), fence });
}

/** Returns the kind if it is `semaphore`, otherwise `undefined`. The verbs treat all other kinds as plain locks. */
function toWritableKind(kind: LockKind): WritableKind | undefined {
  return kind === "semaphore" ? kind : undefined;
}

function toVotesField(votes: SeenVotes | undefined): Pick<Lock, "votes"> {
  if (votes === undefined) return {};
  const owners = votes.owners.map(({ owner, masters }) => {
    const { key: text, keyBase64 } = toKeyFields(owner);
    return { owner: text, ...(keyBase64 === undefined ? {} : { ownerBase64: keyBase64 }), masters };
  });
  return { votes: { ...votes, owners } };
}

const UNKNOWN_WAITERS: Waiters = { count: null, known: "unknown" };

export function toFreeLock(
  target: string,
  key: Key,
  asOf: number,
  waiters: Waiters = UNKNOWN_WAITERS,
  votes?: SeenVotes,
): Lock {
  return {
    target,
    ...toKeyFields(key),
    state: "free",
    type: null,
    format: null,
    candidates: [],
    kind: null,
    confidence: null,
    holders: [],
    remainingMs: null,
    leaseMs: null,
    waiters,
    ...toVotesField(votes),
    liveness: null,
    sharedWith: [],
    release: null,
    version: null,
    asOf,
  };
}
