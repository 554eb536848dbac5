import { expect, it } from "vitest";
import { ACCESS_TABLE } from "../../../test/support/access-table.ts";
import { declaredRoutes, nameOf } from "../../../test/support/declared-routes.ts";

it("every route is in the access table as it is declared", () => {
  const declared = declaredRoutes().map((route) => {
    const { access, scope, narrows, effect, path } = route;
    if (access === "anyone") return [nameOf(route), "anyone"];
    const about =
      scope === "server"
        ? access === "read"
          ? "anything"
          : "everything"
        : path.includes("{key}")
          ? "one key"
          : narrows
            ? "some keys"
            : "one target";
    return [nameOf(route), `${access} of ${about}${effect === "writes" ? ", writes" : ""}`];
  });
  expect(Object.fromEntries(declared)).toEqual(ACCESS_TABLE);
});
