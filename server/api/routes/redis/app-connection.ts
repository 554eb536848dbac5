import { AppConnectionInfo, AppConnectionUrl } from "../../../../lib/contract/accounts/app-connection.ts";
import { NotFoundError } from "../../../errors/request-errors.ts";
import { createJsonResponse } from "../../http/http-exchange.ts";
import { APP_CONNECTION, APP_CONNECTION_URL } from "../../openapi/examples/targets.ts";
import { defineRoute, type Route } from "../../routing/route.ts";
import type { Services } from "../../routing/services.ts";

/** Creates the routes that describe how applications connect to the embedded Redis. */
export function createAppConnectionRoutes({ embeddedTarget }: Services): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/app-connection",
      operationId: "getAppConnection",
      tag: "Targets",
      access: "admin",
      summary: "Get the connection details of the embedded Redis",
      description:
        "Returns the address of the embedded Redis, the user name for applications and the file that contains the URL. Never returns the password.",
      response: {
        status: 200,
        schema: AppConnectionInfo,
        example: { connection: APP_CONNECTION },
        description: "The connection, or null if no target is the embedded Redis.",
      },
      handle: () => createJsonResponse(200, { connection: embeddedTarget?.app ?? null }),
    }),
    defineRoute({
      method: "POST",
      path: "/app-connection/url",
      operationId: "revealAppConnectionUrl",
      tag: "Targets",
      access: "admin",
      summary: "Reveal the application URL of the embedded Redis",
      description:
        "Returns the connection URL for applications, including the password. Its user can run the commands that locks require on every key except Lockkeeper's own, and cannot administer Redis. The call is recorded in the audit log.",
      response: {
        status: 200,
        schema: AppConnectionUrl,
        example: APP_CONNECTION_URL,
        description: "The URL. It contains a password.",
      },
      errors: ["not_found", "unavailable"],
      audit: () => ({ action: "reveal_app_connection" }),
      handle: () => {
        if (embeddedTarget === undefined) throw new NotFoundError("No target is the embedded Redis.");
        return createJsonResponse(200, { url: embeddedTarget.appUrl });
      },
    }),
  ];
}
