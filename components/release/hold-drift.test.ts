import { describe, expect, it } from "vitest";
import type { HistoryEntry, LockEvent } from "@/lib/contract/event.ts";
import type { ReleaseRequest } from "@/lib/contract/holds/release-request.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { createSampleHolder, createSampleLock } from "@/lib/contract/sample-lock.ts";
import {
  addAnswer,
  describeHoldChange,
  detectDrift,
  findEndEvent,
  findHoldEnd,
  type HoldChange,
} from "./hold-drift.ts";

const lock = createSampleLock;
const holderWith = createSampleHolder;

describe("drift of a hold", () => {
  it("another or a missing hold is detected by version, never by count or time", () => {
    const seen = lock();
    expect(detectDrift(seen, undefined)).toBe("same");
    expect(detectDrift(seen, lock({ remainingMs: 30_000, asOf: 200 }))).toBe("same");
    expect(detectDrift(seen, lock({ version: "v2", asOf: 200 }))).toBe("other");
    expect(detectDrift(seen, lock({ version: null, holders: [], asOf: 200 }))).toBe("gone");
  });

  it("older state is ignored", () => {
    expect(detectDrift(lock({ asOf: 300 }), lock({ version: "v0", asOf: 200 }))).toBe("same");
  });

  it("one of several holders has changed only when that holder is gone", () => {
    const one = holderWith({ owner: "a", version: "va" });
    const two = holderWith({ owner: "b", version: "vb" });
    const seen = lock({ version: "both", holders: [one, two] });
    expect(detectDrift(seen, lock({ version: "one", holders: [one], asOf: 200 }), one)).toBe("same");
    expect(detectDrift(seen, lock({ version: "two", holders: [two], asOf: 200 }), one)).toBe("other");
    expect(detectDrift(seen, lock({ version: null, holders: [], asOf: 200 }), one)).toBe("gone");
  });
});

describe("what changed", () => {
  const held = (...holders: Partial<Holder>[]): Lock => lock({ holders: holders.map(holderWith) });
  const foreign = { owner: "a", fence: null, since: 50 } as const;
  const TABLE: readonly [string, Lock, Lock, HoldChange][] = [
    ["another owner", held({ owner: "a" }), held({ owner: "b" }), "other_owner"],
    [
      "another fencing token",
      held({ owner: "a", fence: "7" }),
      held({ owner: "a", fence: "8" }),
      "reacquired",
    ],
    ["a later start", held(foreign), held({ ...foreign, since: 60 }), "reacquired"],
    ["the same start", held(foreign), held(foreign), "not_followed"],
    ["an unknown start", held(foreign), held({ ...foreign, since: 60, sinceIs: "at_least" }), "not_followed"],
    ["one more holder", held(foreign), held(foreign, { owner: "b" }), "other_owner"],
  ];
  it.each(TABLE)("%s", (_name, seen, current, expected) => {
    expect(describeHoldChange(seen, undefined, current)).toBe(expected);
  });
});

describe("the end of a hold", () => {
  const seen = lock({ asOf: 100 });
  const event = (type: "released" | "renewed", at: number): HistoryEntry => ({
    ...{ id: `${type}-${at}`, type, at, target: "main", key: "lock:a", observed: "exact" },
    ...{ format: "redisson", kind: "lock", owner: "o", count: 0 },
  });

  it("is the earliest sign after it was seen", () => {
    const next = lock({ asOf: 200, holders: [holderWith({ since: 180 })] });
    expect(findHoldEnd(seen, next, [event("renewed", 120)])).toBe(180);
    expect(findHoldEnd(seen, next, [event("released", 170), event("released", 90)])).toBe(170);
    expect(findHoldEnd(seen, lock({ asOf: 200, holders: [] }), [event("released", 190)])).toBe(190);
  });

  it("is not the end of an earlier hold, nor an uncertain start", () => {
    const next = lock({ asOf: 200, holders: [holderWith({ since: 150, sinceIs: "at_least" })] });
    expect(findHoldEnd(seen, next, [event("released", 40)])).toBe(200);
  });
});

describe("the event that ended the hold", () => {
  const event = (more: Partial<LockEvent>): LockEvent => ({
    ...{
      id: "1",
      type: "released",
      target: "main",
      key: "lock:a",
      at: 1,
      observed: "exact",
      fence: "7",
      count: 0,
    },
    ...more,
  });

  it("the end of the seen hold is found by its fencing token, after the next holder's events", () => {
    const seen = lock({ holders: [holderWith({ fence: "7" })] });
    const end = event({ id: "2" });
    expect(findEndEvent(seen, undefined, [event({ id: "3", fence: "8" }), end])).toBe(end);
    expect(findEndEvent(seen, undefined, [event({ count: 1 }), event({ type: "renewed" })])).toBeUndefined();
    const expired = event({ type: "expired" });
    expect(findEndEvent(seen, undefined, [expired])).toBe(expired);
  });

  it("the answer of a holder that released at once is taken from its event", () => {
    const request: ReleaseRequest = {
      ...{ requestId: "r1", reason: "deploy", requestedBy: "mei", requestedAt: 5 },
      ...{ state: "requested", answerText: null },
    };
    const accepted = event({ type: "release_request_accepted", at: 6, reason: "done" });
    expect(addAnswer(request, "7", [event({ at: 7 }), accepted])).toMatchObject({
      state: "accepted",
      answerText: "done",
    });
    expect(addAnswer(request, "8", [accepted])).toBe(request);
    expect(addAnswer(request, undefined, [{ ...accepted, fence: undefined }])).toBe(request);
    // This event precedes the request, so it answers an earlier request.
    expect(addAnswer(request, "7", [event({ type: "release_request_refused", at: 4 })])).toBe(request);
  });

  it("of several holders, the end of the selected one is found", () => {
    const [one, two] = [holderWith({ fence: "7" }), holderWith({ fence: "9" })];
    expect(findEndEvent(lock({ holders: [one, two] }), two, [event({})])).toBeUndefined();
  });
});
