import fc from "fast-check";
import { expect, it } from "vitest";
import type { WaitingClient } from "@/lib/contract/waits/waits.ts";
import { nestRows, type WaitNode } from "./nest-rows.ts";

const buildRow = (depth: number, owner = "me"): WaitingClient => ({
  ...{ depth, owner, by: "lockkeeper", key: "lock:a", since: 1, sinceIs: "exact", until: null, holds: [] },
});

const formatTree = (nodes: readonly WaitNode[]): string =>
  nodes
    .map(({ client, behind }) => client.owner + (behind.length === 0 ? "" : `(${formatTree(behind)})`))
    .join(" ");

it("clients are placed behind the client whose lock they wait for", () => {
  const rows = [buildRow(1, "a"), buildRow(2, "b"), buildRow(3, "c"), buildRow(2, "d"), buildRow(1, "e")];
  expect(formatTree(nestRows(rows))).toBe("a(b(c) d) e");
});

it("every prefix of the rows is shown in the same order, whatever the depths", () => {
  const listPositions = (nodes: readonly WaitNode[]): number[] =>
    nodes.flatMap(({ at, behind }) => [at, ...listPositions(behind)]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5 })), (depths) => {
      const rows = depths.map((depth) => buildRow(depth));
      expect(listPositions(nestRows(rows))).toEqual(rows.map((_row, at) => at));
    }),
  );
});
