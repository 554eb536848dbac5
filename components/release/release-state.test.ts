import { describe, expect, it } from "vitest";
import { sampleHolder, sampleLock } from "@/lib/contract/sample-lock.ts";
import { waysFor } from "./release-methods.ts";
import { driftOf, expectedOf, reduceFree, startFree } from "./release-state.ts";

const lock = sampleLock;

describe("release sheet", () => {
  it("the release sheet selects the mildest action that helps and explains why others are unavailable", () => {
    expect(startFree({ lock: lock() }).choice).toBe("lapse");
    expect(waysFor(lock(), undefined)).toEqual({ fits: ["lapse", "release", "hold-off"], not: [] });
    const lasting = lock({
      remainingMs: null,
      release: { may: "yes", formats: [], oneHolder: false, holdOff: false },
    });
    expect(startFree({ lock: lasting }).choice).toBe("release");
    expect(waysFor(lasting, undefined).not).toEqual([
      { choice: "lapse", why: "noExpiry" },
      { choice: "hold-off", why: "noRoom" },
    ]);
    const [one, two] = [sampleHolder({ owner: "a" }), sampleHolder({ owner: "b" })];
    expect(waysFor(lock({ holders: [one, two] }), one).not).toEqual([{ choice: "hold-off", why: "others" }]);
  });

  it("the release sheet does not offer to wait for the expiry of a lock that is renewed", () => {
    const verdict = {
      watchedMs: 1,
      renewals: 9,
      lastRenewalAt: 1,
      cadenceMs: 1,
      nextExpectedAt: 2,
      misses: 0,
    };
    const renewed = lock({ verdict: { state: "renewing", ...verdict } });
    expect(startFree({ lock: renewed }).choice).toBe("release");
    expect(waysFor(renewed, undefined).not).toEqual([{ choice: "lapse", why: "renewed" }]);
  });

  it("the release sheet detects a new or missing hold by version, never by count or time", () => {
    const seen = lock();
    expect(driftOf(seen, undefined)).toBe("same");
    expect(driftOf(seen, lock({ remainingMs: 30_000, asOf: 200 }))).toBe("same");
    expect(driftOf(seen, lock({ version: "v2", asOf: 200 }))).toBe("other");
    expect(driftOf(seen, lock({ version: null, holders: [], asOf: 200 }))).toBe("gone");
  });

  it("the release sheet ignores an older snapshot", () => {
    expect(driftOf(lock({ asOf: 300 }), lock({ version: "v0", asOf: 200 }))).toBe("same");
  });

  it("the release sheet resets its choice for another hold and keeps the reason", () => {
    let state = startFree({ lock: lock() });
    state = reduceFree(state, { type: "choose", choice: "release" });
    state = reduceFree(state, { type: "reason", reason: "node lost" });
    state = reduceFree(state, {
      type: "step",
      step: { at: "refused", lock: lock({ version: "v2" }) },
    });
    state = reduceFree(state, { type: "look", lock: lock({ version: "v2" }) });
    expect(state).toMatchObject({
      seen: { version: "v2" },
      choice: "lapse",
      reason: "node lost",
      step: { at: "choosing" },
    });
  });

  it("a release sheet for one of several holders reports a change only when that holder is gone", () => {
    const one = sampleHolder({ owner: "a", version: "va" });
    const two = sampleHolder({ owner: "b", version: "vb" });
    const seen = lock({ version: "both", holders: [one, two] });
    expect(expectedOf(startFree({ lock: seen, holder: one }))).toBe("va");
    expect(expectedOf(startFree({ lock: seen }))).toBe("both");
    expect(driftOf(seen, lock({ version: "one", holders: [one], asOf: 200 }), one)).toBe("same");
    expect(driftOf(seen, lock({ version: "two", holders: [two], asOf: 200 }), one)).toBe("other");
    expect(driftOf(seen, lock({ version: null, holders: [], asOf: 200 }), one)).toBe("gone");
  });

  it("the release sheet keeps the named format until another hold is reviewed", () => {
    const named = reduceFree(startFree({ lock: lock() }), { type: "format", format: "redis-py" });
    expect(reduceFree(named, { type: "choose", choice: "release" }).format).toBe("redis-py");
    expect(reduceFree(named, { type: "look", lock: lock({ version: "v2" }) }).format).toBeNull();
  });
});
