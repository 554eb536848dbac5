import { ViewId, ViewInput, ViewList } from "../../../lib/contract/view.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { VIEW, VIEW_ID, VIEW_INPUTS } from "../openapi/examples/views.ts";
import { defineRoute, HOME_ERRORS, parseInput, type Route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

/** Searches that are kept under a name. */
export function createViewRoutes({ savedViews }: Services): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/views",
      operationId: "listViews",
      tag: "Views",
      access: "read",
      summary: "The searches that you, or your team, keep under a name",
      description:
        "Of the list of locks: a filter, an order and columns, as tabs of the console. Who may look at some keys alone does not see the team's.",
      response: { status: 200, schema: ViewList, example: { items: [VIEW] }, description: "In their order." },
      errors: HOME_ERRORS,
      handle: async ({ principal }) => createJsonResponse(200, { items: await savedViews.list(principal) }),
    }),
    defineRoute({
      method: "PUT",
      path: "/views/{id}",
      operationId: "saveView",
      tag: "Views",
      idParam: VIEW_ID,
      access: "read",
      summary: "Keep a search under a name, or change one that is kept",
      description:
        "Who makes a view chooses its id: 8 to 32 letters, digits, - or _. The same call again changes nothing. `place` moves it; `of` gives it to the team or takes it back, and to the team it is given by who has `force` at a target. There are at most 30 of one's own, and 30 of the team's.",
      body: ViewInput,
      examples: VIEW_INPUTS,
      response: {
        status: 200,
        schema: ViewList,
        example: { items: [VIEW] },
        description: "All of them, as they are now.",
      },
      errors: HOME_ERRORS,
      audit: ({ id, body: { name, filter, of } }) => ({
        action: "save_view",
        details: { id, name, filter, of },
      }),
      handle: async ({ id, body, principal }) => {
        await savedViews.save(parseInput(ViewId, id, "Path"), body, principal);
        return createJsonResponse(200, { items: await savedViews.list(principal) });
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/views/{id}",
      operationId: "deleteView",
      tag: "Views",
      idParam: VIEW_ID,
      access: "read",
      summary: "Take a kept search away",
      response: { status: 204, description: "It is not kept any more." },
      errors: ["not_found", ...HOME_ERRORS],
      audit: ({ id }) => ({ action: "delete_view", details: { id } }),
      handle: async ({ id, principal }) => {
        await savedViews.remove(id, principal);
        return { status: 204, headers: {} };
      },
    }),
  ];
}
