import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createTicker } from "./ticker.ts";

function setup() {
  let now = 1000;
  let notified = 0;
  const ticker = createTicker(() => now, 250);
  return {
    ticker,
    subscribe: () => ticker.subscribe(() => notified++),
    notified: () => notified,
    async wait(ms: number) {
      now += ms;
      await vi.advanceTimersByTimeAsync(ms);
    },
  };
}

describe("ticker", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("the ticker notifies all listeners of the same time until none is left", async () => {
    const { ticker, subscribe, notified, wait } = setup();
    const leave = subscribe();
    await wait(500);
    expect(notified()).toBe(2);
    expect(ticker.read()).toBe(1500);
    leave();
    await wait(500);
    expect(notified()).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("a resting ticker sends nothing and notifies once when it wakes up", async () => {
    const { ticker, subscribe, notified, wait } = setup();
    subscribe();
    ticker.rest(true);
    await wait(60_000);
    expect(notified()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    ticker.rest(false);
    expect(notified()).toBe(1);
    expect(ticker.read()).toBe(61_000);
    await wait(250);
    expect(notified()).toBe(2);
  });

  it("a resting ticker does not start for a new listener", async () => {
    const { ticker, subscribe, notified, wait } = setup();
    ticker.rest(true);
    subscribe();
    await wait(1000);
    expect(notified()).toBe(0);
    ticker.rest(false);
    await wait(250);
    expect(notified()).toBe(2);
  });
});
