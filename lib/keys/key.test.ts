import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeKey,
  encodeKey,
  encodeKeyPath,
  formatKey,
  isBinaryKey,
  KEY_BYTES_MAX,
  KEY_PATH_CHARACTERS_MAX,
  parseKeyFields,
  parseKeyPath,
  toKeyFields,
} from "./key.ts";

// Includes U+10000, whose first code unit is the same as the mark of a key that is not UTF-8.
const troublesome = fc.constantFrom(
  "/",
  ".",
  "~",
  "%",
  "+",
  "a",
  "é",
  "\u{10000}",
  "\u{103ff}",
  "\ufeff",
  "\0",
);
const texts = fc.oneof(
  fc.string({ unit: "binary", minLength: 1 }),
  fc.string({ unit: troublesome, minLength: 1, maxLength: 6 }),
);
const bytes = fc.uint8Array({ minLength: 1, maxLength: 64 });
const keys = fc.oneof(texts, bytes.map(decodeKey));

const encodeBase64UrlInNode = (text: string | Uint8Array) => Buffer.from(text).toString("base64url");

describe("key text and bytes", () => {
  it("a key is text exactly if its bytes are UTF-8", () => {
    fc.assert(
      fc.property(fc.oneof(bytes, texts.map(encodeKey)), (raw) => {
        const key = decodeKey(raw);
        expect(isBinaryKey(key)).toBe(!isUtf8(raw));
        expect(encodeKey(key)).toEqual(new Uint8Array(raw));
      }),
    );
  });

  it("any text survives the round trip through bytes", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(decodeKey(encodeKey(text))).toBe(text);
      }),
    );
  });

  it("a key of UTF-8 bytes never contains a lone surrogate, which marks binary keys", () => {
    fc.assert(
      fc.property(bytes, (raw) => {
        const key = decodeKey(raw);
        expect(key.isWellFormed()).toBe(!isBinaryKey(key));
      }),
    );
    // The three-byte encoding of the mark is not valid UTF-8.
    expect(isBinaryKey(decodeKey(Uint8Array.of(0xed, 0xa0, 0x80)))).toBe(true);
  });

  it("a key that begins with U+10000 is text although it shares the marker's code unit", () => {
    expect(isBinaryKey("\u{10000}lock")).toBe(false);
    expect(encodeKey("\u{10000}")).toEqual(Uint8Array.of(0xf0, 0x90, 0x80, 0x80));
  });

  it("a byte order mark in a key is preserved", () => {
    const raw = Uint8Array.of(0xef, 0xbb, 0xbf, 0x61);
    expect(encodeKey(decodeKey(raw))).toEqual(raw);
  });

  it("a binary key is displayed with U+FFFD for invalid bytes", () => {
    expect(formatKey("lock:ä")).toBe("lock:ä");
    expect(formatKey(decodeKey(Buffer.from("lock:\xff1", "latin1")))).toBe("lock:\ufffd1");
  });
});

describe("keys in JSON", () => {
  it("any key survives the round trip through JSON", () => {
    fc.assert(
      fc.property(keys, (key) => {
        const fields = JSON.parse(JSON.stringify(toKeyFields(key))) as { key: string; keyBase64?: string };
        expect(parseKeyFields(fields)).toBe(key);
      }),
    );
  });

  it("a key has keyBase64 only if its bytes are not UTF-8", () => {
    expect(toKeyFields("lock:1")).toEqual({ key: "lock:1" });
    const raw = Buffer.from([0x61, 0xff, 0xfe]);
    expect(toKeyFields(decodeKey(raw))).toEqual({ key: "a\ufffd\ufffd", keyBase64: raw.toString("base64") });
  });
});

