import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ResponseSink } from "./http-exchange.ts";
import { waitUntilDrained } from "./wait-until-drained.ts";

const LIMITS = { bufferedBytesMax: 1000, stalledMsMax: 5000 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.restoreAllMocks().useRealTimers());

/** Creates a sink with `bytes` buffered, whose client reads `bytesPerSecond`. */
function createSink(bytes: number, bytesPerSecond: number) {
  const startedAt = performance.now();
  const state = { isClosed: false, isDrained: false };
  const sink: ResponseSink = {
    write: () => undefined,
    close: () => {
      state.isClosed = true;
    },
    end: () => undefined,
    get bufferedBytes() {
      const seconds = Math.floor((performance.now() - startedAt) / 1000);
      return Math.max(0, bytes - seconds * bytesPerSecond);
    },
    onClose: () => undefined,
  };
  void waitUntilDrained(sink, () => state.isClosed, LIMITS).then(() => {
    state.isDrained = true;
  });
  return state;
}

it("a client that takes nothing is disconnected after the stated time", async () => {
  const state = createSink(10_000, 0);
  await vi.advanceTimersByTimeAsync(4900);
  expect(state).toEqual({ isClosed: false, isDrained: false });
  await vi.advanceTimersByTimeAsync(200);
  expect(state).toEqual({ isClosed: true, isDrained: true });
});

it("a slow client is waited for as long as it takes data", async () => {
  const state = createSink(100_000, 1000);
  await vi.advanceTimersByTimeAsync(98_500);
  expect(state).toEqual({ isClosed: false, isDrained: false });
  await vi.advanceTimersByTimeAsync(1000);
  expect(state).toEqual({ isClosed: false, isDrained: true });
});

it("the time for which this process was blocked is not held against a client", async () => {
  const state = createSink(10_000, 0);
  await vi.advanceTimersByTimeAsync(1000);
  const readClock = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => readClock() + 60_000);
  await vi.advanceTimersByTimeAsync(3000);
  expect(state).toEqual({ isClosed: false, isDrained: false });
  await vi.advanceTimersByTimeAsync(2000);
  expect(state).toEqual({ isClosed: true, isDrained: true });
});

it("a client that has taken enough is not waited for", async () => {
  const state = createSink(1000, 0);
  await vi.advanceTimersByTimeAsync(0);
  expect(state).toEqual({ isClosed: false, isDrained: true });
});
