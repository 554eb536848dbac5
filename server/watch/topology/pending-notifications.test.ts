import { expect, it } from "vitest";
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
