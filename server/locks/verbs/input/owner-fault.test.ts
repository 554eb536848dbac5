import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findOwnerFault } from "./owner-fault.ts";

describe("owner string validation", () => {
  it.each([
    "me",
    "checkout@pod-7:311",
    "5f0c0c1e-0000-4000-8000-000000000001:42",
    "with a space",
    "käufer-ß",
    "持有者",
    "👷 night shift",
    "e\u0301",
    "modes",
    "my-mode",
    "write",
    ":writer",
    "a:write:1",
    // A label, which never becomes a field of a hash.
    "mode",
    "a:write",
    "a:lock_count",
    "lockkeeper",
    "a-lockkeeper:b",
    "'; DROP TABLE locks; --",
    "<b>&amp;</b>",
  ])("the owner string %j is valid", (owner) => {
    expect(findOwnerFault(owner)).toBeUndefined();
  });

  it.each([
    ["lockkeeper:", "lockkeeper:"],
    ["lockkeeper:reserve:mei", "lockkeeper:"],
  ])("the owner string %s is rejected, naming the reserved part", (owner, meaning) => {
    expect(findOwnerFault(owner)).toContain(`"${meaning}"`);
  });

  it.each([
    ["a tab", "a\tb"],
    ["a line feed", "a\nb"],
    ["a carriage return", "a\rb"],
    ["a null", "a\0b"],
    ["an escape", "\u001b[31mred"],
    ["a delete", "a\u007f"],
    ["a C1 control", "a\u0085b"],
    ["a right-to-left override", "a\u202eb"],
    ["a left-to-right isolate", "a\u2066b"],
    ["an Arabic letter mark", "a\u061cb"],
    ["a zero-width space", "a\u200bb"],
    ["a zero-width joiner", "a\u200db"],
    ["a byte order mark", "\ufeffa"],
    ["a soft hyphen", "a\u00adb"],
    ["a tag character", "a\u{e0041}"],
    ["a line separator", "a\u2028b"],
    ["a paragraph separator", "a\u2029b"],
    ["a lone surrogate", "a\ud800b"],
    ["a private use character", "a\ue000"],
  ])("an owner string with %s is rejected as not printable", (_, owner) => {
    expect(findOwnerFault(owner)).toMatch(/not printable; give 1 to 256 printable characters/);
  });

  it("an owner string with any control or bidirectional formatting character is rejected", () => {
    const bidi = [
      0x61c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
    ];
    const controls = Array.from({ length: 0xa0 }, (_, code) => code).filter(
      (code) => code < 0x20 || code > 0x7e,
    );
    for (const code of [...bidi, ...controls]) {
      expect(findOwnerFault(`a${String.fromCodePoint(code)}b`)).toBeDefined();
    }
  });

  it("the length of an owner string is limited to 1 to 256 characters, not code units", () => {
    expect(findOwnerFault("")).toContain("1 to 256");
    expect(findOwnerFault("x".repeat(256))).toBeUndefined();
    expect(findOwnerFault("👷".repeat(256))).toBeUndefined();
    expect(findOwnerFault("👷".repeat(257))).toContain("257 characters; at most 256");
  });

  it("a valid owner string never contains the separators of event messages", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (owner) => {
        if (findOwnerFault(owner) === undefined) expect(owner).not.toMatch(/[\t\n\0]/);
      }),
    );
  });
});
