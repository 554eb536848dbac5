import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import type { Key } from "../../../lib/keys/key.ts";
import { Reader } from "./key-reader.ts";

let reader: Reader | undefined;
afterEach(() => reader?.stop());

interface Around {
  readonly isAway: boolean;
  onOverflow(): void;
}

/** Reads from a Redis that answers within a millisecond. */
function open({ isAway, onOverflow }: Around = { isAway: false, onOverflow: () => undefined }) {
  const readings: { key: Key; at: number }[] = [];
  const read = async (keys: readonly Key[]) => {
    await sleep(1);
    if (isAway) throw new Error("away");
    readings.push(...keys.map((key) => ({ key, at: performance.now() })));
    return keys.map((key) => ({ state: "free", key, asOf: Date.now() }) as const);
  };
  reader = new Reader(
    read,
    () => undefined,
    () => undefined,
    onOverflow,
  );
  return { reader, readings };
}

it("a constantly changing key is read some tens of times a second, other keys at once, and the last change is read", async () => {
  const { reader, readings } = open();
  const startedAt = performance.now();
  const waits: number[] = [];
  for (let turn = 0; performance.now() - startedAt < 1000; turn++) {
    reader.mark("hot");
    if (turn % 50 === 0) {
      const markedAt = performance.now();
      reader.mark(`calm ${turn}`);
      await reader.settled();
      const { at = Number.NaN } = readings.find(({ key }) => key === `calm ${turn}`) ?? {};
      waits.push(at - markedAt);
    }
    await sleep(1);
  }
  const lastMarkAt = performance.now();
  reader.mark("hot");
  await reader.settled();
  const hot = readings.filter(({ key }) => key === "hot");
  expect(hot.length).toBeGreaterThan(10);
  expect(hot.length).toBeLessThan(60);
  expect(hot.at(-1)?.at).toBeGreaterThan(lastMarkAt);
  expect(Math.min(...waits)).toBeLessThan(30);
});

it("a reader with too many marked keys drops all marks and reports the overflow", async () => {
  let overflows = 0;
  const { reader } = open({ isAway: true, onOverflow: () => overflows++ });
  for (let key = 0; key <= 250_000; key++) reader.mark(`key ${key}`);
  expect([overflows, reader.marked]).toEqual([1, 0]);
  await reader.settled();
});
