import { expect, test } from "vitest";
import { languageFor } from "./language.ts";

test("a selected language takes precedence over that of the browser", () => {
  expect(languageFor("en", "zh-CN,zh;q=0.9")).toBe("en");
  expect(languageFor("zh", "en-US,en;q=0.9")).toBe("zh");
});

test("the browser's language weights decide when no language is selected", () => {
  expect(languageFor(undefined, "zh-TW,zh;q=0.9,en;q=0.8")).toBe("zh");
  expect(languageFor(undefined, "en;q=0.5, zh-Hans;q=0.7")).toBe("zh");
  expect(languageFor(undefined, "fr, en;q=0.4, zh;q=0.3")).toBe("en");
});

test("a refused, unknown or malformed language falls back to English", () => {
  expect(languageFor(undefined, "zh;q=0")).toBe("en");
  expect(languageFor("klingon", null)).toBe("en");
  expect(languageFor(undefined, ";;q=x,,")).toBe("en");
});
