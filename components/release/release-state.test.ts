import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ReleaseRequest } from "@/lib/contract/holds/release-request.ts";
import type { LivenessState } from "@/lib/contract/liveness.ts";
import type { Holder } from "@/lib/contract/lock.ts";
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
const STATES = ["requested", "accepted", "refused"] as const;
const lock = createSampleLock;
const holderWith = createSampleHolder;

const liveness = (state: LivenessState) => ({
  ...{ state, watchedMs: 1, renewals: 9, lastRenewalAt: 1, renewalIntervalMs: 1 },
  ...{ nextRenewalExpectedAt: 2, missedRenewals: 0 },
});

const receiver = (more: Partial<Holder> = {}) => holderWith({ receivesReleaseRequests: true, ...more });
const request = (more: Partial<ReleaseRequest>): ReleaseRequest => ({
  ...{ requestId: "r1", reason: "deploy", requestedBy: "mei", requestedAt: NOW, state: "requested" },
  ...{ answerText: null, ...more },
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

  it("asking comes first if the holder receives requests, and is missing otherwise", () => {
    const asks = (holder: Holder, request?: ReleaseRequest) =>
      [...findReleaseMethods(lock({ holders: [holder] }), undefined, request)][0];
    expect(asks(receiver())).toEqual(["ask", null]);
    expect(asks(holderWith())).toEqual(["release", null]);
    expect(asks(receiver(), request({}))).toEqual(["ask", "requested"]);
    expect(asks(receiver(), request({ state: "accepted" }))).toEqual(["ask", "accepted"]);
    expect(asks(receiver(), request({ state: "refused" }))).toEqual(["ask", null]);
    expect(asks(receiver({ releaseRequested: request({}) }))).toEqual(["ask", "requested"]);
  });

  it("asking stays missing in a dialog that was opened before the holder received requests", () => {
    const { canAsk } = createReleaseState({ lock: lock() }, NOW);
    const now = lock({ holders: [receiver()] });
    expect(findReleaseMethods(now, undefined, null, canAsk).has("ask")).toBe(false);
  });

  it("of several holders, only a single one can be asked", () => {
    const [one, two] = [receiver({ version: "va" }), holderWith({ version: "vb" })];
    const shared = lock({ holders: [one, two] });
    expect(findReleaseMethods(shared, undefined).has("ask")).toBe(false);
    expect(findReleaseMethods(shared, one).has("ask")).toBe(true);
    expect(findReleaseMethods(shared, two).has("ask")).toBe(false);
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
    expect(apply(decided, { type: "review", subject: { lock: next }, now: NOW })).toEqual({
      seen: next,
      holder: undefined,
      endedAt: null,
      format: null,
      choice: { is: "open", method: null },
      reason: "",
      confirmation: "",
      canAsk: false,
      request: null,
      sentRequestId: null,
      step: { at: "choosing" },
    });
  });

  it("after a request was sent, no action is chosen, and the reason stays", () => {
    const asked = apply(
      createReleaseState({ lock: lock({ liveness: liveness("alive"), holders: [receiver()] }) }, NOW),
      { type: "reason", reason: "deploy" },
      { type: "sent" },
      { type: "asked", request: request({}) },
    );
    expect(asked).toMatchObject({
      choice: { is: "open", method: null },
      reason: "deploy",
      request: { requestId: "r1" },
      sentRequestId: "r1",
      step: { at: "choosing" },
    });
  });

  it("the request of the hold is kept in any order of reports: the latest one, with its answer", () => {
    const reports = fc
      .array(fc.record({ requestedAt: fc.integer({ min: 1, max: 5 }), state: fc.constantFrom(...STATES) }), {
        minLength: 1,
      })
      .map((all) =>
        all.map(({ requestedAt, state }) => request({ requestId: `r${requestedAt}`, requestedAt, state })),
      );
    fc.assert(
      fc.property(reports, fc.boolean(), (all, isSent) => {
        const type = isSent ? "asked" : "request";
        const state = apply(
          createReleaseState({ lock: lock() }, NOW),
          ...all.map((each) => ({ type, request: each }) as const),
        );
        const latest = Math.max(...all.map(({ requestedAt }) => requestedAt));
        expect(state.request?.requestedAt).toBe(latest);
        const isAnswered = all.some((each) => each.requestedAt === latest && each.state !== "requested");
        const wasDropped = state.request?.state === "requested";
        expect(wasDropped).toBe(!isAnswered);
      }),
    );
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
