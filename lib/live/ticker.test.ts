import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createTicker } from "./ticker.ts";

function setup() {
  let now = 1000;
  let told = 0;
  const ticker = createTicker(() => now, 250);
  return {
    ticker,
    subscribe: () => ticker.subscribe(() => told++),
    told: () => told,
    async wait(ms: number) {
      now += ms;
      await vi.advanceTimersByTimeAsync(ms);
    },
  };
}

describe("createTicker", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("tells all of the same moment, until nobody listens", async () => {
    const { ticker, subscribe, told, wait } = setup();
    const leave = subscribe();
    await wait(500);
    expect(told()).toBe(2);
    expect(ticker.read()).toBe(1500);
    leave();
    await wait(500);
    expect(told()).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("tells nothing while it rests, and the present moment as it wakes up", async () => {
    const { ticker, subscribe, told, wait } = setup();
    subscribe();
    ticker.rest(true);
    await wait(60_000);
    expect(told()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    ticker.rest(false);
    expect(told()).toBe(1);
    expect(ticker.read()).toBe(61_000);
    await wait(250);
    expect(told()).toBe(2);
  });

  it("does not begin to tick for who comes while it rests", async () => {
    const { ticker, subscribe, told, wait } = setup();
    ticker.rest(true);
    subscribe();
    await wait(1000);
    expect(told()).toBe(0);
    ticker.rest(false);
    await wait(250);
    expect(told()).toBe(2);
  });
});
