import { expect, test } from "vitest";
import { languageFor } from "./language.ts";

test("what was chosen counts more than what the browser asks for", () => {
  expect(languageFor("en", "zh-CN,zh;q=0.9")).toBe("en");
  expect(languageFor("zh", "en-US,en;q=0.9")).toBe("zh");
});

test("without a choice the browser's weights decide, in whatever order they stand", () => {
  expect(languageFor(undefined, "zh-TW,zh;q=0.9,en;q=0.8")).toBe("zh");
  expect(languageFor(undefined, "en;q=0.5, zh-Hans;q=0.7")).toBe("zh");
  expect(languageFor(undefined, "fr, en;q=0.4, zh;q=0.3")).toBe("en");
});

test("what is refused, unknown or broken is English", () => {
  expect(languageFor(undefined, "zh;q=0")).toBe("en");
  expect(languageFor("klingon", null)).toBe("en");
  expect(languageFor(undefined, ";;q=x,,")).toBe("en");
});
