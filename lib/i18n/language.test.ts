import { expect, test } from "vitest";
import { resolveLanguage } from "./language.ts";

test("a selected language takes precedence over that of the browser", () => {
  expect(resolveLanguage("en", "zh-CN,zh;q=0.9")).toBe("en");
  expect(resolveLanguage("zh", "en-US,en;q=0.9")).toBe("zh");
});

test("the browser's language weights decide when no language is selected", () => {
  expect(resolveLanguage(undefined, "zh-TW,zh;q=0.9,en;q=0.8")).toBe("zh");
  expect(resolveLanguage(undefined, "en;q=0.5, zh-Hans;q=0.7")).toBe("zh");
  expect(resolveLanguage(undefined, "fr, en;q=0.4, zh;q=0.3")).toBe("en");
});

test("a refused, unknown or malformed language falls back to English", () => {
  expect(resolveLanguage(undefined, "zh;q=0")).toBe("en");
  expect(resolveLanguage("klingon", null)).toBe("en");
  expect(resolveLanguage(undefined, ";;q=x,,")).toBe("en");
});
