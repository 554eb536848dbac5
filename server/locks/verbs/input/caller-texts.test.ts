import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidError } from "../../../errors/request-errors.ts";
import { assertCallerTexts, type CallerTexts, toRecordText } from "./caller-texts.ts";

function findField(texts: CallerTexts): unknown {
  try {
    assertCallerTexts(texts);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidError) return error.facts.field;
    throw error;
  }
}

/** Characters that would end a line or a part of the companion, or that are invisible. */
const FORBIDDEN = ["\n", "\r", "\t", "\0", "\u001b", "\u007f", "\u0085", "\u2028", "\u2029", "\ud800"];

describe("texts of callers", () => {
  it.each([
    {},
    { owner: "checkout@pod-7", principal: "key:root", requestId: "r-1" },
    { principal: "operator:Иван Петров" },
    { record: { service: "shop", host: "pod-7", pid: 311, purpose: "持有者 👷‍♀️", trace: "" } },
  ])("%j is accepted", (texts) => {
    expect(findField(texts)).toBeUndefined();
  });

  it.each(FORBIDDEN)("a control character is refused in each text: %j", (character) => {
    const text = `a${character}b`;
    expect(findField({ owner: text })).toBe("owner");
    expect(findField({ principal: text })).toBe("principal");
    expect(findField({ requestId: text })).toBe("requestId");
    for (const name of ["service", "host", "purpose", "trace", "session"])
      expect(findField({ record: { [name]: text } })).toBe(`record.${name}`);
  });

  it.each([
    [{ principal: "" }, "principal"],
    [{ principal: "x".repeat(257) }, "principal"],
    [{ requestId: "" }, "requestId"],
    [{ requestId: "x".repeat(129) }, "requestId"],
    [{ requestId: "é" }, "requestId"],
    [{ record: { purpose: "x".repeat(201) } }, "record.purpose"],
    [{ record: { session: "x".repeat(65) } }, "record.session"],
    [{ record: { more: "x" } as object }, "record.more"],
  ])("%j is refused", (texts, field) => {
    expect(findField(texts)).toBe(field);
  });

  it("no accepted text changes the lines of a companion", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 20 }), (text) => {
        const record = { purpose: text };
        if (findField({ principal: text }) === undefined) expect(text).not.toMatch(/[\t\n\r]/);
        if (findField({ record }) === undefined) expect(JSON.stringify(record)).not.toMatch(/[\t\n\r]|\\u/);
      }),
    );
  });

  it("the reason of a reservation is stored without line breaks and shortened", () => {
    expect(toRecordText("first line\r\nsecond\tline")).toBe("first line  second line");
    expect(toRecordText("x".repeat(500))).toHaveLength(200);
    expect(findField({ record: { purpose: toRecordText("\ud83d\n👷".repeat(90)) } })).toBeUndefined();
  });
});
