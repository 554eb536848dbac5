import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Key } from "../../../lib/keys/key.ts";
import { ReadTimeoutError } from "../../redis/failure.ts";
import { CallSize } from "./call-size.ts";
import { KeyReader } from "./key-reader.ts";

let reader: KeyReader | undefined;
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  reader?.stop();
  vi.useRealTimers();
});

interface ReaderInput {
  readonly isAway?: boolean;
  /** Keys whose next read times out. */
  readonly slowOnce?: Set<Key>;
  onOverflow?(): void;
  waitForMessages?(): Promise<void>;
}

/** Creates a reader for a Redis that replies after 1 ms. If `isAway` is set, all reads fail. */
function openReader({
  isAway = false,
  slowOnce = new Set(),
  onOverflow = () => undefined,
  waitForMessages = async () => undefined,
}: ReaderInput = {}) {
  const readings: { key: Key; at: number }[] = [];
  const emitted: Key[] = [];
  const afterFailure: Key[] = [];
  const read = async (keys: readonly Key[]) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (isAway) throw new Error("away");
    const slow = keys.filter((key) => slowOnce.delete(key));
    if (slow.length > 0) throw new ReadTimeoutError(slow);
    readings.push(...keys.map((key) => ({ key, at: performance.now() })));
    return keys.map((key) => ({ state: "free", key, asOf: Date.now() }) as const);
  };
  reader = new KeyReader({
    read,
    readSeparately: (key) => read([key]),
    waitForMessages,
    isResponding: async () => true,
    onReadings: (all) => {
      for (const { observation, wasUnreadable } of all) {
        emitted.push(observation.key);
        if (wasUnreadable) afterFailure.push(observation.key);
      }
    },
    computeRereadDelayMs: () => undefined,
    onOverflow,
    callSize: new CallSize({ least: 4, near: 8, most: 100 }),
  });
  return { reader, readings, emitted, afterFailure };
}

it("a constantly changing key is read some tens of times a second, other keys at once, and the last change is read", async () => {
  const { reader, readings } = openReader();
  const calmMarks = new Map<Key, number>();
  for (let turn = 0; turn < 1000; turn++) {
    reader.enqueueRead("hot");
    if (turn % 50 === 0) {
      reader.enqueueRead(`calm ${turn}`);
      calmMarks.set(`calm ${turn}`, performance.now());
    }
    await vi.advanceTimersByTimeAsync(1);
  }
  const lastMarkAt = performance.now();
  reader.enqueueRead("hot");
  const settled = reader.waitUntilSettled();
  await vi.runAllTimersAsync();
  await settled;
  const hot = readings.filter(({ key }) => key === "hot");
  expect(hot.length).toBeGreaterThan(10);
  // At most five reads per 100 ms, plus one that was enqueued during the fifth.
  expect(hot.length).toBeLessThan(70);
  expect(hot.at(-1)?.at).toBeGreaterThan(lastMarkAt);
  const waits = [...calmMarks].map(
    ([mark, markedAt]) => (readings.find(({ key }) => key === mark)?.at ?? Number.NaN) - markedAt,
  );
  expect(Math.max(...waits)).toBeLessThan(30);
});

it("emits readings after the messages received before their reply", async () => {
  let onProcessed: (() => void) | undefined;
  const waitForMessages = () => new Promise<void>((resolve) => (onProcessed = resolve));
  const { reader, readings, emitted } = openReader({ waitForMessages });
  reader.enqueueRead("queued");
  await vi.advanceTimersByTimeAsync(100);
  expect([readings.length, emitted]).toEqual([1, []]);
  onProcessed?.();
  await vi.advanceTimersByTimeAsync(100);
  const read = reader.readNow("now");
  await vi.advanceTimersByTimeAsync(100);
  expect([readings.length, emitted]).toEqual([2, ["queued"]]);
  onProcessed?.();
  await read;
  expect(emitted).toEqual(["queued", "now"]);
});

it("an observation of a batch that a later read of the key has overtaken is not emitted", async () => {
  const onProcessed: (() => void)[] = [];
  const waitForMessages = () => new Promise<void>((resolve) => void onProcessed.push(resolve));
  const { reader, emitted } = openReader({ waitForMessages });
  for (const key of ["one", "two"]) reader.enqueueRead(key);
  await vi.advanceTimersByTimeAsync(100);
  const read = reader.readNow("one");
  await vi.advanceTimersByTimeAsync(100);
  const [finishBatch, finishRead] = onProcessed;
  finishRead?.();
  await read;
  finishBatch?.();
  await vi.advanceTimersByTimeAsync(100);
  expect(emitted).toEqual(["one", "two"]);
  reader.enqueueRead("one");
  await vi.advanceTimersByTimeAsync(100);
  onProcessed.at(-1)?.();
  await vi.advanceTimersByTimeAsync(100);
  expect(emitted).toEqual(["one", "two", "one"]);
});

