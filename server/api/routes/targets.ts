import { TargetHealth, TargetList } from "../../../lib/contract/target.ts";
import { canAccessSome } from "../../auth/principal.ts";
import { checkTargetHealth, toTargetSummary } from "../../health/target-health.ts";
import { createTaggedResponse } from "../http/etag.ts";
import { TARGET, TARGET_HEALTH } from "../openapi/examples/targets.ts";
import { defineConnectorRoute, defineRoute, type Route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

/** Which targets there are, and how each is. */
export function createTargetRoutes({ targets }: Services): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/targets",
      operationId: "listTargets",
      tag: "Targets",
      access: "read",
      summary: "The targets that are configured, and how they are",
      response: {
        status: 200,
        schema: TargetList,
        example: { items: [TARGET] },
        description: "Those that the caller may look at, in the order of the configuration.",
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
      summary: "Health of a target: what makes its Redis unsafe for locks, and what to do about it",
      description:
        "Asks its masters now: INFO, CONFIG GET, and whether the user may run what is needed. What may not be read is said. Nothing is changed.",
      response: {
        status: 200,
        schema: TargetHealth,
        example: TARGET_HEALTH,
        description: "Findings, the worst first.",
        etag: true,
      },
      errors: ["not_found"],
      handle: async ({ connector }) => createTaggedResponse(await checkTargetHealth(connector)),
    }),
  ];
}
