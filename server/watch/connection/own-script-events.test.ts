import { expect, it } from "vitest";
import { OwnScriptEvents } from "./own-script-events.ts";
import type { ScriptEvent } from "./script-event.ts";

const createEvent = (given: Partial<ScriptEvent> = {}): ScriptEvent => ({
  ...{ key: "a", type: "released", count: 0, at: 1, fence: "7", seq: 2, heldMs: undefined, owner: "me" },
  ...{ by: undefined, reason: undefined, ...given },
});

it("an event is recognized once, after the reply that reports the same change", () => {
  const own = new OwnScriptEvents();
  expect(own.take(createEvent())).toBe(false);
  own.recordReply("released", "a", "7");
  expect(own.take(createEvent({ fence: "8" }))).toBe(false);
  expect(own.take(createEvent({ key: "b" }))).toBe(false);
  expect(own.take(createEvent({ type: "acquired", count: 1 }))).toBe(false);
  expect(own.take(createEvent({ count: 1 }))).toBe(false);
  expect(own.take(createEvent())).toBe(true);
  expect(own.take(createEvent())).toBe(false);
});

it("replies whose events never arrive do not accumulate", () => {
  const own = new OwnScriptEvents();
  for (let at = 0; at <= 10_000; at++) own.recordReply("released", `${at}`, "7");
  expect(own.take(createEvent({ key: "0" }))).toBe(false);
  expect(own.take(createEvent({ key: "10000" }))).toBe(true);
});
