import { describe, expect, it } from "vitest";
import { describeHolder } from "./describe-holder.ts";

describe("describeHolder", () => {
  it.each([
    [undefined, "lock:a is held by another client"],
    [{ owner: "mei", remainingMs: 24_000 }, "lock:a is held by mei (expires in 24s)"],
    [
      { owner: "mei", liveness: "overdue", remainingMs: 900 },
      "lock:a is held by mei (renewal overdue, expires in 900ms)",
    ],
    [{ available: 1, total: 3 }, "lock:a has 1 of 3 permits available"],
    [{ available: 1, total: null }, "lock:a has 1 permits available"],
    [{ available: -2, total: 3 }, "lock:a has 0 of 3 permits available"],
    [{ owner: "mei", liveness: "no_ttl", remainingMs: null }, "lock:a is held by mei (no TTL)"],
  ] as const)("describes %j", (holder, text) => {
    expect(describeHolder("lock:a", holder)).toBe(text);
  });
});
