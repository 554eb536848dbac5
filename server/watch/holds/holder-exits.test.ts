import { describe, expect, it } from "vitest";
import { Departures } from "./holder-exits.ts";

const KEY = "lock:a";
const later = () => performance.now() + 1;

function departures(...events: string[]): Departures {
  const counted = new Departures();
  for (const event of events) counted.heard(KEY, event);
  return counted;
}

describe("who left a shared lock", () => {
  it("raises no doubt when as many are missing as left", () => {
    expect(departures("hdel").exceed(KEY, 1, later())).toBe(false);
    expect(departures("zrem", "zrem").exceed(KEY, 2, later())).toBe(false);
    expect(departures("hset", "hincrby", "sadd", "expire").exceed(KEY, 0, later())).toBe(false);
  });

  it.each(["hdel", "srem", "zrem", "zremrangebyscore", "spop", "zpopmin"])(
    "raises doubt when nobody is missing after %s",
    (event) => {
      expect(departures(event).exceed(KEY, 0, later())).toBe(true);
    },
  );

  it("is of one key alone", () => {
    expect(departures("hdel").exceed("lock:b", 0, later())).toBe(false);
  });

  it("counts once", () => {
    const counted = departures("hdel");
    expect(counted.exceed(KEY, 1, later())).toBe(false);
    expect(counted.exceed(KEY, 0, later())).toBe(false);
  });

  it("raises no doubt when it was found missing before Redis told of it", () => {
    const counted = departures();
    expect(counted.exceed(KEY, 1, later())).toBe(false);
    counted.heard(KEY, "hdel");
    expect(counted.exceed(KEY, 0, later())).toBe(false);
    counted.heard(KEY, "hdel");
    expect(counted.exceed(KEY, 0, later())).toBe(true);
  });

  it("that was heard after a look was sent counts for the next one as well", () => {
    const sentAt = performance.now() - 1;
    const counted = departures("hdel");
    expect(counted.exceed(KEY, 0, sentAt)).toBe(true);
    expect(counted.exceed(KEY, 1, later())).toBe(false);
  });
});
