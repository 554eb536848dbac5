import { describe, expect, it } from "vitest";
import { createServerClock } from "./server-clock.ts";

function setup(windowMs?: number) {
  let at = 1000;
  const clock = createServerClock(() => at, windowMs);
  return {
    clock,
    wait(ms: number) {
      at += ms;
    },
  };
}

describe("server clock", () => {
  it("the server clock is unknown before the first message", () => {
    expect(setup().clock.now()).toBeNull();
  });

  it("the server clock advances between messages", () => {
    const { clock, wait } = setup();
    clock.observe(50_000);
    wait(750);
    expect(clock.now()).toBe(50_750);
  });

  it("the server clock follows the least delayed message", () => {
    const { clock, wait } = setup();
    clock.observe(50_000);
    wait(1000);
    clock.observe(50_600); // The message arrives 400 ms after it was sent.
    expect(clock.now()).toBe(51_000);
    wait(1000);
    clock.observe(52_030); // The message arrives 30 ms faster than the first one.
    expect(clock.now()).toBe(52_030);
  });

  it("the server clock drops old offsets and follows a clock that was set back", () => {
    const { clock, wait } = setup(5000);
    clock.observe(50_000);
    for (let i = 0; i < 7; i++) {
      wait(1000);
      clock.observe(40_000 + i * 1000);
    }
    expect(clock.now()).toBe(46_000);
  });

  it("the server clock starts over after a reset", () => {
    const { clock } = setup();
    clock.observe(50_000);
    clock.reset();
    expect(clock.now()).toBeNull();
    clock.observe(20_000);
    expect(clock.now()).toBe(20_000);
  });
});
