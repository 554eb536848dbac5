import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOLD_ID_CHARACTERS_MAX } from "../../lib/contract/actions/verb.ts";
import { WritableFormat } from "../../lib/contract/format.ts";
import { decodeKey, KEY_BYTES_MAX } from "../../lib/keys/key.ts";
import { formatHoldId, parseHoldId, type TargetHoldRef } from "./hold-id.ts";

const TOKEN = "0f8fad5b-d9cb-469f-a165-70867728950e:42";
const REF: TargetHoldRef = {
  ...{ target: "default", format: "redisson", unit: undefined, token: TOKEN, fence: "1795216496123456" },
  key: "lock:orders:42",
};

const key = fc.uint8Array({ minLength: 1, maxLength: KEY_BYTES_MAX }).map((bytes) => decodeKey(bytes));
const ref = fc.record({
  target: fc.stringMatching(/^[a-z][a-z0-9-]{0,40}$/),
  format: fc.constantFrom(...WritableFormat.options),
  token: fc.tuple(fc.uuid(), fc.nat()).map(([client, count]) => `${client}:${count}`),
  fence: fc.bigInt({ min: 1n, max: 9_999_999_999_999_999n }).map(String),
  key,
  unit: fc.constantFrom("s" as const, "ms" as const),
});

describe("holdId", () => {
  it("a holdId parses to what it was formatted from, for any key, and fits the wire's limit", () => {
    fc.assert(
      fc.property(ref, (given) => {
        const hold = { ...given, unit: given.format === "timestamp" ? given.unit : undefined };
        const holdId = formatHoldId(hold);
        expect(parseHoldId(holdId)).toEqual(hold);
        expect(holdId.length).toBeLessThanOrEqual(HOLD_ID_CHARACTERS_MAX);
        expect(encodeURIComponent(holdId)).toBe(holdId);
      }),
    );
  });

  it.each([
    ["an empty text", ""],
    ["another prefix", formatHoldId(REF).replace("h1.", "h2.")],
    ["only the prefix", "h1."],
    ["padding", `${formatHoldId(REF)}=`],
    ["a character outside base64url", formatHoldId(REF).replace(/.$/, "+")],
    ["a truncated id", formatHoldId(REF).slice(0, 40)],
    ["no target", formatHoldId({ ...REF, target: "" })],
    ["no key", formatHoldId({ ...REF, key: "" })],
    ["a token with a line feed", formatHoldId({ ...REF, token: "a\nb" })],
    ["a fence that is not a number", formatHoldId({ ...REF, fence: "1e9" })],
    ["a fence with a leading zero", formatHoldId({ ...REF, fence: "01" })],
    ["a unit in a format without one", formatHoldId({ ...REF, unit: "ms" })],
    ["a timestamp without a unit", formatHoldId({ ...REF, format: "timestamp" })],
    ["a key that is too long", formatHoldId({ ...REF, key: "x".repeat(KEY_BYTES_MAX + 1) })],
  ])("%s is not a holdId", (_, text) => {
    expect(parseHoldId(text)).toBeUndefined();
  });

  it("a holdId has one spelling: unused bits of the last character are refused", () => {
    const holdId = formatHoldId({ ...REF, key: "lock:orders:4" });
    const spellings = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"]
      .map((last) => holdId.slice(0, -1) + last)
      .filter((text) => parseHoldId(text)?.key === "lock:orders:4");
    expect(spellings).toEqual([holdId]);
  });

  it("the kind write and the token of a writer belong together", () => {
    for (const kind of ["read", "write"] as const) {
      const token = kind === "write" ? `${TOKEN}:write` : TOKEN;
      expect(parseHoldId(formatHoldId({ ...REF, kind, token }))).toEqual({ ...REF, kind, token });
    }
    expect(parseHoldId(formatHoldId({ ...REF, kind: "write" }))).toBeUndefined();
    for (const kind of [undefined, "lock", "fair", "read"] as const)
      expect(parseHoldId(formatHoldId({ ...REF, kind, token: `${TOKEN}:write` }))).toBeUndefined();
    expect(parseHoldId(formatHoldId({ ...REF, format: "token", kind: "read" }))).toBeUndefined();
  });

  it("random text is never a holdId by accident", () => {
    fc.assert(
      fc.property(fc.base64String(), (text) => {
        expect(parseHoldId(`h1.${text}`)).toBeUndefined();
      }),
    );
  });
});
