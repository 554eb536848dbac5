import { pino } from "pino";
import { createApiRoutes } from "../../server/api/api.ts";
import type { Route } from "../../server/api/routing/route.ts";
import type { Services } from "../../server/api/routing/services.ts";

/** Lists the routes that the API declares, without starting any service. */
export function listDeclaredRoutes(): Route[] {
  // The services are not used until a route is called.
  return createApiRoutes({} as Services, pino({ level: "silent" }));
}

export function formatRouteName({ method, path }: Route): string {
  return `${method} ${path}`;
}
