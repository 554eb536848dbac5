import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runInWorker, WORKER_TEST_TIMEOUT_MS } from "../../test/support/run-in-worker.ts";
import { decodeKey } from "./key.ts";
import { BINARY_PATTERN, toKeyPattern } from "./key-pattern.ts";

const createHexArbitrary = (length: number) =>
  fc
    .array(fc.constantFrom(..."0123456789abcdef"), { minLength: length, maxLength: length })
    .map((digits) => digits.join(""));
/** Generates hexadecimal ids with at least one digit. Without a digit, an id could be a word. */
const hexId = fc
  .integer({ min: 8, max: 64 })
  .chain(createHexArbitrary)
  .filter((id) => /\d/.test(id));
const token = fc
  .array(fc.constantFrom(..."abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789"), {
    minLength: 16,
    maxLength: 60,
  })
  .map((characters) => characters.join(""))
  .filter((id) => /\d/.test(id));
const id = fc.oneof(
  fc.uuid(),
  fc.uuid().map((uuid) => uuid.toUpperCase()),
  fc.bigInt({ min: 0n, max: 10n ** 20n }).map(String),
  hexId,
  token,
);
const name = fc.constantFrom("lock", "order", "user", "payment-run", "Job_Worker", "für", "订单", "stock");

describe("key patterns", () => {
  it.each([
    ["lock:order:42", "lock:order:*"],
    ["lock:order:6f0c1d9e-7c1b-4a8e-9f0e-1c2d3e4f5a6b", "lock:order:*"],
    ["lock:{tenant-7}:invoice/2024/11", "lock:{tenant-*}:invoice/*/*"],
    ["bull:mail:123:lock", "bull:mail:*:lock"],
    ["lock:session:V1StGXR8_Z5jdHi6B-myT", "lock:session:*"],
    ["lock:file:d41d8cd98f00b204e9800998ecf8427e", "lock:file:*"],
    ["lock:nightly-report", "lock:nightly-report"],
    ["lock:OrderProcessingServiceLock", "lock:OrderProcessingServiceLock"],
    ["lock:2024W03", "lock:*"],
    ["pod7", "pod*"],
    ["", ""],
  ])("the pattern of %s is %s", (key, pattern) => {
    expect(toKeyPattern(key)).toBe(pattern);
  });

  it("all keys that are not UTF-8 share one pattern", () => {
    expect(toKeyPattern(decodeKey(Uint8Array.of(0xff, 0x01)))).toBe(BINARY_PATTERN);
  });

  it("a pattern does not depend on the ids in a key", () => {
    const part = fc.tuple(name, id, id);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
        const one = parts.map(([word, first]) => `${word}:${first}`).join(":");
        const other = parts.map(([word, , second]) => `${word}:${second}`).join(":");
        expect(toKeyPattern(one)).toBe(toKeyPattern(other));
        expect(toKeyPattern(one)).toBe(parts.map(([word]) => `${word}:*`).join(":"));
      }),
    );
  });

  it("a pattern is idempotent, well-formed and at most 128 characters long", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (key) => {
        const pattern = toKeyPattern(key);
        expect(pattern.length).toBeLessThanOrEqual(128);
        expect(toKeyPattern(pattern)).toBe(pattern);
        expect(pattern.isWellFormed()).toBe(true);
      }),
    );
  });

  // With linear time, each key takes about 20 µs. With quadratic time, the test would take minutes.
  it(
    "pattern extraction is fast for hostile keys",
    async () => {
      const repeated = fc
        .tuple(fc.string({ minLength: 1, maxLength: 12 }), fc.constantFrom("", "-", ":", "!"))
        .map(([piece, end]) => piece.repeat(Math.ceil(1024 / piece.length)).slice(0, 1024) + end);
      const known = ["0123abcd-".repeat(113), "a-".repeat(512), "9".repeat(1024), "aA0_".repeat(256)];
      const calls = [...fc.sample(repeated, 2000), ...known].map((key) => [key]);
      await runInWorker(new URL("key-pattern.ts", import.meta.url), "toKeyPattern", calls);
    },
    WORKER_TEST_TIMEOUT_MS,
  );
});
