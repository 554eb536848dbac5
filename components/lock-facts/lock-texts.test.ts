import { describe, expect, it } from "vitest";
import { sampleHolder, sampleLock } from "@/lib/contract/sample-lock.ts";
import { lock as words } from "@/lib/i18n/en/lock.tsx";
import { hrefOf } from "./lock-path.ts";
import {
  graceOf,
  heldAt,
  holdOffOf,
  nameText,
  ownRemainingAt,
  remainingAt,
  shortOwner,
  splitKey,
  threadOf,
} from "./lock-texts.ts";

const holder = sampleHolder({ fence: null, since: 1000 });
const lock = sampleLock({ holders: [holder], remainingMs: 10_000, version: "1", asOf: 50_000 });

describe("lock facts", () => {
  it("a key is split before its last segment", () => {
    expect(splitKey("lock:orders:42")).toEqual({ namespace: "lock:orders:", rest: "42" });
    expect(splitKey("plain")).toEqual({ namespace: "", rest: "plain" });
    expect(splitKey("lock:orders:")).toEqual({ namespace: "lock:", rest: "orders:" });
    expect(splitKey(":")).toEqual({ namespace: "", rest: ":" });
    expect(splitKey("")).toEqual({ namespace: "", rest: "" });
  });

  it("the page URL of any key has the key as one path segment", () => {
    expect(hrefOf({ key: "a/b c?#%" })).toBe("/locks/a%2Fb%20c%3F%23%25");
    expect(hrefOf({ key: ".." })).toBe("/locks/~Li4");
    expect(hrefOf({ key: "\ufffd", keyBase64: "/w==" })).toBe("/locks/~_w");
  });

  it("the remaining time counts down on the Redis clock, between zero and the reported value", () => {
    expect([50_000, 54_000, 60_000, 90_000, 49_000, null].map((now) => remainingAt(lock, now))).toEqual([
      10_000, 6000, 0, 0, 10_000, 10_000,
    ]);
    expect(remainingAt({ ...lock, remainingMs: null }, 60_000)).toBeNull();
  });

  it("the held time is exact, a lower bound or unknown", () => {
    expect(heldAt(holder, 4000)).toEqual({ ms: 3000, atLeast: false });
    expect(heldAt({ ...holder, sinceIs: "at_least" }, 4000)).toEqual({ ms: 3000, atLeast: true });
    expect(heldAt({ ...holder, since: null }, 4000)).toBeNull();
  });

  it("the holder is named by its record first and by its owner otherwise", () => {
    expect(nameText(holder, words)).toBe("o");
    expect(nameText({ ...holder, record: { service: "checkout", host: "pod-7" } }, words)).toBe(
      "checkout on pod-7",
    );
    expect(nameText({ ...holder, record: { host: "pod-7" } }, words)).toBe("pod-7");
    expect(nameText({ ...holder, record: { trace: "t" } }, words)).toBe("o");
  });

  it("a reservation is recognized, with the name of who made it", () => {
    expect(holdOffOf("me")).toBeNull();
    expect(holdOffOf("lockkeeper:reserve:mei")).toEqual({ by: "mei" });
    expect(holdOffOf("lockkeeper:reserve:min-hold")).toEqual({ by: null });
    expect(nameText({ ...holder, owner: "lockkeeper:reserve:mei" }, words)).toBe("the hold-off by mei");
    expect(nameText({ ...holder, owner: "lockkeeper:reserve:min-hold" }, words)).toBe("the least hold time");
  });

  it("a grace period is told apart from the rounding of a deadline", () => {
    const kept = (remainingMs: number) => ({ ...lock, holders: [{ ...holder, remainingMs }] });
    expect(graceOf(kept(4000))).toBe(6000);
    expect([50_000, 53_000, 54_000, 60_000].map((now) => ownRemainingAt(kept(4000), now))).toEqual([
      4000, 1000, 0, 0,
    ]);
    expect(graceOf(kept(8000))).toBe(2000);
    for (const other of [
      { ...kept(8000), format: "timestamp" as const },
      kept(10_000),
      { ...lock, remainingMs: null },
      { ...lock, holders: [] },
    ]) {
      expect([graceOf(other), ownRemainingAt(other, 59_000)]).toEqual([null, null]);
    }
  });

  it("Redisson owners are recognized and shortened", () => {
    expect(threadOf("8743c9c0-0795-4907-87fd-6c719a6b4586:42")).toBe("42");
    expect(threadOf("checkout@pod-7:311")).toBeUndefined();
    expect(shortOwner("8743c9c0-0795-4907-87fd-6c719a6b4586:42")).toBe("8743c9c0…4586:42");
    expect(shortOwner("8743c9c0-0795-4907-87fd-6c719a6b4586")).toBe("8743c9c0…4586");
    expect(shortOwner("checkout@pod-7:311")).toBe("checkout@pod-7:311");
  });
});
