import { describe, expect, it } from "vitest";
import { createSampleHolder, createSampleLock } from "@/lib/contract/sample-lock.ts";
import { findReleaseMethods } from "./release-methods.ts";
import { createReleaseState, detectDrift, getExpectedVersion, reduceReleaseState } from "./release-state.ts";

const lock = createSampleLock;

describe("release sheet", () => {
  it("the release sheet selects the mildest action that helps and explains why others are unavailable", () => {
    expect(createReleaseState({ lock: lock() }).choice).toBe("lapse");
    expect(findReleaseMethods(lock(), undefined)).toEqual({
      available: ["lapse", "release", "reserve"],
      unavailable: [],
    });
    const lasting = lock({
      remainingMs: null,
      release: { may: "yes", formats: [], oneHolder: false, reservable: false },
    });
    expect(createReleaseState({ lock: lasting }).choice).toBe("release");
    expect(findReleaseMethods(lasting, undefined).unavailable).toEqual([
      { choice: "lapse", why: "noTtl" },
      { choice: "reserve", why: "noRoom" },
    ]);
    const [one, two] = [createSampleHolder({ owner: "a" }), createSampleHolder({ owner: "b" })];
    expect(findReleaseMethods(lock({ holders: [one, two] }), one).unavailable).toEqual([
      { choice: "reserve", why: "others" },
    ]);
  });

  it("the release sheet does not offer to wait for the expiry of a lock that is renewed", () => {
    const liveness = {
      watchedMs: 1,
      renewals: 9,
      lastRenewalAt: 1,
      renewalIntervalMs: 1,
      nextRenewalExpectedAt: 2,
      missedRenewals: 0,
    };
    const renewed = lock({ liveness: { state: "alive", ...liveness } });
    expect(createReleaseState({ lock: renewed }).choice).toBe("release");
    expect(findReleaseMethods(renewed, undefined).unavailable).toEqual([{ choice: "lapse", why: "renewed" }]);
  });

  it("the release sheet detects a new or missing hold by version, never by count or time", () => {
    const seen = lock();
    expect(detectDrift(seen, undefined)).toBe("same");
    expect(detectDrift(seen, lock({ remainingMs: 30_000, asOf: 200 }))).toBe("same");
    expect(detectDrift(seen, lock({ version: "v2", asOf: 200 }))).toBe("other");
    expect(detectDrift(seen, lock({ version: null, holders: [], asOf: 200 }))).toBe("gone");
  });

  it("the release sheet ignores an older snapshot", () => {
    expect(detectDrift(lock({ asOf: 300 }), lock({ version: "v0", asOf: 200 }))).toBe("same");
  });

  it("the release sheet resets its choice for another hold and keeps the reason", () => {
    let state = createReleaseState({ lock: lock() });
    state = reduceReleaseState(state, { type: "choose", choice: "release" });
    state = reduceReleaseState(state, { type: "reason", reason: "node lost" });
    state = reduceReleaseState(state, {
      type: "step",
      step: { at: "refused", lock: lock({ version: "v2" }) },
    });
    state = reduceReleaseState(state, { type: "look", lock: lock({ version: "v2" }) });
    expect(state).toMatchObject({
      seen: { version: "v2" },
      choice: "lapse",
      reason: "node lost",
      step: { at: "choosing" },
    });
  });

  it("a release sheet for one of several holders reports a change only when that holder is gone", () => {
    const one = createSampleHolder({ owner: "a", version: "va" });
    const two = createSampleHolder({ owner: "b", version: "vb" });
    const seen = lock({ version: "both", holders: [one, two] });
    expect(getExpectedVersion(createReleaseState({ lock: seen, holder: one }))).toBe("va");
    expect(getExpectedVersion(createReleaseState({ lock: seen }))).toBe("both");
    expect(detectDrift(seen, lock({ version: "one", holders: [one], asOf: 200 }), one)).toBe("same");
    expect(detectDrift(seen, lock({ version: "two", holders: [two], asOf: 200 }), one)).toBe("other");
    expect(detectDrift(seen, lock({ version: null, holders: [], asOf: 200 }), one)).toBe("gone");
  });

  it("the release sheet keeps the named format until another hold is reviewed", () => {
    const named = reduceReleaseState(createReleaseState({ lock: lock() }), {
      type: "format",
      format: "redis-py",
    });
    expect(reduceReleaseState(named, { type: "choose", choice: "release" }).format).toBe("redis-py");
    expect(reduceReleaseState(named, { type: "look", lock: lock({ version: "v2" }) }).format).toBeNull();
  });
});
