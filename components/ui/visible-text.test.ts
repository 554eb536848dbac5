import { describe, expect, it } from "vitest";
import { visibleParts, visibleText } from "./visible-text.ts";

describe("visible text", () => {
  it("ordinary text of any script is unchanged", () => {
    for (const text of [
      "lock:orders:42",
      "préfixe ключ 鍵 مفتاح",
      "<img src=x onerror=alert(1)>",
      "a b",
      "",
    ]) {
      expect(visibleText(text)).toBe(text);
    }
  });

  it("invisible characters are shown as placeholders", () => {
    expect(visibleText("a\0b\n\tc\x7f")).toBe("a␀b␊␉c␡");
    expect(visibleText("lock\u202egnp.exe")).toBe("lock<U+202E>gnp.exe");
    expect(visibleText("a\u200bb\u2066c\ufeffd\u00a0e\u2028f")).toBe(
      "a<U+200B>b<U+2066>c<U+FEFF>d<U+00A0>e<U+2028>f",
    );
    expect(visibleText("\ud800x")).toBe("<U+D800>x");
  });

  it("leading and trailing spaces are shown as placeholders", () => {
    expect(visibleText(" a b  ")).toBe("␠a b␠␠");
  });

  it("placeholders are marked so that text cannot imitate them", () => {
    expect(visibleParts("a<U+202E>b\u202ec")).toEqual([
      { text: "a<U+202E>b", stand: false },
      { text: "<U+202E>", stand: true },
      { text: "c", stand: false },
    ]);
  });

  it("long text is truncated", () => {
    expect(visibleText("x".repeat(1_000_000))).toHaveLength(601);
  });
});
