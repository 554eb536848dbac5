import { describe, expect, it } from "vitest";
import type { ReleaseRequest } from "@/lib/contract/holds/release-request.ts";
import type { Liveness, LivenessState } from "@/lib/contract/liveness.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { createSampleHolder, createSampleLock } from "@/lib/contract/sample-lock.ts";
import { isPreselectionWrong, preselectMethod } from "./preselection.ts";
import type { ReleaseMethod } from "./release-methods.ts";

const AS_OF = 1_000;

function createLiveness(state: LivenessState): Liveness {
  return {
    state,
    watchedMs: 60_000,
    renewals: 3,
    lastRenewalAt: AS_OF,
    renewalIntervalMs: 10_000,
    nextRenewalExpectedAt: AS_OF + 10_000,
    missedRenewals: 0,
  };
}

const createLock = (state: LivenessState, remainingMs: number | null, more: Partial<Lock> = {}) =>
  createSampleLock({ liveness: createLiveness(state), remainingMs, asOf: AS_OF, ...more });

const TABLE: readonly [LivenessState, remainingMs: number | null, ReleaseMethod | null][] = [
  ["overdue", 3_600_000, "release"],
  ["overdue", 30_001, "release"],
  ["overdue", 30_000, "wait"],
  ["overdue", 0, "wait"],
  ["overdue", null, "release"],
  ["alive", 3_600_000, null],
  ["alive", 5_000, null],
  ["unknown", 3_600_000, null],
  ["unknown", 5_000, null],
  ["not_renewing", 3_600_000, null],
  ["not_renewing", 30_001, null],
  ["not_renewing", 30_000, "wait"],
  ["no_ttl", null, null],
];

describe("preselection of the release dialog", () => {
  it.each(TABLE)("a holder that is %s with %s ms left preselects %s", (state, remainingMs, expected) => {
    expect(preselectMethod(createLock(state, remainingMs), undefined, AS_OF)).toBe(expected);
  });

  it("the time since the lock was read counts", () => {
    expect(preselectMethod(createLock("overdue", 40_000), undefined, AS_OF + 10_000)).toBe("wait");
  });

  it("nothing is preselected without a liveness", () => {
    expect(preselectMethod(createSampleLock({ remainingMs: 5_000 }), undefined, AS_OF)).toBeNull();
  });

  it("of several holders, the lease of the one that is released counts", () => {
    const [short, long] = [
      createSampleHolder({ owner: "a", remainingMs: 10_000 }),
      createSampleHolder({ owner: "b", remainingMs: 600_000 }),
    ];
    const lock = createLock("overdue", 600_000, { holders: [short, long] });
    expect(preselectMethod(lock, short, AS_OF)).toBe("wait");
    expect(preselectMethod(lock, long, AS_OF)).toBe("release");
  });

  const request: ReleaseRequest = {
    ...{ requestId: "r1", reason: "deploy", requestedBy: "mei", requestedAt: AS_OF },
    ...{ state: "requested", answerText: null },
  };
  const askable = (state: LivenessState, releaseRequested?: ReleaseRequest) =>
    createLock(state, 60_000, {
      holders: [
        createSampleHolder({
          receivesReleaseRequests: true,
          ...(releaseRequested === undefined ? {} : { releaseRequested }),
        }),
      ],
    });

  it.each([
    ["alive", "ask"],
    ["overdue", "release"],
    ["not_renewing", null],
    ["no_ttl", null],
    ["unknown", null],
  ] as const)("a holder that receives requests and is %s preselects %s", (state, expected) => {
    expect(preselectMethod(askable(state), undefined, AS_OF)).toBe(expected);
  });

  it.each(["requested", "accepted", "refused"] as const)(
    "an alive holder whose last request is %s preselects nothing, and a preselected request is wrong",
    (state) => {
      expect(preselectMethod(askable("alive", { ...request, state }), undefined, AS_OF)).toBeNull();
      const wrong = isPreselectionWrong("ask", askable("alive"), undefined, AS_OF, { ...request, state });
      expect(wrong).toBe(true);
    },
  );

  it("a preselected request becomes wrong when the holder is no longer alive", () => {
    expect(isPreselectionWrong("ask", askable("alive"), undefined, AS_OF)).toBe(false);
    expect(isPreselectionWrong("ask", askable("overdue"), undefined, AS_OF)).toBe(true);
    expect(isPreselectionWrong("ask", askable("unknown"), undefined, AS_OF)).toBe(true);
  });

  const WRONG: readonly [ReleaseMethod, LivenessState, remainingMs: number | null, boolean][] = [
    ["release", "overdue", 3_600_000, false],
    ["release", "overdue", 20_000, false],
    ["release", "alive", 3_600_000, true],
    ["release", "unknown", 3_600_000, true],
    ["wait", "overdue", 5_000, false],
    ["wait", "overdue", 60_000, true],
    ["wait", "alive", 60_000, true],
    ["wait", "not_renewing", 5_000, false],
    ["wait", "no_ttl", null, true],
  ];
  it.each(WRONG)("a preselected %s of a holder that is now %s with %s ms left is wrong: %s", (...row) => {
    const [preselected, state, remainingMs, expected] = row;
    expect(isPreselectionWrong(preselected, createLock(state, remainingMs), undefined, AS_OF)).toBe(expected);
  });
});
