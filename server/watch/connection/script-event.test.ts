import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EVENT_TYPES, LockEvent } from "../../../lib/contract/event.ts";
import { keyOfBytes } from "../../../lib/keys/key.ts";
import { parseOwnEvent } from "./script-event.ts";

const AT = 1_795_216_496_123;
const FENCE = "1795216496123456";

/** As the scripts publish it: eight words, then the key as bytes. */
function message(words: readonly unknown[], key: string | Uint8Array = "lock:a"): Uint8Array {
  return Buffer.concat([Buffer.from(`${words.join("\t")}\n`), Buffer.from(key)]);
}

const WORDS = ["acquired", AT, FENCE, 1, 1, "", "me", ""] as const;
const changed = (place: number, word: unknown) => WORDS.map((old, index) => (index === place ? word : old));

describe("parseOwnEvent", () => {
  it("reads what a script says of a hold", () => {
    expect(parseOwnEvent(message(WORDS))).toEqual({
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

  it("reads how long it was held, by whom it was forced and why", () => {
    const who = JSON.stringify({ by: "mei", reason: "stuck\tsince\nnoon" });
    expect(parseOwnEvent(message(["force_released", AT, FENCE, 9, 0, AT - 512, "me", who]))).toMatchObject({
      type: "force_released",
      seq: 9,
      count: 0,
      heldMs: 512,
      by: "mei",
      reason: "stuck\tsince\nnoon",
    });
  });

  it("has no reason where none was given", () => {
    const who = JSON.stringify({ by: "mei", reason: "" });
    expect(parseOwnEvent(message(["force_released", AT, "", 0, 0, "", "me", who]))).toMatchObject({
      by: "mei",
      reason: undefined,
      fence: null,
      seq: 0,
    });
  });

  it("keeps an owner and a key of any script, and a key of any bytes", () => {
    expect(parseOwnEvent(message(changed(6, "käufer@😀"), "lock:é"))).toMatchObject({
      owner: "käufer@😀",
      key: "lock:é",
    });
    fc.assert(
      fc.property(fc.uint8Array(), (key) => {
        expect(parseOwnEvent(message(WORDS, key))?.key).toBe(keyOfBytes(key));
      }),
    );
  });

  it("takes a time held that is below zero, after Redis's clock was set back, for zero", () => {
    expect(parseOwnEvent(message(changed(5, AT + 20)))?.heldMs).toBe(0);
  });

  it.each([
    ["an unknown type", changed(0, "stolen")],
    ["a type in other letters", changed(0, "Acquired")],
    ["a time that is no number", changed(1, "noon")],
    ["a time with a fraction", changed(1, "1.5")],
    ["no time", changed(1, "")],
    ["a fence that is no number", changed(2, "abc")],
    ["a negative fence", changed(2, "-1")],
    ["a seq that is no number", changed(3, "x")],
    ["a negative count", changed(4, "-1")],
    ["no count", changed(4, "")],
    ["a number written otherwise", changed(4, "1e3")],
    ["a number beyond all sense", changed(1, "9".repeat(17))],
    ["a time that no date can be", changed(1, "9".repeat(16))],
    ["a count that is no safe integer", changed(4, "9".repeat(16))],
    ["an owner longer than all that scripts say", changed(6, "x".repeat(16_384))],
    ["a beginning that is no number", changed(5, "long")],
    ["a beginning before all time", changed(5, "-20")],
    ["too few words", WORDS.slice(0, 7)],
    ["too many words", [...WORDS, ""]],
    ["nothing", []],
  ])("is undefined for %s", (_, words) => {
    expect(parseOwnEvent(message(words))).toBeUndefined();
  });

  it("is undefined for a key longer than any that a script writes to", () => {
    expect(parseOwnEvent(message(WORDS, "k".repeat(1024)))).toBeDefined();
    expect(parseOwnEvent(message(WORDS, "k".repeat(1025)))).toBeUndefined();
  });

  it("is undefined for a message without a line for the key", () => {
    expect(parseOwnEvent(Buffer.from(WORDS.join("\t")))).toBeUndefined();
    expect(parseOwnEvent(new Uint8Array())).toBeUndefined();
  });

  it.each(["no JSON", "null", "5", "[]", '{"by":5,"reason":{}}', "{"])(
    "tells an event whose who and why is %s without them",
    (who) => {
      expect(parseOwnEvent(message(changed(7, who)))).toMatchObject({ by: undefined, reason: undefined });
    },
  );

  it("never throws, and lets through only what the contract can carry", () => {
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
      .chain((words) => fc.uint8Array({ maxLength: 8 }).map((key) => message(words, key)));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 80 }), nearly), (bytes) => {
        const event = parseOwnEvent(bytes);
        if (event === undefined) return;
        const { fence, seq: _, ...rest } = event;
        const told = {
          id: "1",
          target: "t",
          observed: "exact",
          ...rest,
          ...(fence === null ? {} : { fence }),
        };
        expect(() => LockEvent.parse(told)).not.toThrow();
        expect(Number.isSafeInteger(event.at) && Number.isSafeInteger(event.seq)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("the scripts", () => {
  const FOLDER = new URL("../../formats/", import.meta.url);
  const sources = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".lua"))
    .map((name) => readFileSync(new URL(name, FOLDER), "utf8"))
    .join("\n");

  it("publish eight words, and the key on a line of its own", () => {
    const body =
      /local function format_event\(([^)]*)\)\s*return table\.concat\(\{(.*?)\}, '\\t'\)\s*\.\. '\\n' \.\. key/s.exec(
        sources,
      );
    const words = body?.[2]?.replace(/\([^)]*\)/g, "").split(",") ?? [];
    expect(words).toHaveLength(8);
    expect([...sources.matchAll(/'\\t'\)\s*\.\. '\\n'/g)]).toHaveLength(1);
  });

  it("publish types that are known", () => {
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
