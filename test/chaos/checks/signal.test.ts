import { describe, expect, it } from "vitest";
import { signal } from "./signal.ts";
import { asserted, gave, happened, lost, stepped, told, took } from "./told.ts";

const violationsOf = (...history: Parameters<typeof told>) => signal(told(...history)).violations;

describe("C7 loss signals", () => {
  it("the loss check passes when the signal comes at the deadline and later checks report the loss", () => {
    const history = [took("a", 1, 10), lost("a", 1010), asserted("a", 1020, "fail"), took("b", 2, 1015)];
    expect(violationsOf(...history, gave("a", 2000, { code: "not_held" }))).toEqual([]);
  });

  it("the loss check reports an assertHeld that succeeds after another owner was granted the lock", () => {
    const history = [took("a", 1, 10), took("b", 2, 1015), asserted("a", 1016), lost("a", 1020)];
    expect(violationsOf(...history)).toMatchObject([
      { what: "a was told that it holds it 1.0 ms after b was granted it" },
    ]);
  });

  it("the loss check reports a running process that gets no loss signal, or a late one", () => {
    const runs = { op: "assert", type: "fail", owner: "a", claim: 9, atMs: 2500 } as const;
    expect(violationsOf(took("a", 1, 10), took("b", 2, 1015), runs)).toHaveLength(1);
    expect(violationsOf(took("a", 1, 10), took("b", 2, 1015), lost("a", 1800), runs)).toHaveLength(1);
  });

  it("the loss check excuses a paused process and a killed one", () => {
    const stall = { op: "stall", type: "info", process: "a", atMs: 900, forMs: 900 } as const;
    expect(violationsOf(took("a", 1, 10), stall, took("b", 2, 1015), lost("a", 1800))).toEqual([]);
    expect(violationsOf(took("a", 1, 10), took("b", 2, 1015))).toEqual([]);
  });

  it("the loss check excuses a missing signal after the data was lost", () => {
    const history = [took("a", 1, 10), happened("flushall", 100), took("b", 2, 200), asserted("a", 300)];
    expect(violationsOf(...history)).toEqual([]);
  });

  it("the loss check reports a false alarm, except after data loss or a clock step", () => {
    expect(violationsOf(took("a", 1, 10), lost("a", 300))).toHaveLength(1);
    expect(violationsOf(took("a", 1, 10), happened("restart-server", 100), lost("a", 300))).toEqual([]);
    const mine = took("a", 1, 10).map((entry) => ({ ...entry, process: "w3.1" }));
    const stepped = happened("clock-step", 100, 50).map((entry) => ({ ...entry, target: "worker 3" }));
    expect(violationsOf(mine, stepped, { ...lost("a", 300), process: "w3.1" })).toEqual([]);
  });

  it("the loss check skips holds that were released", () => {
    expect(violationsOf(took("a", 1, 10), gave("a", 20), took("b", 2, 30), asserted("b", 1500))).toEqual([]);
  });

  it("the loss check excuses early and missing signals up to the forward step of a server clock", () => {
    const alarm = [took("a", 1, 10), lost("a", 300)];
    expect(violationsOf(...alarm, stepped(800, 100, 100))).toEqual([]);
    expect(violationsOf(...alarm, stepped(600, 100, 100))).toHaveLength(1);
    const trusting = [took("a", 1, 10), took("b", 2, 300), asserted("a", 400)];
    expect(violationsOf(...trusting, stepped(800, 100, 100))).toEqual([]);
    expect(violationsOf(...trusting, stepped(600, 100, 100))).toHaveLength(1);
  });
});
