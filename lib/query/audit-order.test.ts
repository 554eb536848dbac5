import { expect, it } from "vitest";
import { placeRefusalsByTime } from "./audit-order.ts";

it("refusals that were written late are placed before the action that followed them", () => {
  const chain = [
    { name: "refused at 5 and 9", at: 9, count: 2 },
    { name: "released", at: 30 },
    { name: "logged in", at: 10 },
    { name: "refused at 8", at: 8, count: 1 },
    { name: "reserved", at: 2 },
  ];
  expect(placeRefusalsByTime(chain).map(({ name }) => name)).toEqual([
    "released",
    "logged in",
    "refused at 5 and 9",
    "refused at 8",
    "reserved",
  ]);
});

it("refusals older than every other item come last", () => {
  const chain = [
    { at: 7, count: 1 },
    { at: 9, count: undefined },
  ];
  expect(placeRefusalsByTime(chain).map(({ at }) => at)).toEqual([9, 7]);
});
