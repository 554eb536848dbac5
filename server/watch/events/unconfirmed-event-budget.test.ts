import { describe, expect, it } from "vitest";
import { createForeignHolder, type HeldObservation } from "../../formats/observation.ts";
import {
  UNCONFIRMED_EVENTS_BURST,
  UNCONFIRMED_EVENTS_PER_S,
  UnconfirmedEventBudget,
} from "./unconfirmed-event-budget.ts";

const FENCE = "1795216496123456";

const buildHeld = (fence: string, seq: number): Pick<HeldObservation, "holders"> => ({
  holders: [{ ...createForeignHolder("me"), fence, seq }],
});

/** Takes tokens until none is left or `most` tokens have been taken. @returns the number of tokens taken */
function takeAll(budget: UnconfirmedEventBudget, now: number, most = 2 * UNCONFIRMED_EVENTS_BURST): number {
  let taken = 0;
  while (taken < most && budget.take({ key: `lock:${taken}`, fence: FENCE, seq: 1 }, now)) taken++;
  return taken;
}

describe("the budget of unconfirmed events", () => {
  it("events that no read confirms are reported up to a burst, then at a rate", () => {
    const budget = new UnconfirmedEventBudget();
    expect(takeAll(budget, 0)).toBe(UNCONFIRMED_EVENTS_BURST);
    expect(takeAll(budget, 500)).toBe(UNCONFIRMED_EVENTS_PER_S / 2);
    expect(takeAll(budget, 1e9)).toBe(UNCONFIRMED_EVENTS_BURST);
  });

  it("events of holds that a later read shows cost nothing", () => {
    const budget = new UnconfirmedEventBudget();
    for (let n = 1; n <= 3 * UNCONFIRMED_EVENTS_BURST; n++) {
      expect(budget.take({ key: "lock:a", fence: FENCE, seq: n }, 0)).toBe(true);
      if (n % 100 === 0) budget.confirm("lock:a", buildHeld(FENCE, n), 0);
    }
    expect(takeAll(budget, 0)).toBe(UNCONFIRMED_EVENTS_BURST);
  });

  it.each<[string, Pick<HeldObservation, "holders"> | undefined, number]>([
    ["shows a free key", undefined, 1],
    ["shows another hold", buildHeld("1795216496999999", 9), 1],
    ["shows the hold before the event", buildHeld(FENCE, 1), 1],
    ["was sent before the event", buildHeld(FENCE, 2), -1],
  ])("a read that %s confirms no event", (_, seen, sentAt) => {
    const budget = new UnconfirmedEventBudget();
    budget.take({ key: "lock:a", fence: FENCE, seq: 2 }, 0);
    budget.confirm("lock:a", seen, sentAt);
    expect(takeAll(budget, 0)).toBe(UNCONFIRMED_EVENTS_BURST - 1);
  });

  it("events without a fencing token are never confirmed", () => {
    const budget = new UnconfirmedEventBudget();
    budget.take({ key: "lock:a", fence: null, seq: 0 }, 0);
    budget.confirm("lock:a", { holders: [createForeignHolder("me")] }, 1);
    expect(takeAll(budget, 0)).toBe(UNCONFIRMED_EVENTS_BURST - 1);
  });
});
