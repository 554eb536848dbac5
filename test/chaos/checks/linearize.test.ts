import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyzeHistory } from "../history/analyzed-history.ts";
import type { Entry } from "../history/entry.ts";
import { linearize, type Model, type Operation } from "./linearize.ts";
import { listCalls, listLeases } from "./lock-calls.ts";
import type { Call } from "./lock-losses.ts";
import {
  applyAnonymousGrant,
  applyRefusal,
  applyWipe,
  createDenialStep,
  createGrantStep,
  createLockModel,
  createPossibleReentryStep,
  createReentryStep,
  createReleaseStep,
  createRenewalStep,
  type Lock,
} from "./lock-model.ts";
import { findMinimalCore } from "./minimal-core.ts";
import { simulateHistory } from "./simulated-history.ts";

const ENOUGH = 1_000_000;
const SMALL = { contexts: 3, leaseMs: 20, workMs: 60 };

function createSearch(entries: readonly Entry[]) {
  const history = analyzeHistory(entries);
  const leases = listLeases(history.claims, history);
  return [listCalls(history.claims, history), createLockModel(leases), leases] as const;
}

/** Returns the calls that make a history impossible, with all other calls marked as possible. */
function formatShown(entries: readonly Entry[]): [Call[], Model<Lock>] {
  const [calls, model, leases] = createSearch(entries);
  const found = linearize(calls, model, ENOUGH);
  const shown = found.outcome === "impossible" ? findMinimalCore(calls, found.stuck, leases) : [];
  const rest = calls.filter((call) => !shown.includes(call) && call.does === "changes");
  return [[...shown, ...rest.map((call) => ({ ...call, was: "maybe" as const }))], model];
}

/**
 * Returns whether the model allows any order of the operations, by trying all of them. Certain operations must happen
 * between their call and their answer, and uncertain operations may or may not happen.
 */
function hasOrder<State>(operations: readonly Operation<State>[], model: Model<State>): boolean {
  const isLate = (left: readonly Operation<State>[], now: number) =>
    left.some(({ was, answer }) => was === "done" && answer < now);
  const goOn = (state: State, left: readonly Operation<State>[], now: number): boolean => {
    if (isLate(left, now)) return false;
    if (left.every(({ was }) => was === "maybe")) return true;
    const drifted = model
      .listDrifts(state)
      .some(({ from, state: next }) => goOn(next, left, Math.max(now, from)));
    return (
      drifted ||
      left.some((operation) => {
        const then = Math.max(now, operation.call);
        const next = then <= operation.answer ? operation.step(state) : undefined;
        return (
          next !== undefined &&
          goOn(
            next,
            left.filter((other) => other !== operation),
            then,
          )
        );
      })
    );
  };
  return model.first.some((state) => goOn(state, operations, Number.NEGATIVE_INFINITY));
}

/** Returns the history with one reply replaced by a wrong one. */
function corrupted(entries: readonly Entry[], at: number, how: number): Entry[] {
  const index = at % Math.max(1, entries.length);
  const answered = entries[index];
  if (answered === undefined || answered.type === "invoke") return [...entries];
  const wrong: Partial<Entry>[] = [
    { count: (answered.count ?? 0) + 1 },
    { count: Math.max(0, (answered.count ?? 0) - 1) },
    { fence: String(Math.max(0, Number(answered.fence ?? 0) - 1)) },
    { fence: String(Number(answered.fence ?? 0) + 2) },
    { code: answered.code === "released" ? "not_held" : "released" },
    answered.op === "acquire" ? { type: "fail", code: "held" } : {},
    answered.op === "reenter" ? { type: "fail", code: "lost" } : {},
    { t: answered.t - 4_000_000 },
    { deadline: (answered.deadline ?? 0) + 20_000_000 },
  ];
  const changed = { ...answered, ...wrong[how % wrong.length] };
  return entries.with(index, changed).sort((one, other) => one.t - other.t);
}

