import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  MIN_HOLD_RESERVER,
  parseReservedOwner,
  RESERVED_OWNER_PREFIX,
} from "../../../../lib/contract/actions/reservation.ts";
import { findOwnerFault } from "./owner-fault.ts";
import { formatReservedOwner } from "./reserved-owner.ts";

describe("reservation owner strings", () => {
  it.each([
    ["mei", "mei"],
    ["key:root", "key:root"],
    ["checkout@pod-7:311", "checkout@pod-7:311"],
    ["  ", "somebody"],
    ["", "somebody"],
    ["mei\n\u202e", "mei??"],
    ["\ud800", "?"],
    ["me:write", "me write"],
    ["x".repeat(400), "x".repeat(237)],
    [`${"x".repeat(231)}:writers`, `${"x".repeat(231)} write`],
    [MIN_HOLD_RESERVER, "min hold"],
    ["👷".repeat(300), "👷".repeat(237)],
  ])("the owner string of a reservation for %j shows the name %j", (who, name) => {
    expect(parseReservedOwner(formatReservedOwner(who))).toBe(name);
  });

  it("the owner string of a reservation is valid for any name", () => {
    const names = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.string({ unit: fc.constantFrom("x", " ", ":write", ":lock_count", ":expire_time", "\u2028", "\0") }),
    );
    fc.assert(
      fc.property(names, (who) => {
        const owner = formatReservedOwner(who);
        // Only the prefix, which applications may not use, is invalid.
        expect(findOwnerFault(owner.replaceAll("lockkeeper:", "lockkeeper "))).toBeUndefined();
        expect(parseReservedOwner(owner)).not.toBe(MIN_HOLD_RESERVER);
        expect(owner.startsWith(RESERVED_OWNER_PREFIX)).toBe(true);
      }),
    );
  });
});

describe("parsing of reservation owner strings", () => {
  it("only reservation owner strings are parsed as reservations", () => {
    for (const owner of ["me", "lockkeeper", "xlockkeeper:reserve:mei"])
      expect(parseReservedOwner(owner)).toBeUndefined();
    expect(parseReservedOwner("lockkeeper:reserve:min-hold")).toBe(MIN_HOLD_RESERVER);
  });
});
