import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Key } from "../../../lib/keys/key.ts";
import type { Observation } from "../../formats/observation.ts";
import { ReadTimeoutError } from "../../redis/failure.ts";
import { SlowKeys } from "./slow-keys.ts";

let slowKeys: SlowKeys | undefined;
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  slowKeys?.stop();
  vi.useRealTimers();
});

/** Creates the slow keys of a master whose reads of `stuck` keys time out after 1 s. */
function openSlowKeys({ stuck, isResponding = true }: { stuck: Set<Key>; isResponding?: boolean }) {
  const tries: { key: Key; at: number }[] = [];
  const seen: Observation[] = [];
  const readSeparately = async (key: Key) => {
    tries.push({ key, at: performance.now() });
    if (!stuck.has(key)) return [{ state: "free", key, asOf: 1 } as const];
    await new Promise((resolve) => setTimeout(resolve, 1000));
    throw new ReadTimeoutError([key]);
  };
  slowKeys = new SlowKeys({
    readSeparately,
    isResponding: async () => isResponding,
    onRead: (observations) => seen.push(...observations),
  });
  return { slowKeys, tries, seen };
}

it("the pauses between reads of a slow key double up to a minute, and it is unreadable after three timeouts", async () => {
  const { slowKeys, tries, seen } = openSlowKeys({ stuck: new Set(["a"]) });
  slowKeys.add("a");
  await vi.advanceTimersByTimeAsync(300_000);
  const pauses = tries.slice(1).map(({ at }, index) => Math.round((at - (tries[index]?.at ?? 0)) / 1000) - 1);
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  expect(seen).toHaveLength(tries.length - 2);
  expect(seen[0]).toMatchObject({ state: "unreadable", reason: "timeout" });
});

it("changes shorten the pauses to a quarter, however many they are", async () => {
  const { slowKeys, tries } = openSlowKeys({ stuck: new Set(["a"]) });
  slowKeys.add("a");
  for (let ms = 0; ms < 300_000; ms += 10) {
    slowKeys.takeChange("a");
    await vi.advanceTimersByTimeAsync(10);
  }
  const pauses = tries.slice(1).map(({ at }, index) => Math.round(at - (tries[index]?.at ?? 0)) - 1000);
  expect(pauses.at(-1)).toBeGreaterThanOrEqual(15_000);
  expect(tries.length).toBeLessThan(30);
});

it("a slow key that can be read again is read and leaves the list", async () => {
  const stuck = new Set(["a"]);
  const { slowKeys, seen } = openSlowKeys({ stuck });
  slowKeys.add("a");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(slowKeys.describe("a")).toMatchObject({ state: "unreadable", reason: "timeout" });
  stuck.clear();
  slowKeys.takeChange("a");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(seen.at(-1)).toMatchObject({ state: "free", key: "a" });
  expect([...slowKeys.keys]).toEqual([]);
  expect(slowKeys.takeChange("a")).toBe(false);
});

it("no key is unreadable while Redis does not respond at all", async () => {
  const { slowKeys, seen } = openSlowKeys({ stuck: new Set(["a"]), isResponding: false });
  slowKeys.add("a");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen).toEqual([]);
});

it("slow keys are read one at a time", async () => {
  const { slowKeys, tries } = openSlowKeys({ stuck: new Set(["a", "b"]) });
  slowKeys.add("a");
  slowKeys.add("b");
  await vi.advanceTimersByTimeAsync(60_000);
  const gaps = tries.slice(1).map(({ at }, index) => at - (tries[index]?.at ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);
});
