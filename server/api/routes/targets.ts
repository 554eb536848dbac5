import { TargetHealth, TargetList } from "../../../lib/contract/target.ts";
import { healthOfTarget, summaryOf } from "../../health/target-health.ts";
import { json } from "../http.ts";
import { type Route, route } from "../route.ts";
import type { Services } from "../services.ts";

/** Which targets there are, and how each is. */
export function targetRoutes({ targets }: Services): Route[] {
  return [
    route({
      method: "GET",
      path: "/targets",
      access: "read",
      summary: "The targets that are configured, and how they are",
      response: { status: 200, schema: TargetList, description: "In the order of the configuration." },
      handle: () => json(200, { items: targets.keepers.map(summaryOf) }),
    }),
    route({
      method: "GET",
      path: "/targets/{id}",
      access: "read",
      summary: "Health of a target: what makes its Redis unsafe for locks, and what to do about it",
      description:
        "Asks its masters now: INFO, CONFIG GET, and whether the user may run what is needed. What may not be read is said. Nothing is changed.",
      response: { status: 200, schema: TargetHealth, description: "Findings, the worst first." },
      errors: ["not_found"],
      handle: async ({ id }) => json(200, await healthOfTarget(targets.keeperOf(decoded(id)))),
    }),
  ];
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
