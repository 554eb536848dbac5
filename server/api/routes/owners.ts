import {
  type Owner,
  OwnerList,
  OwnerListQuery,
  type OwnerSortField,
  type OwnersBy,
} from "../../../lib/contract/owner.ts";
import { fieldsOfKey, type Key, textOfKey } from "../../../lib/keys/key.ts";
import { exactTerm } from "../../../lib/query/filter.ts";
import { keysFor } from "../../auth/principal.ts";
import { UnavailableError } from "../../errors/redis-errors.ts";
import type { KeyRange } from "../../redis/glob.ts";
import type { GroupOrder, GroupsBy } from "../../watch/index/group-cache.ts";
import type { Group } from "../../watch/index/hold-group.ts";
import type { Watcher } from "../../watch/watcher.ts";
import { cursorAt, placeIn } from "../http/cursor.ts";
import { tagged } from "../http/etag.ts";
import { OWNER_LIST } from "../openapi/examples/owners.ts";
import { assertUp } from "../routing/assert-connected.ts";
import { type Route, targetRoute } from "../routing/route.ts";

/** Who has how many locks. */
export function ownerRoutes(): Route[] {
  return [
    targetRoute({
      method: "GET",
      path: "/owners",
      operationId: "listOwners",
      tag: "Looking",
      access: "read",
      narrows: true,
      summary: "List who holds locks, with how many, since when, and who waits for them",
      description:
        "By the owner string, or by the service or the host that holders tell of. Each has a `filter` that finds just its locks, whatever characters its name has: `POST /locks/force-release` reviews and frees them. A lock that several have counts for each of them.",
      query: OwnerListQuery,
      response: { status: 200, schema: OwnerList, example: OWNER_LIST, description: "One page.", etag: true },
      handle: async ({ target, query, principal }) =>
        tagged(
          await groupsPage(
            target.watcher,
            query.by,
            query,
            keysFor(principal, "read", target.name),
            (name, group) => ownerOf(query.by, name, group),
          ),
        ),
    }),
  ];
}

export const TOO_MANY_COUNTED = "Too many different filters are being counted: ask again in a second.";

/** One page of the groups that were asked for. */
export async function groupsPage<Item>(
  watcher: Watcher,
  by: GroupsBy,
  { filter, sort, limit, cursor }: Omit<OwnerListQuery, "by">,
  within: KeyRange | undefined,
  itemOf: (name: Key, group: Group) => Item,
) {
  assertUp(watcher);
  const order = orderOf(sort);
  const grouping = await watcher.mirror.groups.ask({ by, filter, order, within });
  if (grouping === undefined) throw new UnavailableError(TOO_MANY_COUNTED);
  const { sorted, without } = grouping;
  const { keys: names, next } =
    cursor === undefined ? sorted.slice(0, limit) : sorted.after(placeIn(cursor, order), limit);
  const items = names.flatMap((name) => {
    const group = grouping.get(name);
    return group === undefined ? [] : [itemOf(name, group)];
  });
  return {
    items,
    total: sorted.size,
    without,
    ...(next === undefined ? {} : { next: cursorAt(next, order) }),
    asOf: watcher.clock.lastHeard,
  };
}

function orderOf(sort: string): GroupOrder {
  const isDown = sort.startsWith("-");
  // The schema has checked it.
  return { field: (isDown ? sort.slice(1) : sort) as OwnerSortField, direction: isDown ? -1 : 1 };
}

function ownerOf(by: OwnersBy, name: Key, group: Group): Owner {
  const { keyBase64 } = fieldsOfKey(name);
  return {
    name: textOfKey(name),
    ...(keyBase64 === undefined ? {} : { nameBase64: keyBase64 }),
    filter: exactTerm(by, name),
    ...countsOf(group),
  };
}

export function countsOf({ holds, abnormal, verdicts, oldest: [since, key], waiters }: Group) {
  const oldest = { ...fieldsOfKey(key), since: Number(since) };
  return { holds, abnormal, verdicts: { ...verdicts }, oldest, waiters };
}
