import { NamespaceList, NamespaceListQuery } from "../../../lib/contract/namespace.ts";
import { textOfKey } from "../../../lib/keys/key.ts";
import { keysFor } from "../../auth/principal.ts";
import { tagged } from "../http/etag.ts";
import { NAMESPACE_LIST } from "../openapi/examples/namespaces.ts";
import { type Route, targetRoute } from "../routing/route.ts";
import { countsOf, groupsPage } from "./owners.ts";

/** How many locks there are, by the segments of their keys. */
export function namespaceRoutes(): Route[] {
  return [
    targetRoute({
      method: "GET",
      path: "/namespaces",
      operationId: "listNamespaces",
      tag: "Looking",
      access: "read",
      narrows: true,
      summary: "List what keys of locks begin with, with how many are held, abnormal and waited for",
      description:
        "Keys are parted at `:`. Of `lock:orders:42` the namespaces are `lock:` (`depth=1`) and `lock:orders:` (`depth=2`, or `prefix=lock:`). Only what is held is counted.",
      query: NamespaceListQuery,
      response: {
        ...{ status: 200, schema: NamespaceList, example: NAMESPACE_LIST },
        ...{ description: "One page.", etag: true },
      },
      handle: async ({ target, query, principal }) => {
        const { prefix, depth } = query;
        const within = keysFor(principal, "read", target.name);
        return tagged(
          await groupsPage(target.watcher, { prefix, depth }, query, within, (name, group) => ({
            name: textOfKey(name),
            ...countsOf(group),
            deeper: group.deeper,
          })),
        );
      },
    }),
  ];
}
