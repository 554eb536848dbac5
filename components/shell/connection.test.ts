import { expect, it } from "vitest";
import type { Health, MasterHealth } from "@/lib/contract/live.ts";
import { partialOf } from "./connection.ts";

const master = (state: MasterHealth["state"]): MasterHealth => ({
  ...{ name: "10.0.0.1:6379", state, notifications: "on", lagMs: 1 },
  ...{ clockOffsetMs: 0, scannedAt: 1, scanMs: 1 },
});
const health = (...states: MasterHealth["state"][]): Health => ({
  ...{ now: 1, state: "partial", notifications: "on", lagMs: 1, scannedAt: 1, scanMs: 1, locks: 0 },
  masters: states.map(master),
});

it("how much of a target is down is said in numbers", () => {
  expect(partialOf(health("live", "down", "live"))).toBe("1 of 3 masters is down");
  expect(partialOf(health("down", "down", "catching_up"))).toBe("2 of 3 masters are down");
});
