import {
  type Owner,
  type OwnerGrouping,
  OwnerList,
  OwnerListQuery,
  type OwnerSortField,
} from "../../../lib/contract/owner.ts";
import { formatKey, type Key, toKeyFields } from "../../../lib/keys/key.ts";
import { formatExactTerm } from "../../../lib/query/filter.ts";
import { getAllowedKeys } from "../../auth/principal.ts";
import { UnavailableError } from "../../errors/redis-errors.ts";
import type { KeyPatternSet } from "../../redis/glob.ts";
import { getHolderSince } from "../../watch/holds/observed-hold.ts";
import type { GroupBy, GroupOrder } from "../../watch/index/group-cache.ts";
import type { HoldGroup } from "../../watch/index/hold-group.ts";
import type { Watcher } from "../../watch/watcher.ts";
import type { CpuBudget } from "../http/cpu-budgets.ts";
import { decodeCursor, encodeCursor } from "../http/cursor.ts";
import { createTaggedResponse } from "../http/etag.ts";
import { OWNER_LIST } from "../openapi/examples/owners.ts";
import { assertConnected } from "../routing/assert-connected.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";

/** Creates the route that counts locks grouped by owner or another field of the owner record. */
export function createOwnerRoutes(): Route[] {
  return [
    defineTargetRoute({
      method: "GET",
      path: "/owners",
      operationId: "listOwners",
      tag: "Owners",
      access: "read",
      filtersByGrant: true,
      expensive: true,
      summary: "List owners",
      description:
        "Groups the held locks by owner string, or by the service, host or session of the owner record. Each item has a `filter` that matches exactly its locks, for `GET /locks` and `POST /locks/force-release`. A lock with several holders counts for each of them.",
      query: OwnerListQuery,
      response: {
        status: 200,
        schema: OwnerList,
        example: OWNER_LIST,
        description: "A page of owners.",
        etag: true,
      },
      handle: async ({ target, query, principal, cpu }) =>
        createTaggedResponse(
          await readGroupsPage(
            target.watcher,
            query.by,
            query,
            { allowedKeys: getAllowedKeys(principal, "read", target.name), cpu },
            (name, group) => toOwner(target.watcher, query.by, name, group),
          ),
        ),
    }),
  ];
}

export const TOO_MANY_FILTERS = "Too many different filters are being counted. Retry in 1 s.";

/**
 * Reads one page of groups. The last page has no `next`.
 *
 * @throws UnavailableError if the watcher is not connected or too many filters are being counted
 */
export async function readGroupsPage<Item>(
  watcher: Watcher,
  by: GroupBy,
  { filter, sort, limit, cursor }: Omit<OwnerListQuery, "by">,
  { allowedKeys, cpu }: { readonly allowedKeys: KeyPatternSet | undefined; readonly cpu: CpuBudget },
  itemOf: (name: Key, group: HoldGroup) => Item,
) {
  assertConnected(watcher);
  const order = parseGroupOrder(sort);
  const grouping = await watcher.index.groups.query({ by, filter, order, allowedKeys, owner: cpu });
  if (grouping === undefined) throw new UnavailableError(TOO_MANY_FILTERS);
  const { sorted, unnamedCount } = grouping;
  const { keys: names, next } =
    cursor === undefined ? sorted.slice(0, limit) : sorted.sliceAfter(decodeCursor(cursor, order), limit);
  const toItems = (name: Key) => {
    const group = grouping.get(name);
    return group === undefined ? [] : [itemOf(name, group)];
  };
  const items = cpu.run(() => names.flatMap(toItems));
  return {
    items,
    total: sorted.size,
    without: unnamedCount,
    ...(next === undefined ? {} : { next: encodeCursor(next, order) }),
    asOf: watcher.asOf,
  };
}

function parseGroupOrder(sort: string): GroupOrder {
  const isDown = sort.startsWith("-");
  // The schema has already validated the field.
  return { field: (isDown ? sort.slice(1) : sort) as OwnerSortField, direction: isDown ? -1 : 1 };
}

function toOwner(watcher: Watcher, by: OwnerGrouping, name: Key, group: HoldGroup): Owner {
  const { keyBase64 } = toKeyFields(name);
  return {
    name: formatKey(name),
    ...(keyBase64 === undefined ? {} : { nameBase64: keyBase64 }),
    filter: formatExactTerm(by, name),
    ...toGroupCounts(watcher, group),
  };
}

export function toGroupCounts(
  { index }: Pick<Watcher, "index">,
  { holds, needsAttention, liveness, oldest: [value, key], waiters }: HoldGroup,
) {
  const since = Number(value);
  const starts = index.get(key)?.holders.map(getHolderSince) ?? [];
  // The group is up to date, so it contains the start time of one of these holders.
  const sinceIs = starts.find((start) => start.since === since)?.sinceIs ?? "at_least";
  const oldest = { ...toKeyFields(key), since, sinceIs };
  return { holds, needsAttention, liveness: { ...liveness }, oldest, waiters };
}
