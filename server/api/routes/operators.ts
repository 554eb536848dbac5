import {
  Operator,
  OperatorInput,
  OperatorList,
  OperatorPatch,
  PasswordInput,
} from "../../../lib/contract/accounts/operator.ts";
import type { StoredOperator } from "../../auth/account.ts";
import type { PasswordLogin } from "../../auth/password-login.ts";
import { buildOperatorId, canAccess } from "../../auth/principal.ts";
import { ForbiddenError, InvalidError, UnauthenticatedError } from "../../errors/request-errors.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { buildLocation, describeLocation } from "../http/location.ts";
import { OPERATOR, OPERATOR_NAME } from "../openapi/examples/accounts.ts";
import { defineRoute, HOME_ERRORS, type Route } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";
import { assertTargetsExist } from "./assert-targets.ts";

/** Creates the routes for operators and their roles. The id of an operator is its name. */
export function createOperatorRoutes(services: Services, basePath: string): Route[] {
  const { operators, authentication, targets } = services;
  return [
    defineRoute({
      method: "GET",
      path: "/operators",
      operationId: "listOperators",
      tag: "Operators",
      access: "admin",
      summary: "List operators",
      description: "Lists all operators, sorted by name.",
      response: {
        status: 200,
        schema: OperatorList,
        example: { items: [OPERATOR] },
        description: "The operators.",
      },
      errors: HOME_ERRORS,
      handle: async () => createJsonResponse(200, { items: await operators.list() }),
    }),
    defineRoute({
      method: "POST",
      path: "/operators",
      operationId: "createOperator",
      tag: "Operators",
      access: "admin",
      summary: "Create an operator",
      description: "Creates an operator. You cannot grant more access than you have.",
      body: OperatorInput,
      examples: {
        "Operator who releases locks on one target": {
          name: "mei",
          roles: { "*": "viewer", default: "operator" },
          password: "correct horse battery",
        },
      },
      response: {
        status: 201,
        schema: Operator,
        example: OPERATOR,
        description: "The operator.",
        headers: describeLocation("operators", OPERATOR_NAME.example),
      },
      errors: ["already_exists", "rate_limited", ...HOME_ERRORS],
      audit: ({ body: { name, roles } }) => ({ action: "create_operator", details: { name, roles } }),
      handle: async ({ body, principal }) => {
        assertTargetsExist(targets, Object.keys(body.roles), "roles");
        return createJsonResponse(201, await operators.create(body, principal), {
          headers: { location: buildLocation(basePath, "operators", body.name) },
        });
      },
    }),
    defineRoute({
      method: "GET",
      path: "/operators/{id}",
      operationId: "getOperator",
      tag: "Operators",
      idParam: OPERATOR_NAME,
      access: "admin",
      summary: "Get an operator",
      description: "Returns an operator by name.",
      response: { status: 200, schema: Operator, example: OPERATOR, description: "The operator." },
      errors: ["not_found", ...HOME_ERRORS],
      handle: async ({ id }) => createJsonResponse(200, await operators.get(id)),
    }),
    defineRoute({
      method: "PATCH",
      path: "/operators/{id}",
      operationId: "updateOperator",
      tag: "Operators",
      idParam: OPERATOR_NAME,
      access: "admin",
      summary: "Update an operator",
      description:
        "Changes the roles of an operator, or enables or disables them. Takes effect in active sessions on every instance within 2 s. Sessions that were started by a one-time link end.",
      body: OperatorPatch,
      examples: {
        "Change the roles": { roles: { "*": "viewer" } },
        "Disable the operator": { state: "disabled" },
      },
      response: {
        status: 200,
        schema: Operator,
        example: OPERATOR,
        description: "The updated operator.",
      },
      errors: ["not_found", "last_admin", ...HOME_ERRORS],
      audit: ({ id, body }) => ({ action: "update_operator", details: { name: id, ...body } }),
      handle: async ({ id, body, principal, request }) => {
        assertTargetsExist(targets, Object.keys(body.roles ?? {}), "roles");
        return createJsonResponse(
          200,
          await operators.update(id, body, principal, authentication.readSessionSecret(request)),
        );
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/operators/{id}",
      operationId: "deleteOperator",
      tag: "Operators",
      idParam: OPERATOR_NAME,
      access: "admin",
      summary: "Delete an operator",
      description: "Deletes an operator and ends their sessions on every instance within 2 s.",
      response: { status: 204, description: "The operator was deleted." },
      errors: ["not_found", "last_admin", ...HOME_ERRORS],
      audit: ({ id }) => ({ action: "delete_operator", details: { name: id } }),
      handle: async ({ id, request }) => {
        await operators.remove(id, authentication.readSessionSecret(request));
        return { status: 204, headers: {} };
      },
    }),
    createPasswordRoute(services),
  ];
}

function createPasswordRoute({ operators, passwordLogin, sessions, authentication }: Services): Route {
  /** Returns whether the session was started by a one-time link. Such a session does not require the old password. */
  const isByLink = async (secret: string | undefined) =>
    secret !== undefined && (await sessions.find(secret, "act"))?.via === "link";
  return defineRoute({
    method: "POST",
    path: "/operators/{id}/password",
    operationId: "setOperatorPassword",
    tag: "Operators",
    idParam: OPERATOR_NAME,
    access: "read",
    summary: "Set the password of an operator",
    description:
      "Sets a password and ends the operator's other sessions. Operators change their own password by sending the current one as `old`. Administrators of all targets can set any password.",
    body: PasswordInput,
    examples: {
      "Change your own password": { password: "a longer battery staple", old: "correct horse battery" },
      "Set the password of another operator": { password: "correct horse battery" },
    },
    response: { status: 204, description: "The password was changed." },
    errors: ["not_found", "rate_limited", ...HOME_ERRORS],
    isOwnChange: true,
    audit: ({ id }) => ({ action: "set_password", details: { name: id } }),
    handle: async ({ id, body: { password, old }, principal, request }) => {
      const own =
        principal.id === buildOperatorId(id) ? authentication.readSessionSecret(request) : undefined;
      const isItself = own !== undefined && (old !== undefined || !(await isByLink(own)));
      if (!isItself && !canAccess(principal, "admin", {})) {
        throw new ForbiddenError(`${principal.name} can only set their own password.`);
      }
      const by = isItself
        ? await verifyOldPassword(passwordLogin, id, old, request.remoteAddress)
        : principal;
      await operators.setPassword(id, password, by, own);
      return { status: 204, headers: {} };
    },
  });
}

/**
 * Verifies the password of the caller.
 * @throws LockkeeperError rate_limited, or invalid if the password is wrong (not unauthenticated, because the caller is
 * logged in)
 */
async function verifyOldPassword(
  passwordLogin: PasswordLogin,
  name: string,
  old: string | undefined,
  address: string | undefined,
): Promise<{ itself: StoredOperator }> {
  const field = { field: "old" };
  if (old === undefined) throw new InvalidError("old: the current password is required.", field);
  try {
    return { itself: (await passwordLogin.verify(name, old, address)).operator };
  } catch (error) {
    if (!(error instanceof UnauthenticatedError)) throw error;
    throw new InvalidError("old: the current password is wrong.", field);
  }
}
