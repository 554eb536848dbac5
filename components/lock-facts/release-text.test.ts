import { expect, it } from "vitest";
import { type Lock, ReleaseTerms } from "@/lib/contract/lock.ts";
import { sampleLock } from "@/lib/contract/sample-lock.ts";
import { lock as english } from "@/lib/i18n/en/lock.tsx";
import { lock as chinese } from "@/lib/i18n/zh/lock.tsx";
import { neverFreed, releaseText } from "./release-text.ts";

const terms = (fields: Partial<ReleaseTerms>): ReleaseTerms =>
  ReleaseTerms.parse({ may: "yes", formats: [], oneHolder: false, holdOff: false, ...fields });
const [why, instead] = ["It does harm.", "Ask the queue."];
const never = (format: Lock["format"]) =>
  sampleLock({ format, release: terms({ may: "never", why, instead }) });

it("the reason why a lock is never released is the server's text in English and translated in Chinese", () => {
  expect(neverFreed(never("bullmq"), english)).toBe("It does harm. Ask the queue.");
  const told = [never("bullmq"), never("redisson"), never("token")].map((lock) => neverFreed(lock, chinese));
  expect(new Set(told).size).toBe(3);
  for (const text of told) expect(text).toMatch(/^\p{Script=Han}|^Lockkeeper/u);
});

it("a releasable lock shows a warning only if it has one", () => {
  const permit = sampleLock({ format: "redisson", kind: "semaphore", release: terms({ why }) });
  expect([releaseText(permit, english), neverFreed(permit, english)]).toEqual([why, null]);
  expect(releaseText(permit, chinese)).not.toBe(releaseText({ ...permit, kind: "latch" }, chinese));
  expect(releaseText(sampleLock({ release: terms({}) }), chinese)).toBeNull();
  expect(releaseText(sampleLock({ release: null }), chinese)).toBeNull();
});
