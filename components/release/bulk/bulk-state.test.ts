import { expect, test } from "vitest";
import type { BulkItemLine, BulkOutcome } from "@/lib/contract/actions/bulk-release.ts";
import { createSampleHolder, createSampleLock } from "@/lib/contract/sample-lock.ts";
import { formatBulkCsv } from "./bulk-csv.ts";
import {
  type BulkAction,
  collectResults,
  findReleasable,
  findRemainingItems,
  INITIAL_BULK_STATE,
  reduceBulk,
} from "./bulk-state.ts";

const line = (index: number, outcome: BulkOutcome): BulkItemLine => ({
  type: "item",
  index,
  item: { key: `lock:${index}`, expectedVersion: `fence.${index}` },
  outcome,
});
const run = (...actions: BulkAction[]) => actions.reduce(reduceBulk, INITIAL_BULK_STATE);
const head = (total: number) => ({ type: "head", target: "main", dryRun: true, total, asOf: 1 }) as const;
const reviewed: BulkAction[] = [
  { type: "lines", lines: [head(3), line(0, "would_release"), line(1, "changed")] },
  { type: "lines", lines: [line(2, "would_release")] },
  { type: "end" },
];

test("only locks that the review marked as releasable are sent", () => {
  const state = run(...reviewed);
  expect(state.step).toEqual({ at: "reviewed" });
  expect(findReleasable(state).map(({ item }) => item.key)).toEqual(["lock:0", "lock:2"]);
});

test("a bulk response that ends before all results is cut, not done", () => {
  const sent: BulkAction[] = [...reviewed, { type: "send" }, { type: "lines", lines: [line(0, "released")] }];
  expect(run(...sent, { type: "end" }).step).toEqual({ at: "ended", how: "cut" });
  expect(run(...sent, { type: "lines", lines: [line(2, "released")] }, { type: "end" }).step).toEqual({
    at: "ended",
    how: "done",
  });
});

test("stopping a bulk release keeps the results so far and ignores a late end", () => {
  const state = run(
    ...reviewed,
    { type: "send" },
    { type: "lines", lines: [line(0, "released")] },
    { type: "stop" },
    { type: "end" },
  );
  expect(state.step).toEqual({ at: "ended", how: "stopped" });
  expect(state.released).toHaveLength(1);
});

test("a bulk request refused before it began keeps the review so that it can be sent again", () => {
  const state = run(
    ...reviewed,
    { type: "send" },
    { type: "fail", why: new Error("Type its name."), isOver: false },
  );
  expect(state.step).toEqual({ at: "reviewed", error: new Error("Type its name.") });
  expect(findReleasable(state)).toHaveLength(2);
});

test("a second review uses the current hold and includes items without a result", () => {
  const now = createSampleLock({
    key: "lock:2",
    version: "fence.9",
    holders: [createSampleHolder({ owner: "=new" })],
  });
  const state = run(
    ...reviewed,
    { type: "send" },
    {
      type: "lines",
      lines: [{ ...line(1, "changed"), item: { key: "lock:2", expectedVersion: "fence.2" }, now }],
    },
    { type: "stop" },
  );
  // `lock:0` and `lock:2` were sent. Only `lock:2` has a result, so `lock:0` is included without a change.
  expect(findRemainingItems(state)).toEqual([
    { key: "lock:2", expectedVersion: "fence.9" },
    { key: "lock:0", expectedVersion: "fence.0" },
  ]);
  expect(formatBulkCsv(collectResults(state))).toContain(`"lock:2","","changed","'=new"`);
});

test("results from before a second review stay in the exported file", () => {
  const first = run(
    ...reviewed,
    { type: "send" },
    // A changed lock that is now free cannot be reviewed again, so its result is final.
    { type: "lines", lines: [line(0, "released"), line(1, "changed"), line(2, "unknown")] },
    { type: "end" },
    { type: "again", count: 1 },
  );
  expect(first).toMatchObject({ step: { at: "reviewing" }, found: 1, reviewed: [], released: [] });
  expect(collectResults(first).map(({ outcome }) => outcome)).toEqual(["released", "changed"]);
});
