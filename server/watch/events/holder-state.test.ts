import { describe, expect, it } from "vitest";
import type { FormatName } from "../../../lib/contract/format.ts";
import { createForeignHolder, type HeldObservation } from "../../formats/observation.ts";
import { updateHold } from "../holds/continuity.ts";
import { ForceReleasedHolds } from "./force-released-holds.ts";
import { listCurrentHolders, toReportedHolds } from "./holder-state.ts";

const FREED_AT = 1_795_216_496_000;
const [KEY, OWNER] = ["lock:a", "a1b2"];

/**
 * Returns whether a hold with a TTL of 30 s that began `afterMs` after a force-release is reported as force-released.
 */
function isReportedAsForceReleased(
  format: FormatName,
  afterMs: number,
  holder = createForeignHolder(OWNER),
): boolean {
  const forced = new ForceReleasedHolds();
  forced.add(KEY, OWNER, { at: FREED_AT });
  const hold = buildHold(format, afterMs, holder);
  return listCurrentHolders({ hold, isInitialScan: false }, forced)[0]?.wasForceReleased ?? false;
}

function buildHold(format: FormatName, afterMs: number, holder = createForeignHolder(OWNER)) {
  const seen: HeldObservation = {
    ...{ state: "held", key: KEY, type: "string", asOf: FREED_AT + afterMs, format, candidates: [] },
    ...{ kind: "lock", confidence: "certain", holders: [holder], remainingMs: 30_000 },
  };
  return updateHold(undefined, seen, { wasGone: false, since: "exact", continuityId: "1" }, () => 1);
}

describe("holders of a lock that is not listed", () => {
  const hold = { ...buildHold("redlock-net", 10), isListed: false };

  it("are not reported", () => {
    expect(listCurrentHolders({ hold, isInitialScan: false }, new ForceReleasedHolds())).toEqual([]);
  });

  it("are reported if an operator force-released them and they are back", () => {
    const forced = new ForceReleasedHolds();
    forced.add(KEY, OWNER, { at: FREED_AT });
    expect(listCurrentHolders({ hold, isInitialScan: false }, forced)).toHaveLength(1);
  });
});

describe("holders that share their lock", () => {
  it.for([
    ["semaphore", undefined, true],
    ["read", "read", true],
    ["write", "read", true],
    ["write", "write", false],
    ["lock", undefined, false],
  ] as const)("kind %s, role %s: %s", ([kind, role, isShared]) => {
    const holder = createForeignHolder(OWNER, role === undefined ? {} : { role });
    const listed = buildHold("redisson", 10, holder);
    const hold = { ...listed, seen: { ...listed.seen, kind } };
    expect(listCurrentHolders({ hold, isInitialScan: true }, new ForceReleasedHolds())).toMatchObject([
      { isShared },
    ]);
    expect(toReportedHolds(hold)).toMatchObject([{ isShared }]);
  });
});

describe("detection of force-released holds", () => {
  it("a hold of a never-reused owner string is recognized as force-released at any later time", () => {
    expect(isReportedAsForceReleased("redlock-net", 600_000)).toBe(true);
    expect(isReportedAsForceReleased("redlock-net", 10, createForeignHolder("another"))).toBe(false);
  });

  it("a Lockkeeper hold is never taken for one that was force-released, whatever its label", () => {
    const [labelled, stored] = [
      createForeignHolder("uuid:1", { owner: OWNER, fence: "7" }),
      createForeignHolder(OWNER, { fence: "7" }),
    ];
    expect(isReportedAsForceReleased("redlock-net", 10, labelled)).toBe(false);
    expect(isReportedAsForceReleased("redlock-net", 10, stored)).toBe(false);
  });

  it("a reused owner string counts as force-released within one renewal only, if the library recreates locks", () => {
    expect(isReportedAsForceReleased("redis-semaphore", 24_000)).toBe(true);
    expect(isReportedAsForceReleased("redis-semaphore", 24_001)).toBe(false);
    expect(isReportedAsForceReleased("redisson", 10)).toBe(false);
  });
});
