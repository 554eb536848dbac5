import { expect, it } from "vitest";
import type { ScriptEvent } from "../connection/script-event.ts";
import { PendingNotifications } from "./pending-notifications.ts";

it("a blind period drops what was heard of keys that are not known, and nothing else", () => {
  const pending = new PendingNotifications();
  for (const key of ["lock:known", "lock:forged"]) {
    pending.recordKeyChange(key, "expired");
    pending.recordKeyChange(key, "hdel");
  }
  pending.recordBlindPeriod([], (key) => key === "lock:known");
  expect([pending.findEndCause("lock:known"), pending.findEndCause("lock:forged")]).toEqual([
    "expired",
    undefined,
  ]);
  const consume = (key: string) =>
    pending.consume({ state: "free", key, asOf: 1 }, undefined, {
      sentAt: performance.now(),
      isMoving: false,
    });
  expect(consume("lock:known")).toMatchObject({ wasGone: true, hasAmbiguousExit: true });
  expect(consume("lock:forged")).toMatchObject({ wasGone: false, hasAmbiguousExit: false });
});

it("a report of an extension that arrives during a read applies to that read and the next, as the same report", () => {
  const pending = new PendingNotifications();
  const sentAt = performance.now();
  const extension: ScriptEvent = {
    ...{ type: "renewed", key: "lock:a", at: 1, fence: null, seq: 0, count: 1, heldMs: undefined },
    ...{ owner: "me", by: "mei", reason: undefined },
  };
  pending.recordScriptEvent(extension);
  const consume = (at: number) =>
    pending.consume({ state: "free", key: "lock:a", asOf: 1 }, undefined, { sentAt: at, isMoving: false })
      .extendedAt;
  const reportedAt = consume(sentAt);
  expect(reportedAt).toBeTypeOf("number");
  expect(consume(performance.now() + 1)).toBe(reportedAt);
  expect(consume(performance.now() + 2)).toBeUndefined();
});
