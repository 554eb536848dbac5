import { expect, it } from "vitest";
import { thresholdAt } from "./expiry-announcement.tsx";

it("the last expiry threshold reached is returned, and none far from expiry or without TTL", () => {
  expect(thresholdAt(61_000)).toBeUndefined();
  expect(thresholdAt(60_000)).toBe(60);
  expect(thresholdAt(10_001)).toBe(60);
  expect(thresholdAt(4000)).toBe(10);
  expect(thresholdAt(0)).toBe(0);
  expect(thresholdAt(null)).toBeUndefined();
});
