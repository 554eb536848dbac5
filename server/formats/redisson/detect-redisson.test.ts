import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRawKey } from "../../../test/support/raw-key.ts";
import type { RawKey } from "../raw-key.ts";
import { detectRedisson } from "./detect-redisson.ts";

const NOW = 1_795_216_496_000;
const ONE = "11111111-1111-4111-8111-111111111111:1";
const TWO = "22222222-2222-4222-8222-222222222222:74";
const TOLD = {
  ...{
    token: "me",
    value: "",
    owner: "label",
    count: 1,
    fence: "7",
    sinceMs: 1,
    leaseMs: 30_000,
    seq: 3,
    graceMs: 0,
  },
  ...{ format: "redisson" as const, record: undefined },
};

const hash = (fields: Record<string, string>, more: Partial<RawKey> = {}) =>
  createRawKey("lock:a", "hash", Object.entries(fields).flat(), { asOf: NOW, ...more });
const number = (value: string, more: Partial<RawKey> = {}) =>
  createRawKey("lock:a", "string", [value], { asOf: NOW, remainingMs: null, ...more });
const permits = (...all: [id: Buffer | string, end: number | string][]) =>
  all.flatMap(([id, end]) => [Buffer.from(id), Buffer.from(String(end))]);
const shape = (raw: RawKey) => detectRedisson(raw, "by_shape");
const rule = (raw: RawKey) => detectRedisson(raw, "by_rule");
const getOwners = (raw: RawKey) => shape(raw)?.holders.map(({ owner, count }) => `${owner} ${count}`);

describe("hashes of owners", () => {
  it.each([
    ["plain", { [ONE]: "2" }, {}, "lock", "certain"],
    [
      "with a negative thread id",
      { [`${ONE.slice(0, -1)}-4962768465676381896`]: "1" },
      {},
      "lock",
      "certain",
    ],
    ["fenced", { [ONE]: "1" }, { fenceCounter: "12" }, "fenced", "certain"],
    ["with an invalid fencing counter", { [ONE]: "1" }, { fenceCounter: "12x" }, "lock", "certain"],
    ["fair", { [ONE]: "1" }, { queued: 2 }, "fair", "certain"],
    ["fair with a fencing counter", { [ONE]: "1" }, { queued: 2, fenceCounter: "3" }, "fair", "certain"],
    ["reserved", { "lockkeeper:reserve:mei": "1" }, {}, "lock", "certain"],
    ["without a TTL", { [ONE]: "1" }, { remainingMs: null }, "lock", "likely"],
    ["with several owners", { [ONE]: "1", [TWO]: "1" }, {}, "lock", "possible"],
    [
      "held by Lockkeeper without a TTL",
      { me: "1" },
      { companion: TOLD, remainingMs: null },
      "lock",
      "certain",
    ],
  ] as const)("a hash of owners is detected as a lock: %s", (_, fields, more, kind, confidence) => {
    expect(shape(hash(fields, more))).toMatchObject({ format: "redisson", kind, confidence, candidates: [] });
  });

  it.each([
    ["cart", "basket:7", { [ONE]: "3" }, { remainingMs: 604_800_000 }, "possible"],
    ["presence", "presence:7", { [ONE]: "1" }, { remainingMs: 25_000 }, "possible"],
    ["lock of another name", "orders:7", { [ONE]: "1" }, {}, "possible"],
    ["lock with waiters in its queue", "orders:7", { [ONE]: "1" }, { queued: 1 }, "certain"],
    ["lock with a fencing counter", "orders:7", { [ONE]: "1" }, { fenceCounter: "12" }, "certain"],
    ["lock whose name mentions it", "app:lock:orders:7", { [ONE]: "1" }, {}, "likely"],
    [
      "cart whose name mentions a lock",
      "smart:lock:7",
      { [ONE]: "1" },
      { remainingMs: 604_800_000 },
      "possible",
    ],
    ["lock without a TTL that is named so", "orders:lock", { [ONE]: "1" }, { remainingMs: null }, "likely"],
    ["hash without a TTL", "orders:7", { [ONE]: "1" }, { remainingMs: null }, "possible"],
    ["read/write lock", "orders:7", { mode: "read", [ONE]: "1" }, {}, "certain"],
    ["reservation", "orders:7", { "lockkeeper:reserve:mei": "1" }, {}, "certain"],
  ])(
    "the confidence of a %s depends on its name and on what is beside it",
    (_, key, fields, more, confidence) => {
      const raw = createRawKey(key, "hash", Object.entries(fields).flat(), { asOf: NOW, ...more });
      expect(shape(raw)?.confidence).toBe(confidence);
      expect(rule(raw)?.confidence).toBe("certain");
    },
  );

  it.each([
    ["a Lockkeeper-style owner without a companion key", { me: "1" }],
    ["a count of 0", { [ONE]: "0" }],
    ["a fractional count", { [ONE]: "1.5" }],
    ["a count beyond Lua's precision", { [ONE]: "9".repeat(16) }],
    ["an unrelated field", { [ONE]: "1", name: "x" }],
    ["a writer without a mode", { [`${ONE}:write`]: "1" }],
    ["more than 64 owners", Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`${ONE}${at}`, "1"]))],
    ["no fields read", {}],
  ])("a hash with %s is not detected as a lock", (_, fields) => {
    expect(shape(hash(fields))).toBeUndefined();
    expect(rule(hash(fields))).toBeUndefined();
  });

  it("a rule makes a hash of owners certain unless it has several owners", () => {
    expect(rule(hash({ [ONE]: "1" }, { remainingMs: null }))?.confidence).toBe("certain");
    expect(rule(hash({ [ONE]: "1", [TWO]: "1" }))?.confidence).toBe("possible");
  });

  it("the last fencing token of a foreign lock is reported without assigning it to the holder", () => {
    const seen = shape(hash({ [ONE]: "1" }, { fenceCounter: "12" }));
    expect(seen?.lastFence).toBe("12");
    expect(seen?.holders[0].fence).toBeNull();
  });
});

