import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasRequiredFlags, mergeFlags } from "./keyspace-subscriber.ts";

describe("sufficient notification flags", () => {
  it.each(["Kghszxe$", "$exzshgK", "KEghszxe$", "AK", "AKE", "KghxeA"])(
    "the notification flags %s are sufficient",
    (flags) => {
      expect(hasRequiredFlags(flags)).toBe(true);
    },
  );

  it.each([
    "",
    "K",
    "E",
    "A",
    "AE",
    "ghszxe$",
    "Eghszxe$",
    "Kghszxe",
    "Kghszx$",
    "Kghsze$",
    "Kghsxe$",
    "Kghzxe$",
    "Kgszxe$",
    "Khszxe$",
    "KEx",
    "kGHXE$",
  ])("the notification flags %j are not sufficient", (flags) => {
    expect(hasRequiredFlags(flags)).toBe(false);
  });
});

describe("merged notification flags", () => {
  it.each([
    ["", "Kghszxe$"],
    ["Ex", "ExKghsze$"],
    ["A", "AK"],
    ["AE", "AEK"],
    ["AK", "AK"],
    ["Kghxe", "Kghxesz$"],
    ["Kghszxe$", "Kghszxe$"],
    ["g$E", "gEKhszxe$"],
    ["Et", "EtKghszxe$"],
  ])("merging the flags %j with the required ones gives %s", (flags, all) => {
    expect(mergeFlags(flags)).toBe(all);
  });

  it("merged flags keep every existing flag, are sufficient and contain no duplicates", () => {
    // `A` covers all event classes except `m` (key misses) and `n` (new keys).
    const flags = fc.uniqueArray(fc.constantFrom(..."KEg$lshzxetdmnA"), { maxLength: 15 });
    fc.assert(
      fc.property(flags, (set) => {
        const all = mergeFlags(set.join(""));
        for (const flag of set) expect(all).toContain(flag);
        expect(hasRequiredFlags(all)).toBe(true);
        expect(new Set(all).size).toBe(all.length);
        expect(mergeFlags(all)).toBe(all);
      }),
    );
  });

  it("merged flags add only what the lock formats need", () => {
    expect([...mergeFlags("E")].filter((flag) => flag !== "E").join("")).toBe("Kghszxe$");
  });
});
