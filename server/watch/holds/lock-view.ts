import type { Holder, Lock, Waiters } from "../../../lib/contract/lock.ts";
import { fieldsOfKey, type Key } from "../../../lib/keys/key.ts";
import type { SeenVotes } from "../../formats/observation.ts";
import { releaseTermsOf } from "../../formats/registry/release-terms.ts";
import { holderVersionOf, versionOf } from "./hold-version.ts";
import { verdictOf } from "./liveness.ts";
import { type HeldBy, type Hold, leaseOf, remainingOf, sinceOf } from "./observed-hold.ts";

/** A hold as the contract gives it. */
export function lockOf(target: string, hold: Hold, sharedWith: readonly Key[]): Lock {
  const { seen } = hold;
  return {
    target,
    ...fieldsOfKey(hold.key),
    state: seen.state,
    type: seen.type,
    format: seen.format,
    candidates: [...seen.candidates],
    kind: seen.kind,
    confidence: seen.confidence,
    holders: hold.holders.map((holder) => holderOf(hold, holder)),
    ...(seen.permits === undefined ? {} : { permits: seen.permits }),
    ...(seen.lastFence === undefined ? {} : { lastFence: seen.lastFence }),
    remainingMs: seen.remainingMs,
    leaseMs: leaseOf(hold),
    waiters: seen.waiters ?? NOBODY_SEEN,
    ...votesOf(seen.votes),
    verdict: verdictOf(hold),
    sharedWith: sharedWith.map(fieldsOfKey),
    release: releaseTermsOf(seen),
    version: versionOf(hold),
    asOf: seen.asOf,
  };
}

function holderOf(hold: Hold, holder: HeldBy): Holder {
  const { owner, role, count, fence, record, marginMs } = holder.seen;
  const remainingMs = remainingOf(hold, holder);
  const { key: text, keyBase64 } = fieldsOfKey(owner);
  return {
    owner: text,
    ...(keyBase64 === undefined ? {} : { ownerBase64: keyBase64 }),
    ...(role === undefined ? {} : { role }),
    count,
    fence,
    ...(record === undefined ? {} : { record }),
    ...sinceOf(holder),
    remainingMs: remainingMs === null ? null : Math.max(0, remainingMs - marginMs),
    version: holderVersionOf(hold, holder),
  };
}

function votesOf(votes: SeenVotes | undefined): Pick<Lock, "votes"> {
  if (votes === undefined) return {};
  const owners = votes.owners.map(({ owner, masters }) => {
    const { key: text, keyBase64 } = fieldsOfKey(owner);
    return { owner: text, ...(keyBase64 === undefined ? {} : { ownerBase64: keyBase64 }), masters };
  });
  return { votes: { ...votes, owners } };
}

const NOBODY_SEEN: Waiters = { count: null, known: "unknowable" };

export function freeLock(
  target: string,
  key: Key,
  asOf: number,
  waiters: Waiters = NOBODY_SEEN,
  votes?: SeenVotes,
): Lock {
  return {
    target,
    ...fieldsOfKey(key),
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
    ...votesOf(votes),
    verdict: null,
    sharedWith: [],
    release: null,
    version: null,
    asOf,
  };
}
