import { pino } from "pino";
import { createApiRoutes } from "../../server/api/api.ts";
import type { Route } from "../../server/api/routing/route.ts";
import type { Services } from "../../server/api/routing/services.ts";

/** What the API declares, without anything behind it. */
export function listDeclaredRoutes(): Route[] {
  // To be declared, routes ask nothing of their services.
  return createApiRoutes({} as Services, pino({ level: "silent" }));
}

export function formatRouteName({ method, path }: Route): string {
  return `${method} ${path}`;
}
