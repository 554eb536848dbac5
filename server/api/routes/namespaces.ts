import { NamespaceList, NamespaceListQuery } from "../../../lib/contract/namespace.ts";
import { formatKey } from "../../../lib/keys/key.ts";
import { getAllowedKeys } from "../../auth/principal.ts";
import { createTaggedResponse } from "../http/etag.ts";
import { NAMESPACE_LIST } from "../openapi/examples/namespaces.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";
import { readGroupsPage, toGroupCounts } from "./owners.ts";

/** Creates the route that counts locks by namespace, which is a prefix of their keys. */
export function createNamespaceRoutes(): Route[] {
  return [
    defineTargetRoute({
      method: "GET",
      path: "/namespaces",
      operationId: "listNamespaces",
      tag: "Owners",
      access: "read",
      filtersByGrant: true,
      expensive: true,
      summary: "List key namespaces",
      description:
        "Groups the held locks by the first segments of their keys, separated by `:`. The key `lock:orders:42` belongs to `lock:` (`depth=1`) and to `lock:orders:` (`depth=2`, or `prefix=lock:`).",
      query: NamespaceListQuery,
      response: {
        ...{ status: 200, schema: NamespaceList, example: NAMESPACE_LIST },
        ...{ description: "A page of namespaces.", etag: true },
      },
      handle: async ({ target, query, principal, cpu }) => {
        const { prefix, depth } = query;
        const allowedKeys = getAllowedKeys(principal, "read", target.name);
        return createTaggedResponse(
          await readGroupsPage(
            target.watcher,
            { prefix, depth },
            query,
            { allowedKeys, cpu },
            (name, group) => ({
              name: formatKey(name),
              ...toGroupCounts(target.watcher, group),
              deeper: group.childCount,
            }),
          ),
        );
      },
    }),
  ];
}
