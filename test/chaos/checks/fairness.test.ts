import { describe, expect, it } from "vitest";
import { checkFairness } from "./fairness.ts";
import { buildAcquire, buildFault, buildHistory, buildRelease, type EntrySpec } from "./history-builder.ts";

const findViolations = (...history: Parameters<typeof buildHistory>) =>
  checkFairness(buildHistory(...history)).violations;

/** Builds a wait for a fair lock that lasts from `fromMs` to the grant at `toMs`. */
const waited = (token: string, fence: number, fromMs: number, toMs: number): EntrySpec[] =>
  buildAcquire(token, fence, toMs, { waitMs: 6000, kind: "fair", tookMs: toMs - fromMs });
const gaveUp = (token: string, fromMs: number, toMs: number, code = "timeout"): EntrySpec[] => {
  const what = { op: "acquire", token, call: 1, kind: "fair", waitMs: 6000 } as const;
  return [
    { ...what, type: "invoke", atMs: fromMs },
    { ...what, type: "fail", code, atMs: toMs },
  ];
};
const HELD = [buildAcquire("a", 1, 10, { kind: "fair" }), buildRelease("a", 900)];

describe("C6 fairness", () => {
  it("the fairness check passes when waiters are served in order", () => {
    const history = [...HELD, waited("b", 2, 100, 902), buildRelease("b", 910), waited("c", 3, 600, 912)];
    expect(findViolations(...history)).toEqual([]);
    expect(checkFairness(buildHistory(...history)).notes).toEqual([
      "1 grants compared with 1 waiters that were in the queue before",
    ]);
  });

  it("the fairness check reports a client that asked when another one was in the queue, and was served before it", () => {
    const history = [...HELD, waited("c", 2, 600, 902), buildRelease("c", 910), waited("b", 3, 100, 912)];
    expect(findViolations(...history)).toMatchObject([{ what: expect.stringMatching(/^c overtook b/) }]);
  });

  it("the fairness check reports a waiter that was overtaken and gave up", () => {
    const history = [...HELD, waited("c", 2, 600, 902), gaveUp("b", 100, 6100)];
    expect(findViolations(...history)).toMatchObject([{ what: expect.stringContaining("(timeout)") }]);
    expect(findViolations(...HELD, waited("c", 2, 600, 902), gaveUp("b", 100, 800))).toEqual([]);
  });

  it("the fairness check does not judge clients that asked at about the same time", () => {
    const history = [...HELD, waited("c", 2, 400, 902), buildRelease("c", 910), waited("b", 3, 100, 912)];
    expect(findViolations(...history)).toEqual([]);
  });

  it("the fairness check tolerates a waiter that was cut off for half its heartbeat, and not for less", () => {
    const history = (forMs: number) => {
      const partition = buildFault("partition", 700, forMs).map((entry) => ({
        ...entry,
        target: "worker 2",
      }));
      const late = [waited("c", 2, 5000, 5100), buildRelease("c", 5110), waited("w2.1", 3, 100, 5112)];
      return [buildAcquire("a", 1, 10, { kind: "fair" }), ...late, partition];
    };
    expect(findViolations(...history(2500))).toEqual([]);
    expect(findViolations(...history(1000))).toHaveLength(1);
  });

  it("the fairness check does not judge a queue that was lost", () => {
    const history = [...HELD, waited("c", 2, 600, 902), buildRelease("c", 910), waited("b", 3, 100, 912)];
    expect(findViolations(...history, buildFault("flushall", 620))).toEqual([]);
    expect(findViolations(...history, buildFault("script-flush", 620))).toHaveLength(1);
  });

  it("the fairness check judges semaphores, also if the waiter needs more permits", () => {
    for (const kind of ["semaphore", "plain_semaphore"] as const) {
      const ask = (token: string, fence: number, fromMs: number, toMs: number, permits: number) =>
        buildAcquire(token, fence, toMs, { waitMs: 6000, kind, tookMs: toMs - fromMs, permits });
      const many = ask("b", 3, 100, 912, 3);
      expect(findViolations(many, ask("c", 2, 600, 902, 1))).toMatchObject([
        { what: expect.stringMatching(/^c overtook b/) },
      ]);
      expect(findViolations(many, ask("c", 4, 600, 913, 1))).toEqual([]);
    }
  });

  it("the fairness check does not judge plain locks", () => {
    const plain = [waited("c", 2, 600, 902), waited("b", 3, 100, 912)].map((entries) =>
      entries.map((entry) => ({ ...entry, kind: "lock" as const })),
    );
    expect(findViolations(...plain)).toEqual([]);
  });
});
