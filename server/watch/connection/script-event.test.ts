import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EVENT_TYPES, LockEvent } from "../../../lib/contract/event.ts";
import { decodeKey } from "../../../lib/keys/key.ts";
import { parseScriptEvent } from "./script-event.ts";

const AT = 1_795_216_496_123;
const FENCE = "1795216496123456";

/**
 * Returns a message in the format that scripts publish: tab-separated fields, a line break, and the bytes of the key.
 */
function encodeMessage(words: readonly unknown[], key: string | Uint8Array = "lock:a"): Uint8Array {
  return Buffer.concat([Buffer.from(`${words.join("\t")}\n`), Buffer.from(key)]);
}

const HEADER_FIELDS = ["acquired", AT, FENCE, 1, 1, "", "me", ""] as const;
const replaceField = (place: number, word: unknown) =>
  HEADER_FIELDS.map((old, index) => (index === place ? word : old));

describe("script event parsing", () => {
  it("a script event is parsed with its type, key, time, fencing token and counts", () => {
    expect(parseScriptEvent(encodeMessage(HEADER_FIELDS))).toEqual({
      type: "acquired",
      key: "lock:a",
      at: AT,
      fence: FENCE,
      seq: 1,
      count: 1,
      heldMs: undefined,
      owner: "me",
      by: undefined,
      reason: undefined,
    });
  });

  it("the event of a hold that shares its lock has a token as its ninth field", () => {
    const token = "0f8fad5b-d9cb-469f-a165-70867728950e:42";
    expect(parseScriptEvent(encodeMessage([...HEADER_FIELDS, token]))).toMatchObject({ fence: FENCE, token });
    for (const more of [["not a token"], [token, ""], [`${token}:write`]])
      expect(parseScriptEvent(encodeMessage([...HEADER_FIELDS, ...more]))).toBeUndefined();
  });

  it("a force_released event is parsed with held time, operator and reason", () => {
    const who = JSON.stringify({ by: "mei", reason: "stuck\tsince\nnoon" });
    expect(
      parseScriptEvent(encodeMessage(["force_released", AT, FENCE, 9, 0, AT - 512, "me", who])),
    ).toMatchObject({
      type: "force_released",
      seq: 9,
      count: 0,
      heldMs: 512,
      by: "mei",
      reason: "stuck\tsince\nnoon",
    });
  });

  it("a force_released event with an empty reason has no reason", () => {
    const who = JSON.stringify({ by: "mei", reason: "" });
    expect(parseScriptEvent(encodeMessage(["force_released", AT, "", 0, 0, "", "me", who]))).toMatchObject({
      by: "mei",
      reason: undefined,
      fence: null,
      seq: 0,
    });
  });

  it("Unicode owners and keys of arbitrary bytes are preserved", () => {
    expect(parseScriptEvent(encodeMessage(replaceField(6, "käufer@😀"), "lock:é"))).toMatchObject({
      owner: "käufer@😀",
      key: "lock:é",
    });
    fc.assert(
      fc.property(fc.uint8Array(), (key) => {
        expect(parseScriptEvent(encodeMessage(HEADER_FIELDS, key))?.key).toBe(decodeKey(key));
      }),
    );
  });

  it("a negative held time after a Redis clock step back is parsed as 0", () => {
    expect(parseScriptEvent(encodeMessage(replaceField(5, AT + 20)))?.heldMs).toBe(0);
  });

  it.each([
    ["an unknown type", replaceField(0, "stolen")],
    ["a type in another letter case", replaceField(0, "Acquired")],
    ["a time that is not a number", replaceField(1, "noon")],
    ["a time with a fraction", replaceField(1, "1.5")],
    ["no time", replaceField(1, "")],
    ["a fencing token that is not a number", replaceField(2, "abc")],
    ["a negative fencing token", replaceField(2, "-1")],
    ["a seq that is not a number", replaceField(3, "x")],
    ["a negative count", replaceField(4, "-1")],
    ["no count", replaceField(4, "")],
    ["a number in exponent notation", replaceField(4, "1e3")],
    ["a time of 17 digits", replaceField(1, "9".repeat(17))],
    ["a time outside the date range", replaceField(1, "9".repeat(16))],
    ["a count that is not a safe integer", replaceField(4, "9".repeat(16))],
    ["an owner above the maximum length", replaceField(6, "x".repeat(16_384))],
    ["a start time that is not a number", replaceField(5, "long")],
    ["a negative start time", replaceField(5, "-20")],
    ["too few fields", HEADER_FIELDS.slice(0, 7)],
    ["too many fields", [...HEADER_FIELDS, ""]],
    ["no fields", []],
  ])("an event with %s is rejected", (_, words) => {
    expect(parseScriptEvent(encodeMessage(words))).toBeUndefined();
  });

  it("an event with a key longer than 1,024 bytes is rejected", () => {
    expect(parseScriptEvent(encodeMessage(HEADER_FIELDS, "k".repeat(1024)))).toBeDefined();
    expect(parseScriptEvent(encodeMessage(HEADER_FIELDS, "k".repeat(1025)))).toBeUndefined();
  });

  it("a message without a key line is rejected", () => {
    expect(parseScriptEvent(Buffer.from(HEADER_FIELDS.join("\t")))).toBeUndefined();
    expect(parseScriptEvent(new Uint8Array())).toBeUndefined();
  });

  it.each(["no JSON", "null", "5", "[]", '{"by":5,"reason":{}}', "{"])(
    "an event whose operator JSON is %s is parsed without operator and reason",
    (who) => {
      expect(parseScriptEvent(encodeMessage(replaceField(7, who)))).toMatchObject({
        by: undefined,
        reason: undefined,
      });
    },
  );

  it("arbitrary bytes never throw, and every parsed event is valid under the API schema", () => {
    const number = fc.oneof(
      { weight: 8, arbitrary: fc.nat().map(String) },
      { weight: 1, arbitrary: fc.string({ maxLength: 3 }) },
    );
    const nearly = fc
      .tuple(
        fc.constantFrom<string>(...EVENT_TYPES, "stolen"),
        ...[number, number, number, number, number],
        fc.string(),
        fc.oneof(fc.json(), fc.string()),
      )
      .chain((words) => fc.uint8Array({ maxLength: 8 }).map((key) => encodeMessage(words, key)));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 80 }), nearly), (bytes) => {
        const event = parseScriptEvent(bytes);
        if (event === undefined) return;
        const { fence, seq: _, ...rest } = event;
        const published = {
          id: "1",
          target: "t",
          observed: "exact",
          ...rest,
          ...(fence === null ? {} : { fence }),
        };
        expect(() => LockEvent.parse(published)).not.toThrow();
        expect(Number.isSafeInteger(event.at) && Number.isSafeInteger(event.seq)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("Lua event messages", () => {
  const FOLDER = new URL("../../formats/", import.meta.url);
  const sources = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".lua"))
    .map((name) => readFileSync(new URL(name, FOLDER), "utf8"))
    .join("\n");

  it("the Lua scripts publish eight fields and the key on a separate line", () => {
    const body =
      /local function format_event\(([^)]*)\)\s*local printable[^\n]*\s*return table\.concat\(\{(.*?)\}, '\\t'\)\s*\.\. '\\n' \.\. key/s.exec(
        sources,
      );
    const words = body?.[2]?.replace(/\([^)]*\)/g, "").split(",") ?? [];
    expect(words).toHaveLength(8);
    expect([...sources.matchAll(/'\\t'\)\s*\.\. '\\n'/g)]).toHaveLength(1);
  });

  it("the Lua scripts publish known event types only", () => {
    const types = [...sources.matchAll(/\b(?:format_event|granted|grant)\('([a-z_]+)'/g)].map(
      ([, type]) => type,
    );
    expect(new Set(types)).toEqual(
      new Set(types.filter((type) => EVENT_TYPES.some((name) => name === type))),
    );
    for (const type of ["acquired", "reentered", "renewed", "released", "force_released", "waiting"])
      expect(types).toContain(type);
  });
});
