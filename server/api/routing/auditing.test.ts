import { expect, it } from "vitest";
import { formatRouteName, listDeclaredRoutes } from "../../../test/support/declared-routes.ts";

/** Routes that are not audited although their method is not GET, with the reason. */
const NOT_AUDITED: Readonly<Record<string, string>> = {
  "POST /locks/{key}/acquire": "the apps' own verb: the history has it",
  "POST /locks/acquire": "the apps' own verb: the history has it",
  "POST /holds/{holdId}/renew": "the apps' own verb",
  "POST /holds/{holdId}/downgrade": "the apps' own verb: the history has it",
  "POST /holds/{holdId}/conditions/{id}/await": "the apps' own verb: the history has the holds",
  "POST /holds/{holdId}/conditions/{id}/signal": "the apps' own verb",
  "POST /holds/{holdId}/conditions/{id}/signal-all": "the apps' own verb",
  "POST /holds/{holdId}/release": "the apps' own verb: the history has it",
  "POST /holds/renew": "the apps' own verb",
  "POST /holds/release": "the apps' own verb: the history has it",
  "POST /latches/{key}/count-down": "the apps' own verb",
  "POST /formats/rules/preview": "reads, and changes nothing",
  "POST /finder": "reads, and changes nothing",
  "POST /finder/cancel": "ends what changes nothing",
  "POST /live/{id}": "says what a tab looks at",
};

it("every route that changes something is audited or listed as an exception", () => {
  const left = listDeclaredRoutes().filter(({ method, audit }) => method !== "GET" && audit === undefined);
  expect(left.map(formatRouteName).sort()).toEqual(Object.keys(NOT_AUDITED).sort());
});

it("no read-only route is audited", () => {
  expect(listDeclaredRoutes().filter(({ method, audit }) => method === "GET" && audit !== undefined)).toEqual(
    [],
  );
});
