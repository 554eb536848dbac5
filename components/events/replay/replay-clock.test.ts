import fc from "fast-check";
import { expect, test } from "vitest";
import {
  createStoppedClock,
  getReplayPosition,
  isReplayAtEnd,
  REPLAY_SPEEDS,
  type ReplayClock,
  seekClock,
  setClockSpeed,
  startClock,
  stopClock,
} from "./replay-clock.ts";

test("a replay of six minutes takes six seconds at 60x and restarts when played again", () => {
  const clock = startClock(createStoppedClock(0, 360_000, 0, 60), 1000);
  expect(getReplayPosition(clock, 1500)).toBe(30_000);
  expect(isReplayAtEnd(clock, 6999)).toBe(false);
  expect(isReplayAtEnd(clock, 7000)).toBe(true);
  expect(getReplayPosition(clock, 99_000)).toBe(360_000);
  expect(getReplayPosition(startClock(clock, 99_000), 99_000)).toBe(0);
});

const step = fc.oneof(
  fc.record({ do: fc.constantFrom("play" as const, "stop" as const) }),
  fc.record({ do: fc.constant("seek" as const), to: fc.integer({ min: -50, max: 2000 }) }),
  fc.record({ do: fc.constant("speed" as const), speed: fc.constantFrom(...REPLAY_SPEEDS) }),
);

test("the replay clock stays in its span, stops when paused, and jumps only on a seek", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), step), { maxLength: 20 }), (steps) => {
      let clock: ReplayClock = createStoppedClock(100, 1100, 100, 1);
      let now = 0;
      for (const [waited, each] of steps) {
        const before = getReplayPosition(clock, now);
        now += waited;
        const position = getReplayPosition(clock, now);
        expect(position).toBe(
          clock.runsSince === null ? before : Math.min(1100, before + waited * clock.speed),
        );
        const wasAtEnd = isReplayAtEnd(clock, now);
        if (each.do === "play") clock = startClock(clock, now);
        if (each.do === "stop") clock = stopClock(clock, now);
        if (each.do === "seek") clock = seekClock(clock, each.to, now);
        if (each.do === "speed") clock = setClockSpeed(clock, each.speed, now);
        const after = getReplayPosition(clock, now);
        if (each.do === "seek") expect(after).toBe(Math.min(1100, Math.max(100, each.to)));
        else expect(after).toBe(each.do === "play" && wasAtEnd ? 100 : position);
      }
    }),
  );
});
