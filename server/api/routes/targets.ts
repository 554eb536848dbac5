import { TargetHealth, TargetList } from "../../../lib/contract/target.ts";
import { canAccessSome } from "../../auth/principal.ts";
import { checkTargetHealth, toTargetSummary } from "../../health/target-health.ts";
import { createTaggedResponse } from "../http/etag.ts";
import { TARGET, TARGET_HEALTH } from "../openapi/examples/targets.ts";
import { defineConnectorRoute, defineRoute, type Route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

export function createTargetRoutes({ targets }: Services): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/targets",
      operationId: "listTargets",
      tag: "Targets",
      access: "read",
      summary: "List targets",
      description: "Lists the configured targets that the caller can read, with their current state.",
      response: {
        status: 200,
        schema: TargetList,
        example: { items: [TARGET] },
        description: "The targets, in the order of the configuration.",
        etag: true,
      },
      handle: ({ principal }) => {
        const seen = targets.connectors.filter(({ name }) => canAccessSome(principal, "read", name));
        return createTaggedResponse({ items: seen.map(toTargetSummary) });
      },
    }),
    defineConnectorRoute({
      method: "GET",
      path: "/targets/{target}",
      operationId: "getTargetHealth",
      tag: "Targets",
      access: "read",
      summary: "Get the health of a target",
      description:
        "Checks now whether the settings and the state of the target's Redis are safe for locks. Reads `INFO`, `CONFIG GET` and the permissions of the Redis user; changes nothing. Anything that cannot be read is reported as a finding.",
      response: {
        status: 200,
        schema: TargetHealth,
        example: TARGET_HEALTH,
        description: "State, reports of the masters, and findings.",
        etag: true,
      },
      errors: ["not_found"],
      handle: async ({ connector }) => createTaggedResponse(await checkTargetHealth(connector)),
    }),
  ];
}
