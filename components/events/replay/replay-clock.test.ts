import fc from "fast-check";
import { expect, test } from "vitest";
import {
  adaptClock,
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

test("the end of a replay follows the loaded events, and a running clock waits while they load", () => {
  const first = startClock(createStoppedClock(0, 10_000, 0, 1), "loading");
  expect(getReplayPosition(first, 5000)).toBe(0);
  // The range has more events than a replay can contain, so the replay ends early.
  const cut = adaptClock(first, 4000, "loaded", 1000);
  expect(getReplayPosition(cut, 2000)).toBe(1000);
  expect(getReplayPosition(cut, 9000)).toBe(4000);
  expect(adaptClock(cut, 4000, "loaded", 2000)).toBe(cut);
  // The search is narrowed.
  const waiting = adaptClock(cut, 10_000, "loading", 3000);
  expect(getReplayPosition(waiting, 9000)).toBe(2000);
  expect(adaptClock(waiting, 10_000, "loading", 9000)).toBe(waiting);
  const whole = adaptClock(waiting, 10_000, "loaded", 9000);
  expect(getReplayPosition(whole, 12_000)).toBe(5000);
  expect(isReplayAtEnd(whole, 16_999)).toBe(false);
  expect(isReplayAtEnd(whole, 17_000)).toBe(true);
});

test("a replay that is paused or over stays paused when its events are loaded again", () => {
  const waiting = startClock(createStoppedClock(0, 10_000, 0, 1), "loading");
  const over = adaptClock(adaptClock(waiting, 4000, "loaded", 0), 10_000, "loading", 60_000);
  expect(adaptClock(over, 10_000, "loaded", 61_000)).toEqual(createStoppedClock(0, 10_000, 4000, 1));
  const stopped = stopClock(seekClock(waiting, 7000, "loading"), "loading");
  expect(adaptClock(stopped, 10_000, "loaded", 5000)).toBe(stopped);
  // The end moves before the position if the search is widened.
  expect(adaptClock(stopped, 4000, "loaded", 5000)).toEqual(createStoppedClock(0, 4000, 4000, 1));
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
