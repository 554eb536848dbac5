import { pino } from "pino";
import { apiRoutes } from "../../server/api/api.ts";
import type { Route } from "../../server/api/routing/route.ts";
import type { Services } from "../../server/api/routing/services.ts";

/** What the API declares, without anything behind it. */
export function declaredRoutes(): Route[] {
  // To be declared, routes ask nothing of their services.
  return apiRoutes({} as Services, pino({ level: "silent" }));
}

export function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}
