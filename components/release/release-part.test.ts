import { describe, expect, it } from "vitest";
import type { Holder } from "@/lib/contract/lock.ts";
import { createSampleHolder, createSampleLock } from "@/lib/contract/sample-lock.ts";
import { findReviewSubject, getReleasePart } from "./release-state.ts";

const createReader = (owner: string, version = `v-${owner}`): Holder =>
  createSampleHolder({ owner, version, role: "read" });
const ada = createReader("ada");
const bob = createReader("bob");
const readers = createSampleLock({ kind: "read", holders: [ada, bob] });

describe("part of a lock that is released", () => {
  it("a participant is named by its kind", () => {
    expect(getReleasePart({ lock: readers, holder: ada })).toBe("reader");
    expect(getReleasePart({ lock: { ...readers, kind: "write" }, holder: { ...ada, role: "write" } })).toBe(
      "writer",
    );
    const { role: _role, ...permits } = ada;
    expect(getReleasePart({ lock: { ...readers, kind: "semaphore" }, holder: permits })).toBe("permits");
    expect(getReleasePart({ lock: { ...readers, kind: "multi" }, holder: permits })).toBe("holder");
    expect(getReleasePart({ lock: { ...readers, kind: "latch" } })).toBe("latch");
    expect(getReleasePart({ lock: readers })).toBe("lock");
  });
});

describe("hold that is reviewed after a change", () => {
  it("a participant that acquired the lock again remains the only one to be released", () => {
    const again = createReader("ada", "v-later");
    expect(findReviewSubject({ ...readers, holders: [bob, again] }, ada)?.holder).toBe(again);
  });

  it("a participant that is gone is replaced neither by the whole lock nor by another participant", () => {
    expect(findReviewSubject({ ...readers, holders: [bob] }, ada)).toBeUndefined();
  });

  it("two holds with the owner of the participant are ambiguous", () => {
    const twice = [createReader("ada", "v-1"), createReader("ada", "v-2")];
    expect(findReviewSubject({ ...readers, holders: twice }, ada)).toBeUndefined();
  });

  it("the whole lock is reviewed only after the whole lock", () => {
    expect(findReviewSubject(readers, undefined)).toEqual({ lock: readers });
  });
});
