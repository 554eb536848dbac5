import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HolderExits } from "./holder-exits.ts";

const KEY = "lock:a";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

const getLaterTime = () => performance.now() + 1;

function createHolderExits(...events: string[]): HolderExits {
  const counted = new HolderExits();
  for (const event of events) counted.recordEvent(KEY, event);
  return counted;
}

describe("HolderExits", () => {
  it("exit events raise no doubt when as many holders are missing as left", () => {
    expect(createHolderExits("hdel").exceedsMissing(KEY, 1, getLaterTime())).toBe(false);
    expect(createHolderExits("zrem", "zrem").exceedsMissing(KEY, 2, getLaterTime())).toBe(false);
    expect(
      createHolderExits("hset", "hincrby", "sadd", "expire").exceedsMissing(KEY, 0, getLaterTime()),
    ).toBe(false);
  });

  it.each(["hdel", "srem", "zrem", "zremrangebyscore", "spop", "zpopmin"])(
    "a %s event raises doubt when no holder is missing",
    (event) => {
      expect(createHolderExits(event).exceedsMissing(KEY, 0, getLaterTime())).toBe(true);
    },
  );

  it("exit events of one key raise no doubt about another key", () => {
    expect(createHolderExits("hdel").exceedsMissing("lock:b", 0, getLaterTime())).toBe(false);
  });

  it("each exit event is counted once", () => {
    const counted = createHolderExits("hdel");
    expect(counted.exceedsMissing(KEY, 1, getLaterTime())).toBe(false);
    expect(counted.exceedsMissing(KEY, 0, getLaterTime())).toBe(false);
  });

  it("an exit event that arrives after its holder was found missing raises no doubt", () => {
    const counted = createHolderExits();
    expect(counted.exceedsMissing(KEY, 1, getLaterTime())).toBe(false);
    counted.recordEvent(KEY, "hdel");
    expect(counted.exceedsMissing(KEY, 0, getLaterTime())).toBe(false);
    counted.recordEvent(KEY, "hdel");
    expect(counted.exceedsMissing(KEY, 0, getLaterTime())).toBe(true);
  });

  it("an exit event received after the read was sent also counts for the next read", () => {
    const sentAt = performance.now() - 1;
    const counted = createHolderExits("hdel");
    expect(counted.exceedsMissing(KEY, 0, sentAt)).toBe(true);
    expect(counted.exceedsMissing(KEY, 1, getLaterTime())).toBe(false);
  });
});
