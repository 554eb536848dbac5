import type { BulkItem, Reviewed } from "../../lib/contract/actions/bulk-release.ts";
import type { Holder, Lock } from "../../lib/contract/lock.ts";
import { fieldsOfKey } from "../../lib/keys/key.ts";
import { type FilterTerm, parseFilter } from "../../lib/query/filter.ts";
import type { KeyRange } from "../redis/glob.ts";
import { holderVersionOf, versionOf } from "../watch/holds/hold-version.ts";
import type { Hold } from "../watch/holds/observed-hold.ts";
import { type HolderMatches, holderMatchingOf } from "../watch/index/filter-compiler.ts";
import { orderOf } from "../watch/index/query-cache.ts";
import type { Watcher } from "../watch/watcher.ts";

/** A hold that a filter found, and the item that would free it. */
export interface Find {
  readonly item: BulkItem;
  readonly hold: Hold;
}

export interface Finds {
  readonly finds: readonly Find[];
  /** How many locks the filter matches in all. */
  readonly found: number;
}

interface Asked {
  readonly filter: string;
  readonly sort: string;
  readonly most: number;
}

/**
 * What a filter finds in the picture. Where it names an owner, a service or a host, of a lock that several hold only the
 * part of those is meant: the others are to keep it.
 */
export function finds(watcher: Watcher, { filter, sort, most }: Asked, within: KeyRange | undefined): Finds {
  const { holds, total } = watcher.mirror.page(filter, orderOf(sort), { offset: 0 }, most, within);
  const picks = holderMatchingOf(parseFilter(filter).filter(isOfHolder));
  return { finds: holds.flatMap((hold) => findsIn(hold, picks)), found: total };
}

const OF_HOLDER: readonly FilterTerm["field"][] = ["owner", "service", "host"];
const isOfHolder = ({ field }: FilterTerm) => OF_HOLDER.includes(field);

function findsIn(hold: Hold, picks: HolderMatches): Find[] {
  const named = hold.holders.filter(({ seen }) => picks(seen));
  const item = (expect: string): Find => ({ item: { ...fieldsOfKey(hold.key), expect }, hold });
  if (named.length === hold.holders.length) return [item(versionOf(hold))];
  return named.map((holder) => item(holderVersionOf(hold, holder)));
}

/** A hold as a reviewer sees it: `expect` may name one of several holders. */
export function reviewed(watcher: Watcher, hold: Hold, expect: string): Reviewed | undefined {
  const lock = watcher.lockOf(hold, []);
  const { format, kind, confidence, release, verdict, remainingMs, waiters, asOf } = lock;
  if (format === null || kind === null || confidence === null || release === null) return undefined;
  const meant = meantBy(lock, expect);
  return {
    holders: meant.map(({ owner, ownerBase64, record, since, role }) => ({
      owner,
      ...(ownerBase64 === undefined ? {} : { ownerBase64 }),
      ...(record === undefined ? {} : { record }),
      ...(role === undefined ? {} : { role }),
      since,
    })),
    others: lock.holders.length - meant.length,
    ...{ format, kind, confidence, verdict: verdict?.state ?? null, remainingMs, waiters, release, asOf },
  };
}

function meantBy({ holders, version }: Lock, expect: string): Holder[] {
  if (version === expect) return holders;
  const one = holders.find((holder) => holder.version === expect);
  return one === undefined ? holders : [one];
}
