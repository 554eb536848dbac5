import { describe, expect, it } from "vitest";
import { tagged, tagOf, unlessKnown } from "./etag.ts";

const lock = (asOf: number, remainingMs: number) => ({
  key: "lock:a",
  holders: [{ owner: "me", remainingMs }],
  remainingMs,
  verdict: { state: "fixed-lease", watchedMs: asOf % 1000 },
  asOf,
});

describe("the tag of a lock", () => {
  it("stays while nothing happens but that time goes by", () => {
    expect(tagOf(lock(10_000, 5000))).toBe(tagOf(lock(12_000, 3000)));
  });

  it("changes when the lease is prolonged, with the owner, and with anything else", () => {
    const tag = tagOf(lock(10_000, 5000));
    expect(tagOf(lock(12_000, 5000))).not.toBe(tag);
    expect(tagOf({ ...lock(10_000, 5000), holders: [{ owner: "you", remainingMs: 5000 }] })).not.toBe(tag);
    expect(tagOf({ ...lock(10_000, 5000), version: "fence.2" })).not.toBe(tag);
  });

  it("tells kinds and places apart", () => {
    const values = [{ a: "1" }, { a: 1 }, { a: [1] }, { a: [] }, { a: null }, { a: { b: 1 } }, { a: [[1]] }];
    expect(new Set(values.map(tagOf)).size).toBe(values.length);
    expect(tagOf({ a: ["x", "y"] })).not.toBe(tagOf({ a: ["x\0string\0y"] }));
  });
});

describe("If-None-Match", () => {
  const answer = tagged({ a: 1 });
  const etag = String(answer.headers.etag);

  it.each([etag, `"other", ${etag}`, etag.replace("W/", ""), "*"])("%s spares the body", (known) => {
    expect(unlessKnown(answer, known)).toMatchObject({ status: 304, headers: { etag } });
    expect(unlessKnown(answer, known).body).toBeUndefined();
  });

  it.each([undefined, '"other"', ""])("%s does not", (known) => {
    expect(unlessKnown(answer, known)).toBe(answer);
  });
});