describe("search for a linearization", () => {
  it("the search agrees with brute force on histories of a correct lock and on corrupted ones", () => {
    const found = { linearizable: 0, impossible: 0 };
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), fc.integer({ min: 4, max: 9 }), (seed, at, how, calls) => {
        const whole = simulateHistory({ ...SMALL, seed, forMs: 60, lost: 0.3, wipes: "some" });
        const entries = getHead(whole, calls);
        for (const each of [entries, corrupted(entries, at, how)]) {
          const [operations, model] = createSearch(each);
          const { outcome } = linearize(operations, model, ENOUGH);
          if (each === entries) expect(outcome).toBe("linearizable");
          expect(outcome).toBe(hasOrder(operations, model) ? "linearizable" : "impossible");
          if (outcome !== "undecided") found[outcome]++;
          if (outcome === "impossible") expect(hasOrder(...formatShown(each))).toBe(false);
        }
      }),
      // The seed is fixed, because the number of impossible histories depends on it.
      { numRuns: 400, seed: 2026 },
    );
    expect(found.impossible).toBeGreaterThan(20);
  });

  it("the search tries equivalent calls in the order of their completion", () => {
    const unheard = { was: "maybe", does: "changes", kind: "unheard", step: applyAnonymousGrant } as const;
    const look = { was: "done", does: "looks", step: applyRefusal } as const;
    const operations: Operation<Lock>[] = [
      { ...unheard, call: 0, answer: 20 },
      { ...unheard, call: 0, answer: 5 },
      { ...look, call: 1, answer: 2 },
      { was: "done", does: "changes", call: 3, answer: 4, step: createGrantStep("b", 1, 1n) },
      { was: "done", does: "changes", call: 6, answer: 7, step: createReleaseStep("b", 0) },
      { ...look, call: 8, answer: 9 },
    ];
    expect(linearize(operations, createLockModel([]), ENOUGH).outcome).toBe("linearizable");
    const third = { ...look, call: 12, answer: 13 };
    const taken = {
      was: "done",
      does: "changes",
      call: 10,
      answer: 11,
      step: createGrantStep("c", 1, 2n),
    } as const;
    const back = { ...taken, call: 11.2, answer: 11.5, step: createReleaseStep("c", 0) };
    expect(linearize([...operations, taken, back, third], createLockModel([]), ENOUGH)).toMatchObject({
      outcome: "impossible",
      stuck: third,
    });
  });

  it("the number of search steps grows linearly with the entries", () => {
    const entries = simulateHistory({ seed: 1, contexts: 21, forMs: 120_000, lost: 0.02, wipes: "some" });
    const [operations, model] = createSearch(entries);
    expect(operations.length).toBeGreaterThan(5000);
    expect(linearize(operations, model, 10 * operations.length).outcome).toBe("linearizable");
  });

  it("the search returns undecided when it reaches its step limit", () => {
    const [operations, model] = createSearch(
      simulateHistory({ ...SMALL, seed: 1, forMs: 2000, lost: 0.3, wipes: "some" }),
    );
    expect(linearize(operations, model, 5).outcome).toBe("undecided");
  });

  it("the search agrees with brute force on arbitrary unrelated calls", () => {
    const found = { linearizable: 0, impossible: 0, undecided: 0 };
    fc.assert(
      fc.property(fc.array(operation, { minLength: 2, maxLength: 6 }), leases, (operations, ends) => {
        const model = createLockModel(ends);
        const { outcome } = linearize(operations, model, ENOUGH);
        expect(outcome).toBe(hasOrder(operations, model) ? "linearizable" : "impossible");
        found[outcome]++;
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(found.linearizable, found.impossible)).toBeGreaterThan(100);
  });
});

const times = fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 6 }));
const who = fc.constantFrom("a", "b");
const what = fc.oneof(
  fc.record({ token: who, count: fc.integer({ min: 1, max: 2 }), fence: fc.integer({ min: 1, max: 3 }) }),
  fc.constant({ does: "looks" as const, step: applyRefusal }),
  who.map((token) => ({ does: "looks" as const, step: createDenialStep(token) })),
  who.map((token) => ({ does: "looks" as const, step: createRenewalStep(token) })),
  fc
    .tuple(who, fc.integer({ min: 0, max: 1 }))
    .map(([token, left]) => ({ step: createReleaseStep(token, left) })),
  who.map((token) => ({ was: "maybe" as const, step: createPossibleReentryStep(token) })),
  who.map((token) => ({ was: "maybe" as const, step: createReleaseStep(token) })),
  fc.constant({ was: "maybe" as const, kind: "unheard", step: applyAnonymousGrant }),
  fc.constant({ was: "maybe" as const, kind: "wipe", step: applyWipe }),
);
const operation = fc.tuple(times, what).map(([[call, forMs], of]): Operation<Lock> => {
  const place = { call, answer: call + forMs, was: "done", does: "changes" } as const;
  if (!("token" in of)) return { ...place, ...of };
  const { token, count, fence } = of;
  if (count > 1) return { ...place, step: createReentryStep(token, count, BigInt(fence)) };
  return { ...place, rank: BigInt(fence), step: createGrantStep(token, count, BigInt(fence)) };
});
const leases = fc.array(
  fc.record({ token: who, fence: fc.constantFrom(1n, 2n), mayEndAt: fc.integer({ min: 2, max: 12 }) }),
  { maxLength: 2 },
);

/**
 * Returns the beginning of the history with the given number of calls. Some of these calls may not have a reply yet.
 */
function getHead(entries: readonly Entry[], calls: number): Entry[] {
  let made = 0;
  const end = entries.findIndex(({ type, op }) => type === "invoke" && op !== "fault" && ++made > calls);
  return end < 0 ? [...entries] : entries.slice(0, end);
}
