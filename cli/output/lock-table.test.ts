import { expect, it } from "vitest";
import type { Holder, Lock, Waiters } from "../../lib/contract/lock.ts";
import { formatExpiry, formatHeld, formatOwners, formatWaiters } from "./lock-table.ts";

const NOW = 1_795_216_500_000;

it.each<[number | null, Holder["sinceIs"], string]>([
  [NOW - 30_000, "exact", "30s"],
  [NOW - 30_000, "reported", "30s"],
  [NOW - 30_000, "at_least", "≥30s"],
  [NOW - 10, "at_least", "?"],
  [null, "exact", "?"],
  [NOW + 500, "reported", "0ms"],
])("a hold since %s (%s) is held for %s", (since, sinceIs, text) => {
  expect(formatHeld({ since, sinceIs }, NOW)).toBe(text);
});

it.each<[Pick<Lock, "state" | "remainingMs">, string]>([
  [{ state: "held", remainingMs: 18_000 }, "18s"],
  [{ state: "held", remainingMs: null }, "no TTL"],
  [{ state: "ended", remainingMs: 0 }, "ended"],
])("%j expires in %s", (lock, text) => {
  expect(formatExpiry(lock)).toBe(text);
});

it.each<[Waiters, string]>([
  [{ count: 3, known: "exact" }, "3"],
  [{ count: 3, known: "estimated" }, "~3"],
  [{ count: 3, known: "unknown" }, "≥3"],
  [{ count: 0, known: "unknown" }, "?"],
  [{ count: null, known: "unknown" }, "?"],
])("waiters %j are shown as %s", (waiters, text) => {
  expect(formatWaiters(waiters)).toBe(text);
});

it("the other holders are counted", () => {
  expect(formatOwners([{ owner: "a" }, { owner: "b" }, { owner: "c" }])).toBe("a +2");
});
