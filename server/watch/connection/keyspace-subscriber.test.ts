import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { suffices, union } from "./keyspace-subscriber.ts";

describe("suffices", () => {
  it.each(["Kghszxe$", "$exzshgK", "KEghszxe$", "AK", "AKE", "KghxeA"])("is met by %s", (flags) => {
    expect(suffices(flags)).toBe(true);
  });

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
  ])("is not met by %j", (flags) => {
    expect(suffices(flags)).toBe(false);
  });
});

describe("union", () => {
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
  ])("of %j is %s", (flags, all) => {
    expect(union(flags)).toBe(all);
  });

  it("keeps every flag of other apps, suffices, and asks for nothing twice", () => {
    // A covers all classes but m (misses) and n (new keys).
    const flags = fc.uniqueArray(fc.constantFrom(..."KEg$lshzxetdmnA"), { maxLength: 15 });
    fc.assert(
      fc.property(flags, (set) => {
        const all = union(set.join(""));
        for (const flag of set) expect(all).toContain(flag);
        expect(suffices(all)).toBe(true);
        expect(new Set(all).size).toBe(all.length);
        expect(union(all)).toBe(all);
      }),
    );
  });

  it("adds no more than what the formats need", () => {
    expect([...union("E")].filter((flag) => flag !== "E").join("")).toBe("Kghszxe$");
  });
});
