import { Waits, WaitsQuery } from "../../../../lib/contract/waits/waits.ts";
import { type Key, parseKeyFields } from "../../../../lib/keys/key.ts";
import { getAllowedKeys } from "../../../auth/principal.ts";
import { WaitReport } from "../../../waits/wait-report.ts";
import { createTaggedResponse } from "../../http/etag.ts";
import { WAITS } from "../../openapi/examples/waits.ts";
import { assertConnected } from "../../routing/assert-connected.ts";
import { defineTargetRoute, type Route } from "../../routing/route.ts";

/** Creates the route that lists deadlocks and root blockers of a target. */
export function createWaitsRoutes(): Route[] {
  return [
    defineTargetRoute({
      method: "GET",
      path: "/waits",
      operationId: "getWaits",
      tag: "Locks",
      access: "read",
      filtersByGrant: true,
      expensive: true,
      summary: "List deadlocks and root blockers",
      description:
        "Returns the wait-for graph: deadlocks first, then the holders that block others and are not themselves known to be waiting, by total time waited. A client is known to hold a lock while it waits only if it declared that: with `holding` in `acquire`, by nested `withLock` calls of `@lockkeeper/redis`, or as a thread of Redisson in the queue of a fair lock. Matching owner labels are not proof. Clients that poll are not visible. A deadlock is reported within 2 s. Locks that you do not have permission to read are omitted.",
      query: WaitsQuery,
      response: {
        status: 200,
        schema: Waits,
        example: WAITS,
        description: "The waits.",
        etag: true,
      },
      handle: async ({ target, query, principal, cpu }) => {
        assertConnected(target.watcher);
        const allowed = getAllowedKeys(principal, "read", target.name);
        const canRead = (key: Key) => allowed === undefined || allowed.has(key);
        const key = parseKey(query);
        return createTaggedResponse(
          cpu.run(() => new WaitReport(target.waits, canRead).build(target.name, key)),
        );
      },
    }),
  ];
}

function parseKey({ key, keyBase64 }: WaitsQuery): Key | undefined {
  return keyBase64 === undefined ? key : parseKeyFields({ key: "", keyBase64 });
}
