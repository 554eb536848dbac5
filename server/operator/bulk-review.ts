import type { BulkItem, ReviewedHold } from "../../lib/contract/actions/bulk-release.ts";
import type { Holder, Lock } from "../../lib/contract/lock.ts";
import { toKeyFields } from "../../lib/keys/key.ts";
import { type FilterTerm, parseFilter, selectsUnlisted } from "../../lib/query/filter.ts";
import type { TaskOwner } from "../concurrency/task-owner.ts";
import type { KeyPatternSet } from "../redis/glob.ts";
import { buildHolderVersion, buildHoldVersion } from "../watch/holds/hold-version.ts";
import type { ObservedHold } from "../watch/holds/observed-hold.ts";
import { compileHolderFilter, type HolderPredicate } from "../watch/index/filter-compiler.ts";
import { parseSortOrder } from "../watch/index/query-context.ts";
import type { Watcher } from "../watch/watcher.ts";

/** A hold that a filter has found, and the bulk item with which it can be released. */
export interface FoundHold {
  readonly item: BulkItem;
  readonly hold: ObservedHold;
}

export interface FoundHolds {
  readonly finds: readonly FoundHold[];
  /** Total number of locks that match the filter, including locks that `finds` omits because of the limit. */
  readonly found: number;
}

interface HoldQuery {
  readonly filter: string;
  readonly sort: string;
  readonly limit: number;
}

/**
 * Finds the indexed holds that match a filter. Omits unlisted locks, because they can be released only individually. If
 * the filter has an owner, service or host, only the matching holders of a lock with several holders are returned.
 */
export async function findMatchingHolds(
  watcher: Watcher,
  { filter: requested, sort, limit }: HoldQuery,
  allowedKeys: KeyPatternSet | undefined,
  owner: TaskOwner,
): Promise<FoundHolds> {
  const order = parseSortOrder(sort);
  const filter = selectsUnlisted(parseFilter(requested)) ? `${requested} is:listed` : requested;
  await watcher.index.prepareQuery(filter, order, allowedKeys, owner);
  const { holds, total } = watcher.index.queryPage(filter, order, { offset: 0 }, limit, allowedKeys);
  const matchesHolder = compileHolderFilter(parseFilter(filter).filter(isHolderTerm));
  return { finds: holds.flatMap((hold) => toFoundHolds(hold, matchesHolder)), found: total };
}

const HOLDER_FIELDS: readonly FilterTerm["field"][] = ["owner", "service", "host"];
const isHolderTerm = ({ field }: FilterTerm) => HOLDER_FIELDS.includes(field);

function toFoundHolds(hold: ObservedHold, matchesHolder: HolderPredicate): FoundHold[] {
  const named = hold.holders.filter(({ seen }) => matchesHolder(seen));
  const item = (expectedVersion: string): FoundHold => ({
    item: { ...toKeyFields(hold.key), expectedVersion },
    hold,
  });
  if (named.length === hold.holders.length) return [item(buildHoldVersion(hold))];
  return named.map((holder) => item(buildHolderVersion(hold, holder)));
}

/**
 * Returns the fields that a review shows for a hold. If `expectedVersion` identifies one of several holders, only that
 * holder is included. Returns `undefined` if the lock has no format, kind, confidence or release rules.
 */
export function toReviewedHold(
  watcher: Watcher,
  hold: ObservedHold,
  expectedVersion: string,
): ReviewedHold | undefined {
  const lock = watcher.locks.toLock(hold, []);
  const { format, kind, confidence, release, liveness, remainingMs, waiters, asOf } = lock;
  if (format === null || kind === null || confidence === null || release === null) return undefined;
  const meant = selectHolders(lock, expectedVersion);
  return {
    holders: meant.map(({ owner, ownerBase64, record, since, role }) => ({
      owner,
      ...(ownerBase64 === undefined ? {} : { ownerBase64 }),
      ...(record === undefined ? {} : { record }),
      ...(role === undefined ? {} : { role }),
      since,
    })),
    others: lock.holders.length - meant.length,
    ...{ format, kind, confidence, liveness: liveness?.state ?? null, remainingMs, waiters, release, asOf },
  };
}

function selectHolders({ holders, version }: Lock, expectedVersion: string): Holder[] {
  if (version === expectedVersion) return holders;
  const one = holders.find((holder) => holder.version === expectedVersion);
  return one === undefined ? holders : [one];
}
