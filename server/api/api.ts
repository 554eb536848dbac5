import type { Logger } from "pino";
import { z } from "zod";
import { Dispatcher } from "./dispatcher.ts";
import { tagged } from "./http/etag.ts";
import type { ApiResponse } from "./http/http-exchange.ts";
import { openApiDocument } from "./openapi/openapi.ts";
import { auditRoutes } from "./routes/audit.ts";
import { browserSessionRoutes } from "./routes/browser-sessions.ts";
import { bulkRoutes } from "./routes/bulk.ts";
import { eventRoutes } from "./routes/events.ts";
import { exportRoutes } from "./routes/export.ts";
import { facetRoutes } from "./routes/facets.ts";
import { finderRoutes } from "./routes/finder.ts";
import { formatRoutes } from "./routes/formats.ts";
import { historyRoutes } from "./routes/history.ts";
import { keyRoutes } from "./routes/keys.ts";
import { liveRoutes } from "./routes/live.ts";
import { lockRoutes } from "./routes/locks.ts";
import { namespaceRoutes } from "./routes/namespaces.ts";
import { noteRoutes } from "./routes/notes.ts";
import { operatorRoutes } from "./routes/operators.ts";
import { ownerRoutes } from "./routes/owners.ts";
import { rawRoutes } from "./routes/raw.ts";
import { sessionRoutes } from "./routes/session.ts";
import { statsRoutes } from "./routes/stats.ts";
import { targetRoutes } from "./routes/targets.ts";
import { verbRoutes } from "./routes/verbs.ts";
import { viewRoutes } from "./routes/views.ts";
import { waitersRoutes } from "./routes/waiters.ts";
import { type Route, route } from "./routing/route.ts";
import type { Services } from "./routing/services.ts";

/** Everything under /api/v1, whichever door a request comes through. */
export function createApi(services: Services, log: Logger, basePath = ""): Dispatcher {
  return new Dispatcher(
    apiRoutes(services, log, basePath),
    services.targets,
    services.authentication,
    services.verbs,
    services.audit,
    services.limits,
    services.answers,
    log,
  );
}

/** All routes, each with what it asks of its callers. */
export function apiRoutes(services: Services, log: Logger, basePath = ""): Route[] {
  const routes = [
    ...verbRoutes(services),
    ...lockRoutes(),
    ...exportRoutes(services),
    ...bulkRoutes(services, log),
    ...ownerRoutes(),
    ...facetRoutes(),
    ...namespaceRoutes(),
    ...noteRoutes(),
    ...eventRoutes(services),
    ...historyRoutes(),
    ...liveRoutes(services),
    ...sessionRoutes(services),
    ...browserSessionRoutes(services),
    ...operatorRoutes(services),
    ...keyRoutes(services),
    ...viewRoutes(services),
    ...targetRoutes(services),
    ...formatRoutes(log),
    ...finderRoutes(),
    ...rawRoutes(),
    ...waitersRoutes(),
    ...statsRoutes(),
    ...auditRoutes(services),
  ];
  return [...routes, documentRoute(routes, basePath)];
}

function documentRoute(routes: readonly Route[], basePath: string): Route {
  let answer: ApiResponse | undefined;
  return route({
    method: "GET",
    path: "/openapi.json",
    operationId: "getDocument",
    tag: "Administration",
    access: "anyone",
    summary: "This API as an OpenAPI 3.1 document",
    response: {
      status: 200,
      schema: z.looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}) }),
      example: { openapi: "3.1.1", info: { title: "Lockkeeper", version: "1.0.0" }, paths: {} },
      description: "The document.",
      etag: true,
    },
    handle: () => {
      answer ??= tagged(openApiDocument(routes, basePath));
      return answer;
    },
  });
}