describe("hashes with a mode field", () => {
  it.each([
    [{ mode: "read", [ONE]: "1", [TWO]: "3" }, "read", "certain", [`${ONE} 1`, `${TWO} 3`]],
    [{ mode: "write", [`${ONE}:write`]: "2" }, "write", "certain", [`${ONE}:write 2`]],
    [
      { [`${ONE}:write`]: "1", mode: "write", [ONE]: "1" },
      "write",
      "certain",
      [`${ONE}:write 1`, `${ONE} 1`],
    ],
    [{ mode: "read", [`${ONE}:write`]: "1" }, "read", "possible", [`${ONE}:write 1`]],
    [{ mode: "write", [ONE]: "1" }, "write", "possible", [`${ONE} 1`]],
    [
      { mode: "write", [`${ONE}:write`]: "1", [`${TWO}:write`]: "1" },
      "write",
      "possible",
      [`${ONE}:write 1`, `${TWO}:write 1`],
    ],
    [
      { mode: "write", "lockkeeper:reserve:mei:write": "1" },
      "write",
      "certain",
      ["lockkeeper:reserve:mei:write 1"],
    ],
  ])("the hash %j is detected as a read/write lock", (fields, kind, confidence, owners) => {
    expect(shape(hash(fields as Record<string, string>))).toMatchObject({ kind, confidence });
    expect(getOwners(hash(fields as Record<string, string>))).toEqual(owners);
  });

  it.each([
    [{ mode: "read" }],
    [{ mode: "shared", [ONE]: "1" }],
    [{ mode: "read", [ONE]: "x" }],
    [{ mode: "read", me: "1" }],
    [{ x: "mode", [ONE]: "1" }],
  ])("the hash %j is not detected as a read/write lock", (fields) => {
    expect(shape(hash(fields as Record<string, string>))).toBeUndefined();
  });
});

