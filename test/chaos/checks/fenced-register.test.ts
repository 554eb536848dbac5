import { describe, expect, it } from "vitest";
import { fencedRegister } from "./fenced-register.ts";
import { accepted, told, wrote } from "./told.ts";

const violationsOf = (...history: Parameters<typeof told>) => fencedRegister(told(...history)).violations;

describe("C3 fenced register", () => {
  it("the register check passes when tokens rise and each write replaces the value it read", () => {
    const log = [
      accepted("a#1", 1, 10, 0, 1),
      wrote("a", "a#1", 11),
      accepted("a#2", 1, 20, 1, 2),
      accepted("b#1", 2, 30, 2, 3),
    ];
    expect(violationsOf(...log, wrote("c", "c#1", 40, "fail"))).toEqual([]);
  });

  it("the register check reports an accepted write with a stale token", () => {
    expect(violationsOf(accepted("b#1", 2, 10, 0, 1), accepted("a#1", 1, 20, 1, 2))).toHaveLength(1);
  });

  it("the register check reports a lost update", () => {
    expect(violationsOf(accepted("a#1", 1, 10, 0, 1), accepted("b#1", 2, 20, 0, 2))).toHaveLength(1);
  });

  it("the register check reports a confirmed write that was never applied or was applied twice", () => {
    expect(violationsOf(wrote("a", "a#1", 10))).toHaveLength(1);
    const twice = [accepted("a#1", 1, 10, 0, 1), accepted("a#1", 1, 20, 1, 2), wrote("a", "a#1", 30)];
    expect(violationsOf(...twice)).toHaveLength(1);
  });

  it("the register check reports a rejected write that was applied", () => {
    expect(violationsOf(accepted("a#1", 1, 10, 0, 1), wrote("a", "a#1", 30, "fail"))).toHaveLength(1);
  });
});
