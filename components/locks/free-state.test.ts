import { describe, expect, it } from "vitest";
import { sampleLock } from "@/lib/contract/lock-sample.ts";
import { driftOf, reduceFree, startFree } from "./free-state.ts";

const lock = sampleLock;

describe("free sheet", () => {
  it("offers the mildest way that leads anywhere", () => {
    expect(startFree(lock()).choice).toBe("lapse");
    expect(startFree(lock({ remainingMs: null })).choice).toBe("release");
  });

  it("notices another hold, and none, by version and never by count or time", () => {
    const seen = lock();
    expect(driftOf(seen, undefined)).toBe("same");
    expect(driftOf(seen, lock({ remainingMs: 30_000, asOf: 200 }))).toBe("same");
    expect(driftOf(seen, lock({ version: "v2", asOf: 200 }))).toBe("other");
    expect(driftOf(seen, lock({ version: null, holders: [], asOf: 200 }))).toBe("gone");
  });

  it("does not take older news for a change", () => {
    expect(driftOf(lock({ asOf: 300 }), lock({ version: "v0", asOf: 200 }))).toBe("same");
  });

  it("decides anew for another hold, and keeps only the words", () => {
    let state = startFree(lock());
    state = reduceFree(state, { type: "choose", choice: "release" });
    state = reduceFree(state, { type: "reason", reason: "node lost" });
    state = reduceFree(state, {
      type: "step",
      step: { at: "refused", lock: lock({ version: "v2" }), why: "" },
    });
    state = reduceFree(state, { type: "look", lock: lock({ version: "v2" }) });
    expect(state).toMatchObject({
      seen: { version: "v2" },
      choice: "lapse",
      reason: "node lost",
      step: { at: "choosing" },
    });
  });
});
