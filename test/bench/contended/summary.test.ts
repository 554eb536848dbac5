import { expect, test } from "vitest";
import type { HoldTimes } from "./messages.ts";
import { summarizeHolds } from "./summary.ts";

/** The holds of two workers that hold the lock alternately for 10 ms each. */
const TURNS: HoldTimes[][] = [
  [
    [0, 0, 10],
    [10, 20, 30],
  ],
  [
    [0, 10, 20],
    [20, 30, 40],
  ],
];

test("grants are those of the time measured, waits also those that ended later", () => {
  expect(summarizeHolds(TURNS, 25)).toEqual({
    grants: 4,
    grantsPerSecond: 120,
    handOversPerSecond: 80,
    p50WaitMs: 10,
    p99WaitMs: 10,
    largestWaitMs: 10,
    fairShareMs: (2 / 120) * 1000,
    starved: 0,
    overlaps: 0,
  });
});

test("a hold that begins before another one ends is an overlap", () => {
  const [one = [], other = []] = TURNS;
  expect(summarizeHolds([one, [...other, [20, 25, 26]]], 25).overlaps).toBe(1);
  expect(summarizeHolds([[[0, 0, 100]], [[0, 10, 20]], [[0, 50, 60]]], 25).overlaps).toBe(2);
});

test("a worker that is granted the lock only after the others have stopped has starved", () => {
  const starved = summarizeHolds([...TURNS, [[0, 40, 50]]], 25);
  expect(starved).toMatchObject({ starved: 1, largestWaitMs: 40, p99WaitMs: 40 });
});
