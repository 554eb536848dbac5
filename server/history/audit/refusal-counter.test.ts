import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { NewAuditEntry } from "./audit-chain.ts";
import { RefusalCounter } from "./refusal-counter.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Refusals = Extract<NewAuditEntry, { kind: "refusals" }>;

function createCounter() {
  const written: Refusals[] = [];
  const refusals = new RefusalCounter({ add: (entry) => void written.push(entry as Refusals) });
  const refuse = (address: string, name?: string, code = "unauthenticated") =>
    refusals.countRefusal({ action: "login", code, address, name });
  return { written, refusals, refuse };
}

it("10,000 refusals of one kind in 1 min become two audit entries with 20 addresses and names at most", () => {
  const { written, refuse } = createCounter();
  for (let n = 0; n < 10_000; n++) refuse(`10.0.${n % 100}.1`, `name-${n % 50}`);
  refuse("10.0.0.1", undefined, "rate_limited");
  expect(written.map(({ code, count }) => [code, count])).toEqual([
    ["unauthenticated", 1],
    ["rate_limited", 1],
  ]);
  expect(written[0]).toMatchObject({ addresses: { "10.0.0.1": 1 }, names: { "name-0": 1 } });
  expect(written[1]).not.toHaveProperty("names");
  vi.advanceTimersByTime(60_000);
  expect(written).toHaveLength(3);
  const counted = written[2];
  expect(counted).toMatchObject({ action: "login", code: "unauthenticated", count: 9999 });
  expect(Object.keys(counted?.addresses ?? {})).toHaveLength(21);
  expect(Object.keys(counted?.names ?? {})).toHaveLength(21);
  expect(counted?.addresses).toMatchObject({ "10.0.1.1": 100, others: 7999 });
  vi.advanceTimersByTime(600_000);
  expect(written).toHaveLength(3);
});

it("an entry has the times of its refusals, not that of the write", () => {
  const { written, refuse } = createCounter();
  const begin = Date.now();
  for (const passMs of [0, 2000, 3000]) {
    vi.advanceTimersByTime(passMs);
    refuse("10.0.0.1", "mei");
  }
  vi.advanceTimersByTime(60_000);
  expect(written).toMatchObject([
    { count: 1, since: begin, at: begin },
    { count: 2, since: begin + 2000, at: begin + 5000, names: { mei: 2 } },
  ]);
});

it("what is counted is written before the action that succeeds, and the next refusal is written at once", () => {
  const { written, refusals, refuse } = createCounter();
  for (const name of ["mei", "mei", "mej"]) refuse("10.0.0.1", name);
  refusals.flush("other");
  expect(written).toHaveLength(1);
  refusals.flush("login");
  expect(written).toMatchObject([{ count: 1 }, { count: 2, names: { mei: 1, mej: 1 } }]);
  refuse("10.0.0.1", "mei");
  expect(written).toHaveLength(3);
});
