import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createForeignHolder, type HeldObservation } from "../../formats/observation.ts";
import { updateHold } from "../holds/continuity.ts";
import type { ObservationContext } from "../holds/holder-matcher.ts";
import { describeLiveness } from "../holds/liveness.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { formatHoldEvidence, restoreHold } from "./hold-evidence.ts";

const NOW = 1_790_000_000_000;
const LEASE_MS = 30_000;
const WATCHED: ObservationContext = { wasGone: false, since: "exact", continuityId: "1" };
const RESTARTED: ObservationContext = { wasGone: false, since: "at_least", continuityId: "2" };

interface ReadingInput {
  readonly at: number;
  readonly endsAt: number | null;
  readonly owners?: readonly [string, ...string[]];
  readonly format?: "redisson" | "medallion";
}

function buildObservation({ at, endsAt, owners = ["uuid:1"], format = "redisson" }: ReadingInput) {
  const [first, ...others] = owners;
  return {
    ...({ state: "held", key: "lock:a", type: "hash", kind: "lock", confidence: "certain" } as const),
    ...{ format, candidates: [], asOf: NOW + at },
    remainingMs: endsAt === null ? null : endsAt - at,
    holders: [createForeignHolder(first), ...others.map((owner) => createForeignHolder(owner))],
  } satisfies HeldObservation;
}

function watch(readings: readonly ReadingInput[]): ObservedHold {
  let hold: ObservedHold | undefined;
  let epoch = 0;
  for (const reading of readings) hold = updateHold(hold, buildObservation(reading), WATCHED, () => ++epoch);
  if (hold === undefined) throw new Error("no readings");
  return hold;
}

/** Returns the hold that another process restores from the text and then observes with the reading. */
function readAfterRestart(text: string, reading: ReadingInput): ObservedHold {
  const observation = buildObservation(reading);
  return updateHold(
    restoreHold(text, observation, () => 7),
    observation,
    RESTARTED,
    () => 8,
  );
}

/** Returns the readings of a hold that begins at 0 ms and is renewed at the given times. */
const steady = (...times: readonly number[]): ReadingInput[] => [
  { at: 0, endsAt: LEASE_MS },
  ...times.map((at) => ({ at, endsAt: at + LEASE_MS })),
];

describe("restored hold", () => {
  it("an unchanged deadline keeps everything: an overdue holder is overdue at the first reading", () => {
    const before = watch([...steady(10_000, 20_000, 30_000), { at: 46_000, endsAt: 60_000 }]);
    expect(describeLiveness(before).state).toBe("overdue");
    const after = readAfterRestart(formatHoldEvidence(before), { at: 50_000, endsAt: 60_000 });
    expect(describeLiveness(after)).toEqual({
      ...describeLiveness(before),
      ...{ watchedMs: 50_000, missedRenewals: 1 },
    });
    expect(after.holders[0]).toMatchObject({ firstSeenMs: NOW, since: "exact" });
  });

  it("a deadline on schedule is a renewal meanwhile, and any other one a new hold of the same owner", () => {
    const text = formatHoldEvidence(watch(steady(10_000, 20_000, 30_000)));
    const renewed = readAfterRestart(text, { at: 58_000, endsAt: 50_200 + LEASE_MS });
    expect(describeLiveness(renewed)).toMatchObject({
      ...{ state: "alive", renewals: 4, lastRenewalAt: NOW + 50_200, renewalIntervalMs: 10_000 },
    });
    expect(renewed.holders[0]).toMatchObject({ firstSeenMs: NOW, since: "exact" });
    const other = readAfterRestart(text, { at: 58_000, endsAt: 55_000 + LEASE_MS });
    expect(describeLiveness(other)).toMatchObject({ state: "unknown", renewals: 0, watchedMs: 0 });
    expect(other.holders[0]).toMatchObject({ firstSeenMs: NOW + 58_000, since: "at_least" });
  });

  it("an owner string that never recurs is the same hold, whatever its deadline", () => {
    const format = "medallion";
    const text = formatHoldEvidence(
      watch(steady(10_000, 20_000, 30_000).map((each) => ({ ...each, format }))),
    );
    const after = readAfterRestart(text, { at: 58_000, endsAt: 55_000 + LEASE_MS, format });
    expect(describeLiveness(after)).toMatchObject({ state: "alive", renewals: 4, watchedMs: 58_000 });
    // The client renewed while no process was running, and stopped before one started.
    const dead = readAfterRestart(text, { at: 68_000, endsAt: 50_000 + LEASE_MS, format });
    expect(describeLiveness(dead)).toMatchObject({ state: "overdue", lastRenewalAt: NOW + 50_000 });
  });

  it("another owner, and a clock that was set back, restore nothing", () => {
    const text = formatHoldEvidence(watch(steady(10_000)));
    const other = buildObservation({ at: 12_000, endsAt: 40_000, owners: ["uuid:2"] });
    expect(restoreHold(text, other, () => 1)).toBeUndefined();
    const earlier = buildObservation({ at: -60_000, endsAt: 40_000 });
    expect(restoreHold(text, earlier, () => 1)).toBeUndefined();
  });

  it("each holder of a shared lock keeps its start, and those who came meanwhile have their own", () => {
    const text = formatHoldEvidence(watch([{ at: 0, endsAt: null, owners: ["a", "b"] }]));
    const after = readAfterRestart(text, { at: 9000, endsAt: null, owners: ["c", "b"] });
    expect(after.holders.map(({ firstSeenMs, since }) => [firstSeenMs - NOW, since])).toEqual([
      [9000, "at_least"],
      [0, "exact"],
    ]);
  });

  it("a stored hold takes less than 200 bytes", () => {
    expect(formatHoldEvidence(watch(steady(10_000, 20_000, 30_000, 40_000))).length).toBeLessThan(200);
  });

  it("any text restores a hold with plausible values, or nothing", () => {
    const observation = buildObservation({ at: 50_000, endsAt: 60_000 });
    const valid = formatHoldEvidence(watch(steady(10_000, 20_000, 30_000)));
    const mutated = fc
      .tuple(fc.nat(valid.length - 1), fc.constantFrom("", "0", "-1", "1e99", "null", "[", "]", '"', "NaN"))
      .map(([at, text]) => valid.slice(0, at) + text + valid.slice(at + 1));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), mutated), (text) => {
        const hold = restoreHold(text, observation, () => 1);
        if (hold === undefined) return;
        const after = updateHold(hold, observation, RESTARTED, () => 2);
        const { renewals, watchedMs } = describeLiveness(after);
        expect(Number.isInteger(renewals) && renewals >= 0).toBe(true);
        expect(Number.isInteger(watchedMs) && watchedMs >= 0).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
