import { TargetHealth, TargetList } from "../../../lib/contract/target.ts";
import { maySome } from "../../auth/principal.ts";
import { healthOfTarget, summaryOf } from "../../health/target-health.ts";
import { tagged } from "../http/etag.ts";
import { TARGET, TARGET_HEALTH } from "../openapi/examples/targets.ts";
import { keeperRoute, type Route, route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

/** Which targets there are, and how each is. */
export function targetRoutes({ targets }: Services): Route[] {
  return [
    route({
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
        const seen = targets.keepers.filter(({ name }) => maySome(principal, "read", name));
        return tagged({ items: seen.map(summaryOf) });
      },
    }),
    keeperRoute({
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
      handle: async ({ keeper }) => tagged(await healthOfTarget(keeper)),
    }),
  ];
}
