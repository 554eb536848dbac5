import { expect, it } from "vitest";
import { ACCESS_TABLE } from "../../../test/support/access-table.ts";
import { formatRouteName, listDeclaredRoutes } from "../../../test/support/declared-routes.ts";

it("every route is in the access table as it is declared", () => {
  const declared = listDeclaredRoutes().map((route) => {
    const { access, scope, filtersByGrant, effect, path } = route;
    if (access === "anyone") return [formatRouteName(route), "anyone"];
    const about =
      scope === "server"
        ? access === "read"
          ? "anything"
          : filtersByGrant
            ? "some keys anywhere"
            : "everything"
        : path.includes("{key}") || path.includes("{holdId}")
          ? "one key"
          : filtersByGrant
            ? "some keys"
            : "one target";
    return [formatRouteName(route), `${access} of ${about}${effect === "writes" ? ", writes" : ""}`];
  });
  expect(Object.fromEntries(declared)).toEqual(ACCESS_TABLE);
});
