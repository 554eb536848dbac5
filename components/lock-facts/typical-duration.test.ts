import { expect, it } from "vitest";
import { sampleHolder, sampleLock } from "@/lib/contract/sample-lock.ts";
import { lock as words } from "@/lib/i18n/en/lock.tsx";
import { isPastUsual, usualText } from "./typical-duration.ts";

const lock = sampleLock({ holders: [sampleHolder({ since: 1000 })] });
const USUAL = { p50: 40_000, p95: 60_000, samples: 20 };

it("the typical hold time is shown once three holds have ended", () => {
  expect(usualText(USUAL, words)).toBe("usual 40 s");
  expect(usualText({ ...USUAL, samples: 2.9 }, words)).toBe("");
});

it("a hold counts as long once twenty holds have ended and it exceeds their 95th percentile", () => {
  expect(isPastUsual(lock, USUAL, 61_000)).toBe(false);
  expect(isPastUsual(lock, USUAL, 61_001)).toBe(true);
  expect(isPastUsual(lock, { ...USUAL, samples: 19 }, 61_001)).toBe(false);
  expect(isPastUsual({ ...lock, state: "ended" }, USUAL, 61_001)).toBe(false);
  expect(isPastUsual(lock, undefined, 61_001)).toBe(false);
  expect(isPastUsual(lock, USUAL, null)).toBe(false);
});
