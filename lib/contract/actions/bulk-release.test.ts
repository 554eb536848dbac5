import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BulkItem } from "./bulk-release.ts";

const item = (keyBase64: string) => BulkItem.safeParse({ key: "", keyBase64, expect: "fence.1" });

describe("the bytes of a key in a bulk", () => {
  it("are taken in both alphabets, with and without padding", () => {
    for (const text of ["_w", "/w==", "_wA", "/wA=", "_wAB"]) expect(item(text).success, text).toBe(true);
    for (const text of ["", "_", "_w=", "_wA==", "_w==_w==", "_wAB=", "_w "])
      expect(item(text).success, text).toBe(false);
  });

  it("are refused where they are none, and are no fault of ours", () => {
    const near = fc.string({
      unit: fc.constantFrom("A", "z", "9", "+", "_", "=", " ", "\u0000"),
      maxLength: 12,
    });
    fc.assert(
      fc.property(near, (text) => {
        expect(() => item(text)).not.toThrow();
      }),
    );
  });
});
