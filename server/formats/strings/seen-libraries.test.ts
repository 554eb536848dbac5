import { describe, expect, it } from "vitest";
import type { FormatName } from "../../../lib/contract/format.ts";
import { FormatRules } from "../format-rules.ts";
import { createForeignHolder, type HeldObservation } from "../observation.ts";
import { SeenLibraries } from "./seen-libraries.ts";

function createLock(format: FormatName, more: Partial<HeldObservation> = {}): HeldObservation {
  return {
    ...{ state: "held", key: "lock:a", type: "string", asOf: 1, format, candidates: [], kind: "lock" },
    ...{ confidence: "likely", holders: [createForeignHolder("x")], remainingMs: null },
    ...more,
  };
}

describe("libraries that a release signals", () => {
  it("a library is signalled after a lock of it was read, and for every key", () => {
    const libraries = new SeenLibraries();
    expect(libraries.find("lock:b")).toEqual([]);
    libraries.record(createLock("python-redis-lock"));
    expect(libraries.find("lock:b")).toEqual(["python-redis-lock"]);
  });

  it("a library that a lock may be of counts as well", () => {
    const libraries = new SeenLibraries();
    libraries.record(createLock("token", { candidates: ["redlock-rb", "spring"], confidence: "possible" }));
    expect(libraries.find("lock:b")).toEqual(["spring"]);
  });

  it("locks of libraries that poll, and locks that are no strings, change nothing", () => {
    const libraries = new SeenLibraries();
    libraries.record(createLock("redis-py"));
    libraries.record(createLock("redisson", { type: "hash", candidates: ["spring"] }));
    expect(libraries.find("lock:b")).toEqual([]);
  });

  it("a rule names the library of its own keys only", () => {
    const libraries = new SeenLibraries();
    const rules = new FormatRules([{ pattern: "orders:*", format: "spring" }]);
    libraries.getRules = () => rules;
    expect(libraries.find("orders:lock")).toEqual(["spring"]);
    expect(libraries.find("lock:b")).toEqual([]);
  });
});
