import { expect, it } from "vitest";
import { type Lock, ReleaseTerms } from "@/lib/contract/lock.ts";
import { createSampleLock } from "@/lib/contract/sample-lock.ts";
import { lock as english } from "@/lib/i18n/en/lock.tsx";
import { lock as chinese } from "@/lib/i18n/zh/lock.tsx";
import { formatReleaseAdvice, getReleaseObstacle } from "./release-text.ts";

const terms = (fields: Partial<ReleaseTerms>): ReleaseTerms =>
  ReleaseTerms.parse({ may: "yes", formats: [], oneHolder: false, reservable: false, ...fields });
const [why, instead] = ["It does harm.", "Ask the queue."];
const never = (format: Lock["format"]) =>
  createSampleLock({ format, release: terms({ may: "never", why, instead }) });

it("the reason why a lock is never released is the server's text in English and translated in Chinese", () => {
  expect(getReleaseObstacle(never("bullmq"), english)).toBe("It does harm. Ask the queue.");
  const texts = [never("bullmq"), never("redisson"), never("token")].map((lock) =>
    getReleaseObstacle(lock, chinese),
  );
  expect(new Set(texts).size).toBe(3);
  for (const text of texts) expect(text).toMatch(/^\p{Script=Han}|^Lockkeeper/u);
});

it("a releasable lock shows a warning only if it has one", () => {
  const permit = createSampleLock({ format: "redisson", kind: "semaphore", release: terms({ why }) });
  expect([formatReleaseAdvice(permit, english), getReleaseObstacle(permit, english)]).toEqual([why, null]);
  expect(formatReleaseAdvice(permit, chinese)).not.toBe(
    formatReleaseAdvice({ ...permit, kind: "latch" }, chinese),
  );
  expect(formatReleaseAdvice(createSampleLock({ release: terms({}) }), chinese)).toBeNull();
  expect(formatReleaseAdvice(createSampleLock({ release: null }), chinese)).toBeNull();
});
