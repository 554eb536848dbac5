import { describe, expect, it } from "vitest";
import { KeyCycle } from "./key-cycle.ts";

const listKeys = (lane: number, lanes: number, count: number) => {
  const cycle = new KeyCycle("lock:bench", lane, lanes);
  return Array.from({ length: count }, () => cycle.next());
};

describe("KeyCycle", () => {
  it("repeats its keys after its share of 4,096", () => {
    const keys = listKeys(0, 256, 17);
    expect(new Set(keys).size).toBe(16);
    expect(keys[16]).toBe(keys[0]);
    expect(new Set(listKeys(0, 1, 5000)).size).toBe(4096);
  });

  it("never uses the key of another connection", () => {
    const lanes = Array.from({ length: 256 }, (_, lane) => new Set(listKeys(lane, 256, 100)));
    const all = lanes.flatMap((keys) => [...keys]);
    expect(new Set(all).size).toBe(all.length);
  });

  it("has at least one key, however many connections there are", () => {
    expect(listKeys(9999, 10_000, 2)).toEqual(["lock:bench:9999:0", "lock:bench:9999:0"]);
  });
});
