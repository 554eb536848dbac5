import { describe, expect, it } from "vitest";
import type { FormatName } from "../../../lib/contract/format.ts";
import { type HeldObservation, strangerOf } from "../../formats/observation.ts";
import { holdOf } from "../holds/continuity.ts";
import { Forced } from "./force-released-holds.ts";
import { presentsOf } from "./holder-state.ts";

const FREED_AT = 1_795_216_496_000;
const [KEY, OWNER] = ["lock:a", "a1b2"];

/** A hold of half a minute that began so long after it was freed by force. */
function wasForced(format: FormatName, afterMs: number, owner = OWNER): boolean {
  const forced = new Forced();
  forced.add(KEY, OWNER, { at: FREED_AT });
  const seen: HeldObservation = {
    ...{ state: "held", key: KEY, type: "string", asOf: FREED_AT + afterMs, format, candidates: [] },
    ...{ kind: "lock", confidence: "certain", holders: [strangerOf(owner)], remainingMs: 30_000 },
  };
  const hold = holdOf(undefined, seen, { wasGone: false, since: "exact", sight: "1" }, () => 1);
  return presentsOf({ hold, isFirstLook: false }, forced)[0]?.wasForced ?? false;
}

describe("detection of force-released holds", () => {
  it("a hold of a never-reused owner string is recognised as force-released at any later time", () => {
    expect(wasForced("redlock-net", 600_000)).toBe(true);
    expect(wasForced("redlock-net", 10, "another")).toBe(false);
  });

  it("a reused owner string counts as force-released within one renewal only, if the library recreates locks", () => {
    expect(wasForced("redis-semaphore", 24_000)).toBe(true);
    expect(wasForced("redis-semaphore", 24_001)).toBe(false);
    expect(wasForced("redisson", 10)).toBe(false);
  });
});
