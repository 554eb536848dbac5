import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BulkItem } from "./bulk-release.ts";

const parseItem = (keyBase64: string) =>
  BulkItem.safeParse({ key: "", keyBase64, expectedVersion: "fence.1" });

describe("base64 keys in a bulk request", () => {
  it("base64 keys are accepted in both alphabets, with and without padding", () => {
    for (const text of ["_w", "/w==", "_wA", "/wA=", "_wAB"])
      expect(parseItem(text).success, text).toBe(true);
    for (const text of ["", "_", "_w=", "_wA==", "_w==_w==", "_wAB=", "_w "])
      expect(parseItem(text).success, text).toBe(false);
  });

  it("invalid base64 keys are rejected without a server error", () => {
    const near = fc.string({
      unit: fc.constantFrom("A", "z", "9", "+", "_", "=", " ", "\u0000"),
      maxLength: 12,
    });
    fc.assert(
      fc.property(near, (text) => {
        expect(() => parseItem(text)).not.toThrow();
      }),
    );
  });
});
