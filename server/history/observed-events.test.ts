import { expect, it } from "vitest";
import type { UnnumberedEvent } from "./events/stream-entry.ts";
import { OBSERVED_EVENTS_MAX, ObservedEvents } from "./observed-events.ts";

const buildEvent = (owner: string, reason?: string): UnnumberedEvent => ({
  ...{ type: "acquired", target: "t", key: "lock:a", at: 1, owner, observed: "exact" },
  ...(reason === undefined ? {} : { reason }),
});

it("observed events of ordinary size are kept up to their number", () => {
  const observed = new ObservedEvents();
  observed.setWatching(true, 0);
  for (let n = 0; n <= OBSERVED_EVENTS_MAX; n++) observed.add(buildEvent("checkout@pod-2:17"), n / 1000);
  expect(observed.list(60).length).toBe(OBSERVED_EVENTS_MAX);
});

it("large observed events are kept in smaller number, and what is covered begins behind those that were dropped", () => {
  const observed = new ObservedEvents();
  observed.setWatching(true, 0);
  const [owner, reason] = ["o".repeat(1024), "r".repeat(500)];
  for (let n = 0; n < OBSERVED_EVENTS_MAX; n++) observed.add(buildEvent(owner, reason), n / 1000);
  const kept = observed.list(60);
  expect(kept.length).toBeGreaterThan(OBSERVED_EVENTS_MAX / 4);
  expect(kept.length).toBeLessThan(OBSERVED_EVENTS_MAX / 2);
  expect(observed.getCoveredSince(60)).toBeCloseTo((OBSERVED_EVENTS_MAX - kept.length - 1) / 1000);
});
