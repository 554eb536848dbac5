import { expect, it } from "vitest";
import type { ReleaseRequest } from "../../lib/contract/holds/release-request.ts";
import type { Holder, Lock, Waiters } from "../../lib/contract/lock.ts";
import { createSampleHolder, createSampleLock } from "../../lib/contract/sample-lock.ts";
import { formatLockDetails } from "./lock-details.ts";
import {
  formatCount,
  formatExpiry,
  formatHeld,
  formatLockTable,
  formatOwners,
  formatWaiters,
} from "./lock-table.ts";
import { PLAIN_STYLE } from "./style.ts";

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
  [{ count: 0, known: "estimated" }, "0"],
  [{ count: null, known: "unknown" }, "?"],
])("waiters %j are shown as %s", (waiters, text) => {
  expect(formatWaiters(waiters)).toBe(text);
});

it("the other holders are counted", () => {
  expect(formatOwners([{ owner: "a" }, { owner: "b" }, { owner: "c" }])).toBe("a +2");
});

const HELD = createSampleLock({
  state: "held",
  remainingMs: 30_000,
  asOf: NOW,
  holders: [createSampleHolder({ owner: "me", since: NOW - 60_000, sinceIs: "exact" })],
});

it("durations in the table are those of its time, not of the last read", () => {
  const options = { style: PLAIN_STYLE, columns: undefined };
  expect(formatLockTable([HELD], { ...options, asOf: NOW })).toMatch(/ 1m +30s /);
  expect(formatLockTable([HELD], { ...options, asOf: NOW + 10_000 })).toMatch(/ 1m 10s +20s /);
  expect(formatLockTable([HELD], { ...options, asOf: NOW + 60_000 })).toMatch(/ 2m +0ms /);
});

it("the details of a lock with several holders have a section for each", () => {
  const other = createSampleHolder({ owner: "other\u001b[31m" });
  const text = formatLockDetails({ ...HELD, holders: [...HELD.holders, other] }, PLAIN_STYLE);
  expect(text).toContain("\nHolder 2 of 2\nOwner           other\\u{1b}[31m\n");
  expect(formatLockDetails(HELD, PLAIN_STYLE)).not.toContain("Holder 1 of 1");
});

it("a semaphore is shown with its permits", () => {
  const holders = [createSampleHolder({ count: 2 }), createSampleHolder({ count: 1 })];
  expect(formatCount({ holders })).toBe("3");
  expect(formatCount({ holders, permits: { available: 1, total: 4 } })).toBe("3/4");
  expect(formatCount({ holders, permits: { available: 1, total: null } })).toBe("3/?");
  const text = formatLockDetails(
    { ...HELD, kind: "semaphore", holders, permits: { available: 1, total: 4 } },
    PLAIN_STYLE,
  );
  expect(text).toMatch(/^Permits +1 of 4 available$/m);
  expect(text).toMatch(/^Permits held +2$/m);
});

it("a release request is shown with its answer", () => {
  const [holder] = HELD.holders;
  if (holder === undefined) throw new Error("it is not held");
  const request = {
    ...{ requestId: "rr_1", reason: "migration", requestedBy: "mei", requestedAt: HELD.asOf - 12_000 },
    ...{ state: "requested" as const, answerText: null },
  };
  const show = (releaseRequested: ReleaseRequest) =>
    formatLockDetails({ ...HELD, holders: [{ ...holder, releaseRequested }] }, PLAIN_STYLE);
  expect(show(request)).toContain("mei, 12s ago: migration (not answered)");
  const refused = { ...request, state: "refused" as const, answerText: "2 minutes" };
  expect(show(refused)).toContain("mei, 12s ago: migration (refused: 2 minutes)");
});
