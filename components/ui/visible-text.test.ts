import { describe, expect, it } from "vitest";
import { splitVisibleParts, toVisibleText } from "./visible-text.ts";

describe("visible text", () => {
  it("ordinary text of any script is unchanged", () => {
    for (const text of [
      "lock:orders:42",
      "préfixe ключ 鍵 مفتاح",
      "<img src=x onerror=alert(1)>",
      "a b",
      "",
    ]) {
      expect(toVisibleText(text)).toBe(text);
    }
  });

  it("invisible characters are shown as placeholders", () => {
    expect(toVisibleText("a\0b\n\tc\x7f")).toBe("a␀b␊␉c␡");
    expect(toVisibleText("lock\u202egnp.exe")).toBe("lock<U+202E>gnp.exe");
    expect(toVisibleText("a\u200bb\u2066c\ufeffd\u00a0e\u2028f")).toBe(
      "a<U+200B>b<U+2066>c<U+FEFF>d<U+00A0>e<U+2028>f",
    );
    expect(toVisibleText("\ud800x")).toBe("<U+D800>x");
  });

  it("leading and trailing spaces are shown as placeholders", () => {
    expect(toVisibleText(" a b  ")).toBe("␠a b␠␠");
  });

  it("placeholders are marked so that text cannot imitate them", () => {
    expect(splitVisibleParts("a<U+202E>b\u202ec")).toEqual([
      { text: "a<U+202E>b", isPlaceholder: false },
      { text: "<U+202E>", isPlaceholder: true },
      { text: "c", isPlaceholder: false },
    ]);
  });

  it("long text is truncated", () => {
    expect(toVisibleText("x".repeat(1_000_000))).toHaveLength(601);
  });
});
