import { FinderInput, FinderReport } from "../../../lib/contract/detection/lock-finder.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { FINDER_REPORT } from "../openapi/examples/targets.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";

/** Which keys are locks, whatever is watched. */
export function createFinderRoutes(): Route[] {
  const response = {
    status: 200,
    schema: FinderReport,
    example: FINDER_REPORT,
    description: "How far it is, and what was found.",
  } as const;
  return [
    defineTargetRoute({
      method: "GET",
      path: "/finder",
      operationId: "getFinder",
      tag: "Formats",
      access: "read",
      summary: "How far the finder is, and what it has found",
      response,
      handle: ({ target }) => createJsonResponse(200, target.finder.report),
    }),
    defineTargetRoute({
      method: "POST",
      path: "/finder",
      operationId: "startFinder",
      tag: "Formats",
      access: "force",
      effect: "reads",
      summary: "Go through all keys by their shape, and tell which are locks",
      description:
        "Takes a fifth of the time, and changes nothing. Where hundreds of keys of one name are no locks, only some of the others are looked at. One that is running goes on; one that was cancelled or failed goes on where it ended, unless `anew`.",
      body: FinderInput,
      examples: { "Begin, or go on": {}, "From the beginning": { anew: true } },
      response,
      handle: ({ target, body }) => {
        target.finder.start(body.anew);
        return createJsonResponse(200, target.finder.report);
      },
    }),
    defineTargetRoute({
      method: "POST",
      path: "/finder/cancel",
      operationId: "cancelFinder",
      tag: "Formats",
      access: "force",
      effect: "reads",
      summary: "Stop the finder; what it has found stays",
      response,
      handle: ({ target }) => {
        target.finder.cancel();
        return createJsonResponse(200, target.finder.report);
      },
    }),
  ];
}
