import type { TaskOwner } from "../../concurrency/task-owner.ts";
import type { KeyPatternSet } from "../../redis/glob.ts";
import type { Target } from "../../targets/target.ts";
import type { ObservedHold } from "../../watch/holds/observed-hold.ts";
import { BY_KEY } from "../../watch/index/query-context.ts";

const LOCKS_MAX = 100;
/** Length in characters after which a page ends, including the lock that exceeds it. */
const PAGE_CHARACTERS_MAX = 32 * 1024;

export interface SnapshotPage {
  readonly holds: readonly ObservedHold[];
  /** The data of the `snapshot` message. */
  readonly json: string;
  readonly isLast: boolean;
}

/** Prepares the index for `buildSnapshotPage` and `countSnapshotLocks`. Must be awaited before each call to them. */
export function prepareSnapshot(
  { watcher }: Target,
  allowedKeys: KeyPatternSet | undefined,
  owner: TaskOwner,
): Promise<void> {
  return watcher.index.prepareQuery("", BY_KEY, allowedKeys, owner);
}

/** Builds one page of a snapshot from the current state of the index: the locks that follow `previous` in key order. */
export function buildSnapshotPage(
  { watcher }: Target,
  previous: ObservedHold | undefined,
  allowedKeys: KeyPatternSet | undefined,
): SnapshotPage {
  const start = previous === undefined ? { offset: 0 } : { after: [previous.key, previous.key] as const };
  const page = watcher.index.queryPage("", BY_KEY, start, LOCKS_MAX, allowedKeys);
  const items: string[] = [];
  for (let length = 0; items.length < page.holds.length && length < PAGE_CHARACTERS_MAX; ) {
    const hold = page.holds[items.length];
    if (hold === undefined) break;
    const lock = watcher.locks.toLock(hold, watcher.locks.findKeysSharingToken(hold, allowedKeys));
    const item = JSON.stringify(lock);
    items.push(item);
    length += item.length;
  }
  const isLast = page.next === undefined && items.length === page.holds.length;
  const json = `{"items":[${items.join(",")}],"asOf":${watcher.asOf},"complete":${isLast}}`;
  return { holds: page.holds.slice(0, items.length), json, isLast };
}

/** Returns the number of locks that a snapshot of the current index would contain. */
export function countSnapshotLocks({ watcher }: Target, allowedKeys: KeyPatternSet | undefined): number {
  return watcher.index.queryPage("", BY_KEY, { offset: 0 }, 0, allowedKeys).total;
}
