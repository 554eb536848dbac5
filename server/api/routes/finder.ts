import { FinderInput, FinderReport } from "../../../lib/contract/detection/lock-finder.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { FINDER_REPORT } from "../openapi/examples/targets.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";

/** Creates the routes for the finder, which scans all keys for locks, whether or not the keys are watched. */
export function createFinderRoutes(): Route[] {
  const response = {
    status: 200,
    schema: FinderReport,
    example: FINDER_REPORT,
    description: "Progress and results of the scan.",
  } as const;
  return [
    defineTargetRoute({
      method: "GET",
      path: "/finder",
      operationId: "getFinder",
      tag: "Formats",
      access: "read",
      expensive: true,
      summary: "Get the results of the lock finder",
      description: "Returns the progress of the current or last scan, and the locks that it found.",
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
      summary: "Start the lock finder",
      description:
        "Scans all keys of the target for locks, whether they are watched or not. The scan is active for at most 20% of the time and changes nothing. If hundreds of keys with similar names are not locks, only a sample of the others is read. A running scan continues; a cancelled or failed one resumes, unless `anew` is true.",
      body: FinderInput,
      examples: { "Start or resume": {}, "Start over": { anew: true } },
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
      summary: "Cancel the lock finder",
      description: "Stops the scan. Its results are kept, and it can be resumed.",
      response,
      handle: ({ target }) => {
        target.finder.cancel();
        return createJsonResponse(200, target.finder.report);
      },
    }),
  ];
}