it("a reader with too many marked keys drops all marks and reports the overflow", async () => {
  let overflows = 0;
  const { reader } = openReader({ isAway: true, onOverflow: () => overflows++ });
  for (let key = 0; key <= 250_000; key++) reader.enqueueRead(`key ${key}`);
  expect([overflows, reader.queuedCount]).toEqual([1, 0]);
  await reader.waitUntilSettled();
});

it("a cancelled read is not sent, and one that is not cancelled is sent after a delay", async () => {
  const { reader, readings } = openReader();
  reader.enqueueCancellableRead("short");
  reader.enqueueCancellableRead("long");
  await vi.advanceTimersByTimeAsync(10);
  expect([reader.cancelRead("short"), readings.length]).toEqual([true, 0]);
  await vi.advanceTimersByTimeAsync(20);
  expect(readings.map(({ key }) => key)).toEqual(["long"]);
  expect(reader.cancelRead("long")).toBe(false);
});

it("a read with another reason is sent at once and cannot be cancelled", async () => {
  const { reader, readings } = openReader();
  reader.enqueueCancellableRead("a");
  reader.enqueueRead("a");
  reader.enqueueRead("b");
  reader.enqueueCancellableRead("b");
  expect([reader.cancelRead("a"), reader.cancelRead("b")]).toEqual([false, false]);
  await vi.advanceTimersByTimeAsync(2);
  expect(readings.map(({ key }) => key)).toEqual(["a", "b"]);
});

it("a key that is being read is read again", async () => {
  const { reader, readings } = openReader();
  void reader.readNow("direct");
  reader.enqueueRead("queued");
  await vi.advanceTimersByTimeAsync(0);
  for (const key of ["direct", "queued"]) reader.enqueueCancellableRead(key);
  expect([reader.cancelRead("direct"), reader.cancelRead("queued")]).toEqual([false, false]);
  await vi.runAllTimersAsync();
  expect(readings.map(({ key }) => key).sort()).toEqual(["direct", "direct", "queued", "queued"]);
});

it("a direct read makes the delayed read of its key uncancellable", async () => {
  const { reader } = openReader();
  reader.enqueueCancellableRead("a");
  void reader.readNow("a");
  expect(reader.cancelRead("a")).toBe(false);
  await vi.runAllTimersAsync();
});

it("waiting until the reader has settled sends delayed reads at once", async () => {
  const { reader, readings } = openReader();
  reader.enqueueCancellableRead("a");
  const settled = reader.waitUntilSettled();
  await vi.advanceTimersByTimeAsync(2);
  await settled;
  expect(readings.map(({ key }) => key)).toEqual(["a"]);
});

it("a stopped reader returns the keys of delayed reads", () => {
  const { reader } = openReader();
  reader.enqueueCancellableRead("a");
  expect(reader.stop()).toEqual(["a"]);
});

it("a key whose read timed out does not block later waits, even if the key is then gone", async () => {
  const { reader, emitted } = openReader({ slowOnce: new Set(["a"]) });
  reader.enqueueRead("a");
  await vi.advanceTimersByTimeAsync(5000);
  expect(emitted).toEqual(["a"]);
  let isSettled = false;
  void Promise.all([reader.waitUntilSettled(), reader.readQueued()]).then(() => {
    isSettled = true;
  });
  await vi.advanceTimersByTimeAsync(10);
  expect(isSettled).toBe(true);
});

it("of the readings of a key whose read timed out, only the first one is marked with `wasUnreadable`", async () => {
  const { reader, emitted, afterFailure } = openReader({ slowOnce: new Set(["a"]) });
  for (const key of ["a", "b"]) reader.enqueueRead(key);
  await vi.advanceTimersByTimeAsync(5000);
  reader.enqueueRead("a");
  await vi.advanceTimersByTimeAsync(5000);
  expect(emitted.toSorted()).toEqual(["a", "a", "b"]);
  expect(afterFailure).toEqual(["a"]);
});
