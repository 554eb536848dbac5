import { describe, expect, it } from "vitest";
import { createSampleHolder, createSampleLock } from "@/lib/contract/sample-lock.ts";
import { lock as words } from "@/lib/i18n/en/lock.tsx";
import { buildLockHref } from "./lock-path.ts";
import {
  computeHeldTime,
  computeOwnRemainingMs,
  computeRemainingMs,
  formatHolder,
  getGraceMs,
  parseReservedHold,
  parseThreadId,
  splitKey,
} from "./lock-texts.ts";

const holder = createSampleHolder({ fence: null, since: 1000 });
const lock = createSampleLock({ holders: [holder], remainingMs: 10_000, version: "1", asOf: 50_000 });

describe("lock facts", () => {
  it("a key is split before its last segment", () => {
    expect(splitKey("lock:orders:42")).toEqual({ namespace: "lock:orders:", rest: "42" });
    expect(splitKey("plain")).toEqual({ namespace: "", rest: "plain" });
    expect(splitKey("lock:orders:")).toEqual({ namespace: "lock:", rest: "orders:" });
    expect(splitKey(":")).toEqual({ namespace: "", rest: ":" });
    expect(splitKey("")).toEqual({ namespace: "", rest: "" });
  });

  it("the page URL of any key has the key as one path segment", () => {
    expect(buildLockHref({ key: "a/b c?#%" })).toBe("/locks/a%2Fb%20c%3F%23%25");
    expect(buildLockHref({ key: ".." })).toBe("/locks/~Li4");
    expect(buildLockHref({ key: "\ufffd", keyBase64: "/w==" })).toBe("/locks/~_w");
  });

  it("the remaining time counts down on the Redis clock, between zero and the reported value", () => {
    expect(
      [50_000, 54_000, 60_000, 90_000, 49_000, null].map((now) => computeRemainingMs(lock, now)),
    ).toEqual([10_000, 6000, 0, 0, 10_000, 10_000]);
    expect(computeRemainingMs({ ...lock, remainingMs: null }, 60_000)).toBeNull();
  });

  it("the held time is exact, a lower bound or unknown", () => {
    expect(computeHeldTime(holder, 4000)).toEqual({ ms: 3000, atLeast: false });
    expect(computeHeldTime({ ...holder, sinceIs: "at_least" }, 4000)).toEqual({ ms: 3000, atLeast: true });
    expect(computeHeldTime({ ...holder, since: null }, 4000)).toBeNull();
  });

  it("the holder is named by its record first and by its owner otherwise", () => {
    expect(formatHolder(holder, words)).toBe("o");
    expect(formatHolder({ ...holder, record: { service: "checkout", host: "pod-7" } }, words)).toBe(
      "checkout on pod-7",
    );
    expect(formatHolder({ ...holder, record: { host: "pod-7" } }, words)).toBe("pod-7");
    expect(formatHolder({ ...holder, record: { trace: "t" } }, words)).toBe("o");
  });

  it("a reservation is recognized, with the name of who made it", () => {
    expect(parseReservedHold("me")).toBeNull();
    expect(parseReservedHold("lockkeeper:reserve:mei")).toEqual({ by: "mei" });
    expect(parseReservedHold("lockkeeper:reserve:min-hold")).toEqual({ by: null });
    expect(formatHolder({ ...holder, owner: "lockkeeper:reserve:mei" }, words)).toBe(
      "the reservation by mei",
    );
    expect(formatHolder({ ...holder, owner: "lockkeeper:reserve:min-hold" }, words)).toBe(
      "the minimum hold time",
    );
  });

  it("a grace period differs from the rounding of a deadline", () => {
    const kept = (remainingMs: number) => ({ ...lock, holders: [{ ...holder, remainingMs }] });
    expect(getGraceMs(kept(4000))).toBe(6000);
    expect([50_000, 53_000, 54_000, 60_000].map((now) => computeOwnRemainingMs(kept(4000), now))).toEqual([
      4000, 1000, 0, 0,
    ]);
    expect(getGraceMs(kept(8000))).toBe(2000);
    for (const other of [
      { ...kept(8000), format: "timestamp" as const },
      kept(10_000),
      { ...lock, remainingMs: null },
      { ...lock, holders: [] },
    ]) {
      expect([getGraceMs(other), computeOwnRemainingMs(other, 59_000)]).toEqual([null, null]);
    }
  });

  it("Redisson owners are recognized", () => {
    expect(parseThreadId("8743c9c0-0795-4907-87fd-6c719a6b4586:42")).toBe("42");
    expect(parseThreadId("checkout@pod-7:311")).toBeUndefined();
  });
});
