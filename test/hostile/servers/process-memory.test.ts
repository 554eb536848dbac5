import { expect, it } from "vitest";
import { parseResidentMemory, readResidentMemory } from "./process-memory.ts";

it("resident memory and its peak are read in bytes", () => {
  const status = "Name:\tnode\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\nThreads:\t1\n";
  expect(parseResidentMemory(status)).toEqual({ currentBytes: 1024 * 1024, peakBytes: 2048 * 1024 });
});

it("a process that has ended has no resident memory", () => {
  expect(parseResidentMemory("Name:\tnode\nState:\tZ (zombie)\n")).toBeUndefined();
  expect(readResidentMemory(2 ** 30)).toBeUndefined();
});
