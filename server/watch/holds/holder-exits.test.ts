import { describe, expect, it } from "vitest";
import { Departures } from "./holder-exits.ts";

const KEY = "lock:a";
const later = () => performance.now() + 1;

function departures(...events: string[]): Departures {
  const counted = new Departures();
  for (const event of events) counted.heard(KEY, event);
  return counted;
}

describe("HolderExits", () => {
  it("exit events raise no doubt when as many holders are missing as left", () => {
    expect(departures("hdel").exceed(KEY, 1, later())).toBe(false);
    expect(departures("zrem", "zrem").exceed(KEY, 2, later())).toBe(false);
    expect(departures("hset", "hincrby", "sadd", "expire").exceed(KEY, 0, later())).toBe(false);
  });

  it.each(["hdel", "srem", "zrem", "zremrangebyscore", "spop", "zpopmin"])(
    "a %s event raises doubt when no holder is missing",
    (event) => {
      expect(departures(event).exceed(KEY, 0, later())).toBe(true);
    },
  );

  it("exit events of one key raise no doubt about another key", () => {
    expect(departures("hdel").exceed("lock:b", 0, later())).toBe(false);
  });

  it("each exit event is counted once", () => {
    const counted = departures("hdel");
    expect(counted.exceed(KEY, 1, later())).toBe(false);
    expect(counted.exceed(KEY, 0, later())).toBe(false);
  });

  it("an exit event that arrives after its holder was found missing raises no doubt", () => {
    const counted = departures();
    expect(counted.exceed(KEY, 1, later())).toBe(false);
    counted.heard(KEY, "hdel");
    expect(counted.exceed(KEY, 0, later())).toBe(false);
    counted.heard(KEY, "hdel");
    expect(counted.exceed(KEY, 0, later())).toBe(true);
  });

  it("an exit event received after the read was sent also counts for the next read", () => {
    const sentAt = performance.now() - 1;
    const counted = departures("hdel");
    expect(counted.exceed(KEY, 0, sentAt)).toBe(true);
    expect(counted.exceed(KEY, 1, later())).toBe(false);
  });
});
