import { ViewId, ViewInput, ViewList } from "../../../lib/contract/view.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { VIEW, VIEW_ID, VIEW_INPUTS } from "../openapi/examples/views.ts";
import { defineRoute, HOME_ERRORS, parseInput, type Route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

/** Creates the routes for the saved views of the list of locks. */
export function createViewRoutes({ savedViews }: Services): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/views",
      operationId: "listViews",
      tag: "Views",
      access: "read",
      summary: "List views",
      description:
        "Lists your saved views, then the team's. A view is a filter, a sort order and columns for the list of locks, shown as a tab of the console. Callers with access to only some keys do not see team views.",
      response: {
        status: 200,
        schema: ViewList,
        example: { items: [VIEW] },
        description: "The views, in their order.",
      },
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
      summary: "Create or update a view",
      description:
        "Creates or replaces the view with an id that you choose. `place` moves the view among the others, and `of` moves it between your views and the team's. Saving a team view requires `force` access to all keys of a target. The limits are 30 views of your own and 30 of the team.",
      body: ViewInput,
      examples: VIEW_INPUTS,
      response: {
        status: 200,
        schema: ViewList,
        example: { items: [VIEW] },
        description: "All views after the change.",
      },
      errors: HOME_ERRORS,
      isOwnChange: true,
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
      summary: "Delete a view",
      description: "Deletes one of your views, or a team view that you can change.",
      response: { status: 204, description: "The view was deleted." },
      errors: ["not_found", ...HOME_ERRORS],
      isOwnChange: true,
      audit: ({ id }) => ({ action: "delete_view", details: { id } }),
      handle: async ({ id, principal }) => {
        await savedViews.remove(id, principal);
        return { status: 204, headers: {} };
      },
    }),
  ];
}