describe("hashes of group values", () => {
  const entry = (value: string, owner: string, end: number) => ({
    [value]: owner,
    [`${value}:${owner}:expire_time`]: String(end),
    [`${value}:${owner}:lock_count`]: "1",
  });

  it("a group lists its live values and ends with the last of them", () => {
    const raw = hash({
      ...entry("a", ONE, NOW + 5000),
      ...entry("b", TWO, NOW),
      ...entry("c", TWO, NOW + 9000),
    });
    expect(getOwners(raw)).toEqual([`a:${ONE} 1`, `c:${TWO} 1`]);
    expect(shape(raw)).toMatchObject({ kind: "multi", confidence: "certain", remainingMs: 9000 });
  });

  it("a group is over when all its values have expired", () => {
    expect(shape(hash(entry("a", ONE, NOW - 1)))?.remainingMs).toBe(-1);
  });

  it.each([
    ["no expiration time", { a: ONE, [`a:${ONE}:lock_count`]: "1" }],
    ["no count", { a: ONE, [`a:${ONE}:expire_time`]: "1" }],
    ["an invalid owner", { a: "x", "a:x:expire_time": "1", "a:x:lock_count": "1" }],
    ["leftover fields only", { [`a:${ONE}:lock_count`]: "1", [`a:${ONE}:expire_time`]: "1" }],
    ["an unrelated field", { ...entry("a", ONE, NOW + 1), name: "x" }],
  ])("a hash with %s is not detected as a group", (_, fields) => {
    expect(shape(hash(fields))).toBeUndefined();
  });
});

describe("numbers", () => {
  const [a, b] = [Buffer.alloc(16, 0xf1), Buffer.alloc(16, 0x02)];

  it("a number with permits is a semaphore that lasts as long as its longest permit", () => {
    const seen = shape(number("-1", { permits: permits([a, NOW + 1000], [b, NOW + 4000]) }));
    expect(seen).toMatchObject({
      kind: "semaphore",
      remainingMs: 4000,
      permits: { available: -1, total: 1 },
    });
    expect(seen?.holders.map(({ owner }) => owner)).toEqual([a.toString("hex"), b.toString("hex")]);
    const ever = shape(number("0", { permits: permits([a, NOW + 1000], [b, "9.22337203685477e+14"]) }));
    expect(ever?.remainingMs).toBeNull();
  });

  it("the TTL of a semaphore limits the remaining time of all its permits", () => {
    const all = permits([a, NOW + 1000], [b, "922337203685477"]);
    const seen = shape(number("0", { remainingMs: 500, permits: all }));
    expect(seen?.holders.map(({ ownRemainingMs }) => ownRemainingMs)).toEqual([500, 500]);
  });

  it("a semaphore whose permits have all expired is over and counts them as available", () => {
    const seen = shape(number("1", { permits: permits([a, NOW - 9], [b, NOW - 4]) }));
    expect(seen).toMatchObject({ remainingMs: -4, permits: { available: 3, total: 3 } });
  });

  it.each(["", "01", "1.0", "x", "99999999999"])("the string %j is not detected by any rule", (text) => {
    expect(rule(number(text, { permits: permits([a, NOW + 1000]) }))).toBeUndefined();
  });

  it("a bare number is detected only by a rule, with an unnamed holder", () => {
    expect(shape(number("3"))).toBeUndefined();
    expect(rule(number("3"))).toMatchObject({ confidence: "possible", holders: [{ owner: "unnamed" }] });
    expect(shape(number("3", { permits: permits(["short", NOW]) }))).toBeUndefined();
  });
});

it("any hash is detected either as a lock with unique holders and positive counts or not at all", () => {
  const text = fc.oneof(
    fc.constantFrom(
      "mode",
      "read",
      "write",
      ONE,
      `${ONE}:write`,
      `v:${ONE}:expire_time`,
      `v:${ONE}:lock_count`,
      "v",
      "1",
    ),
    fc.string({ unit: "binary", maxLength: 40 }),
  );
  fc.assert(
    fc.property(fc.dictionary(text, text, { noNullPrototype: true }), fc.boolean(), (fields, isRule) => {
      const seen = (isRule ? rule : shape)(hash(fields));
      if (seen === undefined) return;
      expect(seen.holders.length).toBeGreaterThan(0);
      expect(new Set(seen.holders.map(({ owner }) => owner)).size).toBe(seen.holders.length);
      for (const { count } of seen.holders) expect(Number.isSafeInteger(count) && count > 0).toBe(true);
    }),
    { numRuns: 500 },
  );
});
