import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import type { Key } from "../../../lib/keys/key.ts";
import { KeyReader } from "./key-reader.ts";

let reader: KeyReader | undefined;
afterEach(() => reader?.stop());

interface ReaderInput {
  readonly isAway: boolean;
  onOverflow(): void;
}

/** Reads from a Redis that answers within a millisecond. */
function openReader({ isAway, onOverflow }: ReaderInput = { isAway: false, onOverflow: () => undefined }) {
  const readings: { key: Key; at: number }[] = [];
  const read = async (keys: readonly Key[]) => {
    await sleep(1);
    if (isAway) throw new Error("away");
    readings.push(...keys.map((key) => ({ key, at: performance.now() })));
    return keys.map((key) => ({ state: "free", key, asOf: Date.now() }) as const);
  };
  reader = new KeyReader(
    read,
    () => undefined,
    () => undefined,
    onOverflow,
  );
  return { reader, readings };
}

it("a constantly changing key is read some tens of times a second, other keys at once, and the last change is read", async () => {
  const { reader, readings } = openReader();
  const startedAt = performance.now();
  const waits: number[] = [];
  for (let turn = 0; performance.now() - startedAt < 1000; turn++) {
    reader.enqueueRead("hot");
    if (turn % 50 === 0) {
      const markedAt = performance.now();
      reader.enqueueRead(`calm ${turn}`);
      await reader.waitUntilSettled();
      const { at = Number.NaN } = readings.find(({ key }) => key === `calm ${turn}`) ?? {};
      waits.push(at - markedAt);
    }
    await sleep(1);
  }
  const lastMarkAt = performance.now();
  reader.enqueueRead("hot");
  await reader.waitUntilSettled();
  const hot = readings.filter(({ key }) => key === "hot");
  expect(hot.length).toBeGreaterThan(10);
  expect(hot.length).toBeLessThan(60);
  expect(hot.at(-1)?.at).toBeGreaterThan(lastMarkAt);
  expect(Math.min(...waits)).toBeLessThan(30);
});

it("a reader with too many marked keys drops all marks and reports the overflow", async () => {
  let overflows = 0;
  const { reader } = openReader({ isAway: true, onOverflow: () => overflows++ });
  for (let key = 0; key <= 250_000; key++) reader.enqueueRead(`key ${key}`);
  expect([overflows, reader.queuedCount]).toEqual([1, 0]);
  await reader.waitUntilSettled();
});
