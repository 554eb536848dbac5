import { expect, it } from "vitest";
import { findThreshold } from "./expiry-announcement.tsx";

it("the last expiry threshold reached is returned, and none far from expiry or without TTL", () => {
  expect(findThreshold(61_000)).toBeUndefined();
  expect(findThreshold(60_000)).toBe(60);
  expect(findThreshold(10_001)).toBe(60);
  expect(findThreshold(4000)).toBe(10);
  expect(findThreshold(0)).toBe(0);
  expect(findThreshold(null)).toBeUndefined();
});
