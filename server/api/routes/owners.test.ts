import { expect, it } from "vitest";
import { createForeignHolder } from "../../formats/observation.ts";
import { HoldGroup } from "../../watch/index/hold-group.ts";
import { LockIndex } from "../../watch/index/lock-index.ts";
import { toGroupCounts } from "./owners.ts";

it("the oldest hold of a group states whether its start was observed", () => {
  const index = new LockIndex();
  const add = (key: string, asOf: number, since: "exact" | "at_least") => {
    index.applyObservation(
      {
        ...{ state: "held", key, asOf, type: "hash", format: "redisson", candidates: [], kind: "lock" },
        ...{ confidence: "certain", remainingMs: 1000, waiters: { count: 0, known: "exact" } },
        holders: [createForeignHolder("worker", {})],
      },
      { wasGone: false, since, continuityId: "1" },
    );
    const hold = index.get(key);
    if (hold === undefined) throw new Error("not indexed");
    const group = new HoldGroup();
    group.add({ hold, needsAttention: false }, ["worker", asOf]);
    return toGroupCounts({ index }, group).oldest;
  };
  expect(add("lock:a", 1000, "at_least")).toEqual({ key: "lock:a", since: 1000, sinceIs: "at_least" });
  expect(add("lock:b", 2000, "exact")).toEqual({ key: "lock:b", since: 2000, sinceIs: "exact" });
});
