import { expect, test } from "vitest";
import type { Facet } from "@/lib/contract/facet.ts";
import { buildFacetRows } from "./facet-rows.ts";

const HOSTS: Facet = {
  field: "host",
  values: ["h19", "h3", "h1", "h7", "h2", "h8", "h4", "h5"].map((value, at) => ({
    ...{ value, filter: `host:="${value}"`, locks: 20 - at },
  })),
  ...{ others: 3, without: 1 },
};

test("a facet lists its most frequent values by name, including every selected one", () => {
  const names = (filter: string, amount: "few" | "all" = "few") =>
    buildFacetRows(HOSTS, filter, amount).rows.map(
      ({ value, isChosen }) => `${value}${isChosen ? " *" : ""}`,
    );
  expect(names("")).toEqual(["h1", "h2", "h3", "h7", "h8", "h19"]);
  expect(buildFacetRows(HOSTS, "", "few").more).toBe(2);
  expect(names('host:="h5" service:="h1"')).toEqual(["h1", "h2", "h3", "h5 *", "h7", "h8", "h19"]);
  expect(names("", "all")).toHaveLength(8);
});

test("a filter term that is not a listed value is shown and can be removed", () => {
  const [first] = buildFacetRows(HOSTS, "host:pod-*", "few").rows;
  expect(first).toEqual({ value: "host:pod-*", filter: "host:pod-*", locks: null, isChosen: true });
});

test("the liveness facet lists every state in a fixed order, including those that no lock has", () => {
  const facet: Facet = {
    field: "liveness",
    values: [{ value: "alive", filter: "liveness:alive", locks: 4 }],
    ...{ others: 0, without: 0 },
  };
  const { rows } = buildFacetRows(facet, "liveness:overdue", "few");
  expect(rows.map(({ value, locks, isChosen }) => [value, locks, isChosen])).toEqual([
    ["overdue", 0, true],
    ["no_ttl", 0, false],
    ["unknown", 0, false],
    ["not_renewing", 0, false],
    ["alive", 4, false],
  ]);
});
