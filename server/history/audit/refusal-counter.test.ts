import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { NewAuditEntry } from "./audit-chain.ts";
import { RefusalCounter } from "./refusal-counter.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("10,000 refusals of one kind in 1 min become one audit entry with 20 addresses and a count of the rest", () => {
  const told: NewAuditEntry[] = [];
  const refusals = new RefusalCounter({ add: (entry) => void told.push(entry) });
  for (let n = 0; n < 10_000; n++) refusals.countRefusal("login", "unauthenticated", `10.0.${n % 100}.1`);
  refusals.countRefusal("login", "rate_limited", undefined);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(60_000);
  expect(told).toHaveLength(2);
  const [guessed, limited] = told as Extract<NewAuditEntry, { kind: "refusals" }>[];
  expect(guessed).toMatchObject({ action: "login", code: "unauthenticated", count: 10_000 });
  expect(Object.keys(guessed?.addresses ?? {})).toHaveLength(21);
  expect(guessed?.addresses).toMatchObject({ "10.0.0.1": 100, others: 8000 });
  expect(limited).toMatchObject({ code: "rate_limited", count: 1, addresses: { unknown: 1 } });
  vi.advanceTimersByTime(600_000);
  expect(told).toHaveLength(2);
});
