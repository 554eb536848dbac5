import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { loadPart } from "./load-part.ts";
import { reachability } from "./reachability.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  reachability.set(true);
  vi.useRealTimers();
});

it("a part that failed during an outage is loaded when the server is back", async () => {
  const load = vi.fn().mockRejectedValueOnce(new Error("ChunkLoadError")).mockResolvedValue("part");
  const loaded = loadPart(load)();
  await vi.advanceTimersByTimeAsync(100);
  reachability.set(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(load).toHaveBeenCalledTimes(1);
  reachability.set(true);
  expect(await loaded).toBe("part");
});

it("a part is not requested while the server is unreachable", async () => {
  reachability.set(false);
  const load = vi.fn().mockResolvedValue("part");
  const loaded = loadPart(load)();
  await vi.advanceTimersByTimeAsync(1000);
  expect(load).not.toHaveBeenCalled();
  reachability.set(true);
  expect(await loaded).toBe("part");
});

it("a part that is missing on a reachable server fails", async () => {
  const loaded = expect(loadPart(() => Promise.reject(new Error("gone")))()).rejects.toThrow("gone");
  await vi.advanceTimersByTimeAsync(1000);
  await loaded;
});