describe("keys in a URL path", () => {
  it("any key survives the round trip through a URL path", () => {
    fc.assert(
      fc.property(keys, (key) => {
        expect(parseKeyPath(encodeKeyPath(key))).toEqual({ ok: true, key });
      }),
    );
  });

  it("a key is one path segment that no URL parser rewrites", () => {
    fc.assert(
      fc.property(keys, (key) => {
        const path = `/locks/${encodeKeyPath(key)}/acquire`;
        expect(new URL(path, "http://host").pathname).toBe(path);
      }),
    );
  });

  it("two keys never share a path", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            keys,
            bytes.map((raw) => `~${encodeBase64UrlInNode(raw)}`),
          ),
          { minLength: 2 },
        ),
        (some) => {
          const paths = new Map(some.map((key) => [encodeKeyPath(key), key]));
          expect(paths.size).toBe(new Set(some).size);
        },
      ),
    );
  });

  it("a key is percent-encoded where the path reaches the right lock", () => {
    expect(encodeKeyPath("lock:orders/42")).toBe("lock%3Aorders%2F42");
    expect(parseKeyPath("lock:orders%2f42")).toEqual({ ok: true, key: "lock:orders/42" });
    expect(parseKeyPath("a~b..")).toEqual({ ok: true, key: "a~b.." });
  });

  it.each([".", "..", "a//b", "/a", "a/", "/", "~", "~a"])(
    "the key %j is written in base64url, and its percent-encoded form is rejected with that path",
    (key) => {
      const byteForm = `~${encodeBase64UrlInNode(key)}`;
      expect(encodeKeyPath(key)).toBe(byteForm);
      expect(parseKeyPath(encodeURIComponent(key).replace("~", "%7E"))).toEqual({
        ok: false,
        why: expect.stringContaining(byteForm),
      });
    },
  );

  it("a binary key is written in base64url", () => {
    expect(encodeKeyPath(decodeKey(Uint8Array.of(0xff, 0xfe)))).toBe("~__4");
  });

  it("any key may be written in base64url", () => {
    expect(parseKeyPath(`~${encodeBase64UrlInNode("lock:1")}`)).toEqual({ ok: true, key: "lock:1" });
  });

  it.each(["%", "%zz", "%ff", "%ed%a0%80", "%c3"])(
    "the path segment %s is rejected with the base64url alternative",
    (segment) => {
      expect(parseKeyPath(segment)).toEqual({
        ok: false,
        why: expect.stringMatching(/not percent-encoded UTF-8.*~/),
      });
    },
  );

  it.each(["~", "~YQ==", "~a+b/", "~Y Q", "~abcde", "~ä", "~%59%51"])(
    "the path segment %s is rejected as invalid base64url",
    (segment) => {
      expect(parseKeyPath(segment)).toEqual({ ok: false, why: expect.stringContaining("base64url") });
    },
  );

  it("an empty path segment is rejected", () => {
    expect(parseKeyPath("")).toEqual({ ok: false, why: expect.stringContaining("at least one byte") });
  });

  it("parsing a path segment never throws", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("%", "~", "f", "2", "=", ".", "/", "é", "\ud800") }),
        (segment) => {
          const parsed = parseKeyPath(segment);
          if (parsed.ok) expect(encodeKey(parsed.key).length).toBeGreaterThan(0);
          else expect(parsed.why).not.toBe("");
        },
      ),
    );
  });

  it(`a key has at most ${KEY_BYTES_MAX} bytes, counted as in Redis`, () => {
    const longest = "é".repeat(KEY_BYTES_MAX / 2);
    expect(parseKeyPath(encodeKeyPath(longest))).toEqual({ ok: true, key: longest });
    const tooLong = { ok: false, why: expect.stringMatching(/has 1025 bytes; at most 1024/) };
    expect(parseKeyPath(encodeKeyPath(`${longest}x`))).toEqual(tooLong);
    const raw = new Uint8Array(KEY_BYTES_MAX + 1).fill(0xff);
    expect(parseKeyPath(encodeKeyPath(decodeKey(raw)))).toEqual(tooLong);
    expect(parseKeyPath(encodeKeyPath(decodeKey(raw.subarray(1)))).ok).toBe(true);
  });

  it(`the path of a key has at most ${KEY_PATH_CHARACTERS_MAX} characters`, () => {
    expect(encodeKeyPath("é".repeat(KEY_BYTES_MAX / 2))).toHaveLength(KEY_PATH_CHARACTERS_MAX);
    for (const longest of [`~${"é".repeat(511)}x`, decodeKey(new Uint8Array(KEY_BYTES_MAX).fill(0xff))])
      expect(encodeKeyPath(longest).length).toBeLessThan(KEY_PATH_CHARACTERS_MAX);
  });
});
