import { describe, expect, it } from "vitest";
import { createPlan, listTurns, needsBuild } from "./plan.ts";

const EXPERIMENTS = [["core.a", "core.b"], ["core.c"], ["http.a"]];

describe("turnsOf", () => {
  it("interleaves whole rounds of the two sides", () => {
    expect(listTurns(2)).toEqual([
      { round: 1, side: "reference" },
      { round: 1, side: "this" },
      { round: 2, side: "reference" },
      { round: 2, side: "this" },
    ]);
  });
});

describe("planOf", () => {
  it("keeps figures of one experiment together and drops those that the reference lacks", () => {
    const plan = createPlan(["core.a", "core.b", "core.c"], EXPERIMENTS, ["core.a", "core.b", "http.a"]);
    expect(plan).toEqual({ batches: [["core.a", "core.b"]], onlyHere: ["core.c"], onlyThere: [] });
  });

  it("lists figures of the same groups that only the reference has", () => {
    const plan = createPlan(["core.a"], EXPERIMENTS, ["core.a", "core.b", "core.old", "http.old"]);
    expect(plan).toEqual({ batches: [["core.a"]], onlyHere: [], onlyThere: ["core.old"] });
  });
});

describe("needsBuild", () => {
  it("is true for figures that are measured on the built console", () => {
    const plan = (figure: string) => createPlan([figure], EXPERIMENTS, EXPERIMENTS.flat());
    expect(needsBuild(plan("http.a"))).toBe(true);
    expect(needsBuild(plan("core.a"))).toBe(false);
  });
});
