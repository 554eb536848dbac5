import { expect, it } from "vitest";
import { getProcessSlot, isOverHttp } from "./process-slot.ts";

it.each([
  ["w3.2", "worker 3", false],
  ["h6.1", "worker 6", true],
  ["api1.12", "api 1", false],
  ["harness", undefined, false],
  ["resource", undefined, false],
])("the process %s belongs to %s", (process, slot, isHttp) => {
  expect(getProcessSlot(process)).toBe(slot);
  expect(isOverHttp({ process })).toBe(isHttp);
});
