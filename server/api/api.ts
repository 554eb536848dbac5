import type { Logger } from "pino";
import { z } from "zod";
import { Dispatcher } from "./dispatcher.ts";
import { createTaggedResponse } from "./http/etag.ts";
import type { ApiResponse } from "./http/http-exchange.ts";
import { buildOpenApiDocument } from "./openapi/openapi.ts";
import { createVerbRoutes } from "./routes/acquire/acquire.ts";
import { createConditionRoutes } from "./routes/acquire/conditions.ts";
import { createAuditRoutes } from "./routes/audit.ts";
import { createBrowserSessionRoutes } from "./routes/browser-sessions.ts";
import { createBulkRoutes } from "./routes/bulk.ts";
import { createEventRoutes } from "./routes/events.ts";
import { createExportRoutes } from "./routes/export.ts";
import { createFacetRoutes } from "./routes/facets.ts";
import { createFinderRoutes } from "./routes/finder.ts";
import { createFormatRoutes } from "./routes/formats.ts";
import { createHistoryRoutes } from "./routes/history.ts";
import { createHoldBatchRoutes } from "./routes/holds/hold-batches.ts";
import { createReleaseRequestRoutes } from "./routes/holds/release-requests.ts";
import { createHoldRoutes } from "./routes/holds.ts";
import { createApiKeyRoutes } from "./routes/keys.ts";
import { createLiveRoutes } from "./routes/live.ts";
import { createLockRoutes } from "./routes/locks.ts";
import { createNamespaceRoutes } from "./routes/namespaces.ts";
import { createNoteRoutes } from "./routes/notes.ts";
import { createOperatorRoutes } from "./routes/operators.ts";
import { createOwnerRoutes } from "./routes/owners.ts";
import { createRawRoutes } from "./routes/raw.ts";
import { createAppConnectionRoutes } from "./routes/redis/app-connection.ts";
import { createSemaphoreRoutes } from "./routes/semaphores.ts";
import { createSessionRoutes } from "./routes/session.ts";
import { createStatsRoutes } from "./routes/stats.ts";
import { createTargetRoutes } from "./routes/targets.ts";
import { createViewRoutes } from "./routes/views.ts";
import { createWaitersRoutes } from "./routes/waiters.ts";
import { createWaitsRoutes } from "./routes/waits/waits.ts";
import { defineRoute, type Route } from "./routing/route.ts";
import type { Services } from "./routing/services.ts";

/** Creates the dispatcher for the API below `/api/v1`. Both HTTP adapters pass their requests to this dispatcher. */
export function createApi(services: Services, log: Logger, basePath = ""): Dispatcher {
  return new Dispatcher(
    createApiRoutes(services, log, basePath),
    services.targets,
    services.authentication,
    services.verbs,
    services.audit,
    services.limits,
    services.storedResponses,
    log,
    basePath,
  );
}

/** Creates the routes of the API. Each route declares the access that it requires. */
export function createApiRoutes(services: Services, log: Logger, basePath = ""): Route[] {
  const routes = [
    ...createVerbRoutes(services, basePath),
    ...createHoldRoutes(services),
    ...createHoldBatchRoutes(services, log, basePath),
    ...createLockRoutes(),
    ...createSemaphoreRoutes(services),
    ...createReleaseRequestRoutes(),
    ...createConditionRoutes(services),
    ...createExportRoutes(services),
    ...createBulkRoutes(services, log, basePath),
    ...createOwnerRoutes(),
    ...createFacetRoutes(),
    ...createNamespaceRoutes(),
    ...createNoteRoutes(),
    ...createEventRoutes(services),
    ...createHistoryRoutes(),
    ...createLiveRoutes(services),
    ...createSessionRoutes(services),
    ...createBrowserSessionRoutes(services),
    ...createOperatorRoutes(services, basePath),
    ...createApiKeyRoutes(services, basePath),
    ...createViewRoutes(services),
    ...createTargetRoutes(services),
    ...createAppConnectionRoutes(services),
    ...createFormatRoutes(services, log),
    ...createFinderRoutes(),
    ...createRawRoutes(),
    ...createWaitersRoutes(),
    ...createWaitsRoutes(),
    ...createStatsRoutes(),
    ...createAuditRoutes(services),
  ];
  return [...routes, createDocumentRoute(routes, basePath)];
}

function createDocumentRoute(routes: readonly Route[], basePath: string): Route {
  let answer: ApiResponse | undefined;
  return defineRoute({
    method: "GET",
    path: "/openapi.json",
    operationId: "getOpenApiDocument",
    tag: "API",
    access: "anyone",
    summary: "Get the OpenAPI document",
    description: "Returns this API as an OpenAPI 3.1 document. Requires no credentials.",
    response: {
      status: 200,
      schema: z
        .looseObject({
          openapi: z.string(),
          info: z.record(z.string(), z.unknown()),
          paths: z.record(z.string(), z.unknown()),
        })
        .meta({ id: "OpenApiDocument" }),
      example: { openapi: "3.1.1", info: { title: "Lockkeeper", version: "0.2.0" }, paths: {} },
      description: "The document.",
      etag: true,
    },
    handle: () => {
      answer ??= createTaggedResponse(buildOpenApiDocument(routes, basePath));
      return answer;
    },
  });
}
