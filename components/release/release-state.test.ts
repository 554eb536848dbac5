import { describe, expect, it } from "vitest";
import type { LivenessState } from "@/lib/contract/liveness.ts";
import { createSampleHolder, createSampleLock } from "@/lib/contract/sample-lock.ts";
import { findReleaseMethods } from "./release-methods.ts";
import {
  createReleaseState,
  getExpectedVersion,
  type ReleaseAction,
  type ReleaseState,
  reduceReleaseState,
} from "./release-state.ts";

const NOW = 100;
const lock = createSampleLock;
const holderWith = createSampleHolder;

const liveness = (state: LivenessState) => ({
  ...{ state, watchedMs: 1, renewals: 9, lastRenewalAt: 1, renewalIntervalMs: 1 },
  ...{ nextRenewalExpectedAt: 2, missedRenewals: 0 },
});

const apply = (state: ReleaseState, ...actions: ReleaseAction[]) => actions.reduce(reduceReleaseState, state);

describe("release methods", () => {
  it("every method keeps its place, and one that is not available says why", () => {
    expect([...findReleaseMethods(lock(), undefined)]).toEqual([
      ["release", null],
      ["reserve", null],
      ["wait", null],
    ]);
    const lasting = lock({
      remainingMs: null,
      release: { may: "yes", formats: [], oneHolder: false, reservable: false },
    });
    expect([...findReleaseMethods(lasting, undefined)]).toEqual([
      ["release", null],
      ["reserve", "noRoom"],
      ["wait", "noTtl"],
    ]);
    const [one, two] = [holderWith({ owner: "a" }), holderWith({ owner: "b" })];
    expect(findReleaseMethods(lock({ holders: [one, two] }), one).get("reserve")).toBe("others");
    expect(findReleaseMethods(lock({ liveness: liveness("alive") }), undefined).get("wait")).toBe("renewed");
  });
});

describe("release state", () => {
  const overdue = lock({ remainingMs: 600_000, liveness: liveness("overdue") });

  it("the evidence preselects an action, or leaves it open", () => {
    expect(createReleaseState({ lock: overdue }, NOW).choice).toEqual({
      is: "preselected",
      method: "release",
    });
    expect(createReleaseState({ lock: lock({ liveness: liveness("alive") }) }, NOW).choice).toEqual({
      is: "open",
      method: null,
    });
  });

  it("a cleared preselection stays cleared, and a choice of the operator is never cleared", () => {
    const cleared = apply(createReleaseState({ lock: overdue }, NOW), { type: "clear_preselection" });
    expect(cleared.choice).toEqual({ is: "cleared", method: null });
    const chosen = apply(
      createReleaseState({ lock: overdue }, NOW),
      { type: "choose", method: "reserve" },
      { type: "clear_preselection" },
    );
    expect(chosen.choice).toEqual({ is: "chosen", method: "reserve" });
  });

  it("the review of another hold starts without the choice, reason, confirmation and format of the first", () => {
    const decided = apply(
      createReleaseState({ lock: overdue }, NOW),
      { type: "choose", method: "release" },
      { type: "reason", reason: "node lost" },
      { type: "confirmation", confirmation: "Shop EU" },
      { type: "format", format: "redis-py" },
      { type: "ended", at: 90 },
    );
    expect(decided).toMatchObject({ reason: "node lost", confirmation: "Shop EU", format: "redis-py" });
    const next = lock({ version: "v2", liveness: liveness("alive") });
    expect(apply(decided, { type: "review", lock: next, now: NOW })).toEqual({
      seen: next,
      holder: undefined,
      endedAt: null,
      format: null,
      choice: { is: "open", method: null },
      reason: "",
      confirmation: "",
      step: { at: "choosing" },
    });
  });

  it("the end of a hold only moves to an earlier time", () => {
    const state = createReleaseState({ lock: overdue }, NOW);
    expect(apply(state, { type: "ended", at: 300 }, { type: "ended", at: 250 }).endedAt).toBe(250);
    expect(apply(state, { type: "ended", at: 250 }, { type: "ended", at: 300 }).endedAt).toBe(250);
  });

  it("the release of one of several holders is compared with the version of that holder", () => {
    const one = holderWith({ owner: "a", version: "va" });
    const shared = lock({ version: "both", holders: [one, holderWith({ owner: "b", version: "vb" })] });
    expect(getExpectedVersion(createReleaseState({ lock: shared, holder: one }, NOW))).toBe("va");
    expect(getExpectedVersion(createReleaseState({ lock: shared }, NOW))).toBe("both");
  });

  it("the format stays named until another hold is reviewed", () => {
    const named = apply(createReleaseState({ lock: lock() }, NOW), { type: "format", format: "redis-py" });
    expect(apply(named, { type: "choose", method: "release" }).format).toBe("redis-py");
  });
});
