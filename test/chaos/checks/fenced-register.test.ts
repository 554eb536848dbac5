import { describe, expect, it } from "vitest";
import { checkFencedRegister } from "./fenced-register.ts";
import { buildAccept, buildHistory, buildWrite } from "./history-builder.ts";

const findViolations = (...history: Parameters<typeof buildHistory>) =>
  checkFencedRegister(buildHistory(...history)).violations;

describe("C3 fenced register", () => {
  it("the register check passes when tokens rise and each write replaces the value it read", () => {
    const log = [
      buildAccept("a#1", 1, 10, 0, 1),
      buildWrite("a", "a#1", 11),
      buildAccept("a#2", 1, 20, 1, 2),
      buildAccept("b#1", 2, 30, 2, 3),
    ];
    expect(findViolations(...log, buildWrite("c", "c#1", 40, "fail"))).toEqual([]);
  });

  it("the register check reports an accepted write with a stale token", () => {
    expect(findViolations(buildAccept("b#1", 2, 10, 0, 1), buildAccept("a#1", 1, 20, 1, 2))).toHaveLength(1);
  });

  it("the register check reports a lost update", () => {
    expect(findViolations(buildAccept("a#1", 1, 10, 0, 1), buildAccept("b#1", 2, 20, 0, 2))).toHaveLength(1);
  });

  it("the register check reports a confirmed write that was never applied or was applied twice", () => {
    expect(findViolations(buildWrite("a", "a#1", 10))).toHaveLength(1);
    const twice = [
      buildAccept("a#1", 1, 10, 0, 1),
      buildAccept("a#1", 1, 20, 1, 2),
      buildWrite("a", "a#1", 30),
    ];
    expect(findViolations(...twice)).toHaveLength(1);
  });

  it("the register check reports a rejected write that was applied", () => {
    expect(findViolations(buildAccept("a#1", 1, 10, 0, 1), buildWrite("a", "a#1", 30, "fail"))).toHaveLength(
      1,
    );
  });
});
