import { describe, expect, it } from "vitest";
import { applyIfNoneMatch, computeEtag, createTaggedResponse } from "./etag.ts";

const createLock = (asOf: number, remainingMs: number) => ({
  key: "lock:a",
  holders: [{ owner: "me", remainingMs }],
  remainingMs,
  liveness: { state: "not_renewing", watchedMs: asOf % 1000 },
  asOf,
});

describe("ETag of a lock", () => {
  it("the ETag of a lock stays the same while only time passes", () => {
    expect(computeEtag(createLock(10_000, 5000))).toBe(computeEtag(createLock(12_000, 3000)));
  });

  it("the ETag of a lock changes with the lease, the owner and every other field", () => {
    const tag = computeEtag(createLock(10_000, 5000));
    expect(computeEtag(createLock(12_000, 5000))).not.toBe(tag);
    expect(
      computeEtag({ ...createLock(10_000, 5000), holders: [{ owner: "you", remainingMs: 5000 }] }),
    ).not.toBe(tag);
    expect(computeEtag({ ...createLock(10_000, 5000), version: "fence.2" })).not.toBe(tag);
  });

  it("an ETag distinguishes value types and positions", () => {
    const values = [{ a: "1" }, { a: 1 }, { a: [1] }, { a: [] }, { a: null }, { a: { b: 1 } }, { a: [[1]] }];
    expect(new Set(values.map(computeEtag)).size).toBe(values.length);
    expect(computeEtag({ a: ["x", "y"] })).not.toBe(computeEtag({ a: ["x\0string\0y"] }));
  });
});

describe("If-None-Match", () => {
  const answer = createTaggedResponse({ a: 1 });
  const etag = String(answer.headers.etag);

  it.each([etag, `"other", ${etag}`, etag.replace("W/", ""), "*"])(
    "If-None-Match %s returns 304 without a body",
    (known) => {
      expect(applyIfNoneMatch(answer, known)).toMatchObject({ status: 304, headers: { etag } });
      expect(applyIfNoneMatch(answer, known).body).toBeUndefined();
    },
  );

  it.each([undefined, '"other"', ""])("If-None-Match %s returns the full body", (known) => {
    expect(applyIfNoneMatch(answer, known)).toBe(answer);
  });
});
