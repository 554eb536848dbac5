import { expect, it } from "vitest";
import type { LockEvent } from "@/lib/contract/event.ts";
import { collapseRenewals } from "./settled-lines.ts";

let made = 0;
const event = (type: LockEvent["type"], key: string, more: Partial<LockEvent> = {}): LockEvent => ({
  ...{ id: `${++made}-0`, type, target: "main", key, at: made, observed: "exact" },
  ...more,
});
const told = (lines: ReturnType<typeof collapseRenewals>) =>
  lines.map((line) =>
    "renewals" in line ? `${line.renewals.count} of ${line.renewals.locks}` : line.entry.type,
  );

it("consecutive renewals are grouped into one line with the number of locks", () => {
  const entries = [
    event("acquired", "a"),
    event("renewed", "a"),
    event("renewed", "b"),
    event("renewed", "a"),
    event("released", "a"),
    event("renewed", "b"),
  ];
  expect(told(collapseRenewals(entries, 9))).toEqual(["1 of 1", "released", "3 of 2", "acquired"]);
  expect(told(collapseRenewals(entries, 3))).toEqual(["1 of 1", "released", "3 of 2"]);
});

it("a renewal line keeps its id as renewals arrive, and an operator's extension stays separate", () => {
  const entries = [event("acquired", "a"), event("renewed", "a")];
  const [before] = collapseRenewals(entries, 9);
  const [after] = collapseRenewals([...entries, event("renewed", "a")], 9);
  expect(before).toMatchObject({ renewals: { count: 1 } });
  expect(after).toMatchObject({
    renewals: { count: 2, id: (before as { renewals: { id: string } }).renewals.id },
  });
  expect(told(collapseRenewals([...entries, event("renewed", "a", { by: "mei" })], 9))).toEqual([
    "renewed",
    "1 of 1",
    "acquired",
  ]);
});
