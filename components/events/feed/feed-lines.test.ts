import { expect, it } from "vitest";
import type { LockEvent } from "@/lib/contract/event.ts";
import { foldRenewals } from "./feed-lines.ts";

let made = 0;
const event = (type: LockEvent["type"], key: string, more: Partial<LockEvent> = {}): LockEvent => ({
  ...{ id: `${++made}-0`, type, target: "main", key, at: made, observed: "exact" },
  ...more,
});
/** Calls `foldRenewals` with entries that are written oldest first. */
const fold = (entries: LockEvent[], options: Parameters<typeof foldRenewals>[1]) =>
  foldRenewals(entries.toReversed(), options);
const describe = (lines: ReturnType<typeof foldRenewals>) =>
  lines.map((line) =>
    "renewals" in line ? `${line.renewals.count} of ${line.renewals.locks}` : line.entry.type,
  );

it("consecutive renewals are folded into one line with the number of locks", () => {
  const entries = [
    event("acquired", "a"),
    event("renewed", "a"),
    event("renewed", "b"),
    event("renewed", "a"),
    event("released", "a"),
    event("renewed", "b"),
  ];
  expect(describe(fold(entries, { least: 1 }))).toEqual(["1 of 1", "released", "3 of 2", "acquired"]);
  expect(describe(fold(entries, { least: 2 }))).toEqual(["renewed", "released", "3 of 2", "acquired"]);
  expect(describe(fold(entries, { least: 1, most: 3 }))).toEqual(["1 of 1", "released", "3 of 2"]);
});

it("a group keeps its id as renewals arrive, and an operator's extension stays separate", () => {
  const entries = [event("acquired", "a"), event("renewed", "a")];
  const [before] = fold(entries, { least: 1 });
  const [after] = fold([...entries, event("renewed", "a")], { least: 1 });
  expect(after).toMatchObject({ id: before?.id, renewals: { count: 2 } });
  expect(describe(fold([...entries, event("renewed", "a", { by: "mei" })], { least: 1 }))).toEqual([
    "renewed",
    "1 of 1",
    "acquired",
  ]);
});

it("an expanded group lists its renewals below it", () => {
  const entries = [event("renewed", "a"), event("renewed", "b")];
  const [group] = fold(entries, { least: 2 });
  const lines = fold(entries, { least: 2, expanded: new Set([group?.id ?? ""]) });
  expect(describe(lines)).toEqual(["2 of 2", "renewed", "renewed"]);
  expect(new Set(lines.map(({ id }) => id)).size).toBe(3);
});
