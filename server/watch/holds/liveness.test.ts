import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Confidence, FormatName } from "../../../lib/contract/format.ts";
import type { LivenessState } from "../../../lib/contract/liveness.ts";
import { createForeignHolder, type HeldObservation, type SeenHolder } from "../../formats/observation.ts";
import { updateHold } from "./continuity.ts";
import type { ObservationContext } from "./holder-matcher.ts";
import { describeLiveness, findLivenessChangeAt } from "./liveness.ts";
import type { ObservedHold } from "./observed-hold.ts";
import { computeRereadDelayMs } from "./reread-delay.ts";

const NOW = 1_790_000_000_000;
const UNDISTURBED: ObservationContext = { wasGone: false, since: "exact", continuityId: "1" };
const LEASE_MS = 30_000;
const CADENCE_MS = 10_000;

interface HoldSetup {
  format?: FormatName;
  candidates?: FormatName[];
  confidence?: Confidence;
  kind?: HeldObservation["kind"];
  holder?: Partial<SeenHolder>;
  circumstances?: Partial<ObservationContext>;
}

/** A lock that the test renews and reads at chosen times. Times are in ms since the first lease began. */
class LivenessFixture {
  hold: ObservedHold | undefined;
  #endsAt: number | null = LEASE_MS;
  #epochs = 0;

  constructor(readonly setup: HoldSetup = {}) {}

  /** Renews the lock at `at` for `leaseMs`, or removes the TTL if `leaseMs` is `null`. */
  renewed(at: number, leaseMs: number | null = LEASE_MS): this {
    this.#endsAt = leaseMs === null ? null : at + leaseMs;
    return this;
  }

  readAt(at: number, more: Partial<HoldSetup> = {}): this {
    const {
      format = "redisson",
      candidates = [],
      confidence = "certain",
      kind = "lock",
      holder,
      circumstances,
    } = {
      ...this.setup,
      ...more,
    };
    const seen: HeldObservation = {
      ...({ state: "held", key: "k", type: "hash" } as const),
      ...{ kind, format, candidates, confidence, asOf: NOW + at },
      remainingMs: this.#endsAt === null ? null : this.#endsAt - at,
      holders: [createForeignHolder("uuid:1", holder)],
    };
    this.hold = updateHold(this.hold, seen, { ...UNDISTURBED, ...circumstances }, () => ++this.#epochs);
    return this;
  }

  get assertHold(): ObservedHold {
    if (this.hold === undefined) throw new Error("the hold was not read");
    return this.hold;
  }

  get liveness() {
    return describeLiveness(this.assertHold);
  }

  /** Time at which the liveness changes without a renewal, in ms since the start; `undefined` if there is no change. */
  get findChangeAt(): number | undefined {
    const turnsAt = findLivenessChangeAt(this.assertHold);
    return turnsAt === undefined ? undefined : turnsAt - NOW;
  }
}

const createRedissonFixture = () => new LivenessFixture().readAt(0);

/** Creates a lock that was renewed three times at intervals of ten seconds. */
function createSteadyFixture(setup: HoldSetup = {}): LivenessFixture {
  const scenery = new LivenessFixture(setup).readAt(0);
  for (const at of [10_000, 20_000, 30_000]) scenery.renewed(at).readAt(at);
  return scenery;
}

describe("renewed locks", () => {
  it("a renewed lock reports its number of renewals, the last one and the next expected one", () => {
    const scenery = createRedissonFixture();
    expect(scenery.liveness).toMatchObject({ state: "unknown", renewals: 0, renewalIntervalMs: CADENCE_MS });
    scenery.renewed(9900).readAt(9901).renewed(20_100).readAt(20_101);
    expect(scenery.liveness).toEqual({
      state: "alive",
      watchedMs: 20_101,
      renewals: 2,
      lastRenewalAt: NOW + 20_100,
      renewalIntervalMs: 10_200,
      nextRenewalExpectedAt: null,
      missedRenewals: 0,
    });
    scenery.renewed(30_000).readAt(30_001);
    expect(scenery.liveness).toMatchObject({
      state: "alive",
      renewals: 3,
      renewalIntervalMs: 9900,
      nextRenewalExpectedAt: NOW + 39_900,
    });
  });

  it("a renewal is overdue half an interval after it was due, and each further interval adds a miss", () => {
    const scenery = createSteadyFixture();
    expect(scenery.findChangeAt).toBe(45_000);
    expect(scenery.readAt(44_999).liveness).toMatchObject({ state: "alive", missedRenewals: 0 });
    expect(scenery.readAt(45_001).liveness).toMatchObject({
      state: "overdue",
      missedRenewals: 1,
      nextRenewalExpectedAt: NOW + 40_000,
    });
    expect(scenery.findChangeAt).toBeUndefined();
    expect(scenery.readAt(56_000).liveness.missedRenewals).toBe(2);
    expect(scenery.renewed(57_000).readAt(57_000).liveness).toMatchObject({ missedRenewals: 0 });
  });

  it("the observed cadence takes precedence over the default of the library", () => {
    const scenery = createRedissonFixture();
    for (let n = 1; n <= 4; n++) scenery.renewed(n * 2000).readAt(n * 2000);
    expect(scenery.liveness.renewalIntervalMs).toBe(2000);
    expect(scenery.readAt(11_100).liveness.state).toBe("overdue");
  });

  it("extensions in quick succession are one renewal, and do not change the interval", () => {
    const scenery = createRedissonFixture();
    for (const at of [10_000, 20_000, 20_100, 30_100, 40_100]) scenery.renewed(at).readAt(at);
    expect(scenery.liveness).toMatchObject({ renewals: 4, renewalIntervalMs: 10_000 });
  });

  it("the renewal time is derived from the TTL when the read came later", () => {
    const scenery = createRedissonFixture().renewed(10_000).readAt(10_700);
    expect(scenery.liveness.lastRenewalAt).toBe(NOW + 10_000);
  });
});

describe("TTL extensions that are not renewals", () => {
  it("a TTL change within the clock difference is not a renewal", () => {
    const scenery = createRedissonFixture().renewed(10_000).readAt(10_000);
    expect(scenery.renewed(10_004).readAt(19_000).liveness).toMatchObject({
      renewals: 1,
      lastRenewalAt: NOW + 10_000,
    });
    expect(scenery.renewed(20_000).readAt(20_000).liveness.renewals).toBe(2);
  });

  it("a re-entry is not a renewal", () => {
    const scenery = createRedissonFixture()
      .renewed(5000)
      .readAt(5000, { holder: { count: 2 } });
    expect(scenery.liveness).toMatchObject({
      state: "unknown",
      renewals: 0,
      nextRenewalExpectedAt: null,
    });
    expect(scenery.renewed(15_000).readAt(15_000, { holder: { count: 2 } }).liveness.renewals).toBe(1);
  });

  it("a new hold is not a renewal of the previous one", () => {
    const scenery = createRedissonFixture()
      .renewed(10_000)
      .readAt(10_000, { holder: { token: "uuid:2", owner: "uuid:2" } });
    expect(scenery.liveness).toMatchObject({ renewals: 0, watchedMs: 0 });
  });

  it("a new reader is not a renewal, while an existing reader's renewal still counts", () => {
    const reader = (owner: string, ownRemainingMs: number) => createForeignHolder(owner, { ownRemainingMs });
    const look = (at: number, remainingMs: number, ...holders: [SeenHolder, ...SeenHolder[]]) => ({
      ...({ state: "held", key: "k", type: "hash", kind: "read", confidence: "certain" } as const),
      ...{ format: "redisson" as const, candidates: [], asOf: NOW + at, remainingMs, holders },
    });
    const one = updateHold(undefined, look(0, 30_000, reader("a", 30_000)), UNDISTURBED, () => 1);
    const two = updateHold(
      one,
      look(5000, 30_000, reader("a", 25_000), reader("b", 30_000)),
      UNDISTURBED,
      () => 2,
    );
    expect(two.renewals.count).toBe(0);
    const now = look(10_000, 30_000, reader("a", 30_000), reader("b", 25_000));
    expect(updateHold(two, now, UNDISTURBED, () => 3).renewals.count).toBe(1);
  });
});

describe("locks without renewals", () => {
  it("a lock of a library with optional renewal is not renewing after 1.5 cadences without one", () => {
    const scenery = createRedissonFixture();
    expect(scenery.findChangeAt).toBe(15_000);
    expect(scenery.readAt(14_999).liveness.state).toBe("unknown");
    expect(scenery.readAt(15_001).liveness).toMatchObject({
      state: "not_renewing",
      nextRenewalExpectedAt: null,
    });
    expect(scenery.findChangeAt).toBeUndefined();
    expect(scenery.renewed(20_000).readAt(20_000).renewed(30_000).readAt(30_000).liveness.state).toBe(
      "alive",
    );
  });

  it("a lock of a library that always renews is overdue after 1.5 cadences without a renewal", () => {
    const scenery = new LivenessFixture({ format: "lan1tian" }).readAt(0);
    expect(scenery.findChangeAt).toBe(15_000);
    expect(scenery.readAt(15_001).liveness).toMatchObject({
      state: "overdue",
      missedRenewals: 1,
      renewals: 0,
    });
  });

  it("a lock with several possible formats is overdue only if all of them always renew", () => {
    const both = new LivenessFixture({ format: "lan1tian", candidates: ["spring"] }).readAt(0).readAt(15_001);
    expect(both.liveness.state).toBe("not_renewing");
  });

  it("a lock of a library that always renews is not overdue without renewals while the library is uncertain", () => {
    const likely = new LivenessFixture({ format: "lan1tian", confidence: "likely" }).readAt(0).readAt(15_001);
    expect(likely.liveness).toMatchObject({ state: "not_renewing", nextRenewalExpectedAt: null });
    const steady = createSteadyFixture({ format: "lan1tian", confidence: "likely" });
    expect(steady.readAt(45_001).liveness.state).toBe("overdue");
  });

  it("a lock of a library that never renews has no cadence", () => {
    const scenery = new LivenessFixture({ format: "redis-py" }).readAt(0);
    expect(scenery.liveness).toMatchObject({
      state: "unknown",
      renewalIntervalMs: null,
      nextRenewalExpectedAt: null,
    });
    expect(scenery.readAt(22_501).liveness).toMatchObject({ state: "not_renewing", renewalIntervalMs: null });
  });

  it("a latch, which has no holder and no TTL, is unknown and does not need attention", () => {
    const latch = new LivenessFixture({ kind: "latch" }).renewed(0, null).readAt(0).readAt(3_600_000);
    expect(latch.liveness).toMatchObject({ state: "unknown", renewalIntervalMs: null });
    expect(latch.findChangeAt).toBeUndefined();
  });

  it("a lock that loses its TTL is reported as no TTL, whatever was observed before", () => {
    const scenery = createRedissonFixture()
      .renewed(10_000)
      .readAt(10_000)
      .renewed(11_000, null)
      .readAt(11_000);
    expect(scenery.liveness).toMatchObject({ state: "no_ttl", renewals: 1, nextRenewalExpectedAt: null });
    expect(computeRereadDelayMs(scenery.assertHold)).toBeUndefined();
  });
});

describe("renewal cadence of Lockkeeper holds", () => {
  const ours = { fence: "7", leaseMs: LEASE_MS, marginMs: 60_000, seq: 1 };

  const stating = { ...ours, statedRenewal: { everyMs: CADENCE_MS, ofLeaseMs: LEASE_MS } };

  it("a hold that stated its interval is overdue by it before any renewal, whatever its format and grace", () => {
    const setup: HoldSetup = { format: "timestamp", holder: stating };
    const scenery = new LivenessFixture(setup).renewed(0, 90_000).readAt(0);
    expect(scenery.liveness).toMatchObject({
      ...{ state: "unknown", renewalIntervalMs: CADENCE_MS, nextRenewalExpectedAt: NOW + 10_000 },
    });
    expect(scenery.readAt(15_001).liveness).toMatchObject({ state: "overdue", missedRenewals: 1 });
  });

  it("a hold that stated no interval is not overdue because of a third of its lease", () => {
    const scenery = new LivenessFixture({ holder: ours }).readAt(0);
    expect(scenery.readAt(15_001).liveness).toMatchObject({
      ...{ state: "not_renewing", renewalIntervalMs: CADENCE_MS, nextRenewalExpectedAt: null },
    });
  });

  it("the stated interval grows with a lease that was lengthened", () => {
    const scenery = new LivenessFixture({ holder: stating }).readAt(0);
    const longer = { holder: { ...stating, leaseMs: 300_000, marginMs: 0 } };
    scenery.renewed(5000, 300_000).readAt(5000, longer);
    expect(scenery.liveness).toMatchObject({ state: "alive", nextRenewalExpectedAt: NOW + 105_000 });
    expect(scenery.readAt(60_000, longer).liveness.state).toBe("alive");
  });

  it("a reservation is never expected to renew", () => {
    const holder = { ...ours, token: "lockkeeper:reserve:mei", owner: "lockkeeper:reserve:mei" };
    const scenery = new LivenessFixture({ holder }).readAt(0);
    expect(new LivenessFixture({ holder: ours }).readAt(0).findChangeAt).toBe(15_000);
    expect(scenery.findChangeAt).toBe(22_500);
    expect(scenery.readAt(40_000).liveness.state).toBe("not_renewing");
  });
});

describe("deadlines set by an operator", () => {
  const EXTENDED = { circumstances: { isExtended: true } };

  it("an operator's extension is not a renewal, and the next renewal that sets the deadline back is one", () => {
    const scenery = createSteadyFixture().renewed(32_000, 600_000).readAt(32_000, EXTENDED);
    expect(scenery.liveness).toMatchObject({ state: "alive", renewals: 3, lastRenewalAt: NOW + 30_000 });
    for (const at of [40_000, 50_000]) scenery.renewed(at).readAt(at);
    expect(scenery.liveness).toMatchObject({
      ...{ state: "alive", renewals: 5, lastRenewalAt: NOW + 50_000, renewalIntervalMs: CADENCE_MS },
    });
    expect(scenery.readAt(65_001).liveness.state).toBe("overdue");
  });

  it("a holder that stops after an operator's extension becomes overdue by its own interval", () => {
    const scenery = createSteadyFixture().renewed(32_000, 600_000).readAt(32_000, EXTENDED);
    expect(scenery.readAt(44_000).liveness.state).toBe("alive");
    expect(scenery.readAt(45_001).liveness.state).toBe("overdue");
  });

  it("renewals of a Lockkeeper hold count while the deadline is an operator's", () => {
    const ours = { fence: "7", leaseMs: LEASE_MS };
    const holder = (seq: number, leaseMs = LEASE_MS) => ({ holder: { ...ours, leaseMs, seq } });
    const scenery = new LivenessFixture().readAt(0, holder(1));
    for (const n of [1, 2, 3]) scenery.renewed(n * 10_000).readAt(n * 10_000, holder(1 + n));
    scenery.renewed(32_000, 600_000).readAt(32_000, { ...EXTENDED, ...holder(5, 600_000) });
    for (const n of [4, 5, 6]) scenery.readAt(n * 10_000, holder(2 + n, 600_000));
    expect(scenery.liveness).toMatchObject({ state: "alive", renewals: 6, lastRenewalAt: NOW + 60_000 });
    expect(scenery.readAt(75_001, holder(8, 600_000)).liveness.state).toBe("overdue");
  });
});

describe("interrupted observation", () => {
  const BROKEN = { circumstances: { continuityId: "2" } };

  it("an unchanged deadline keeps the evidence over a break in observation", () => {
    const scenery = createSteadyFixture().readAt(52_000, BROKEN);
    expect(scenery.liveness).toMatchObject({ state: "overdue", watchedMs: 52_000, renewals: 3 });
  });

  it("a deadline that differs as clocks and masters do is no renewal during a break", () => {
    const scenery = createSteadyFixture().renewed(30_500).readAt(52_000, BROKEN);
    expect(scenery.liveness).toMatchObject({ state: "overdue", renewals: 3, lastRenewalAt: NOW + 30_000 });
  });

  it("a reusable owner string with a deadline where a renewal would have set it renewed during the break", () => {
    const scenery = createSteadyFixture().renewed(50_100).readAt(52_000, BROKEN);
    expect(scenery.liveness).toMatchObject({
      ...{ state: "alive", watchedMs: 52_000, renewals: 4, lastRenewalAt: NOW + 50_100 },
      ...{ renewalIntervalMs: CADENCE_MS, nextRenewalExpectedAt: NOW + 60_100 },
    });
  });

  it("a reusable owner string with any other deadline is assessed anew after a break", () => {
    for (const at of [46_000, 54_000]) {
      const scenery = createSteadyFixture().renewed(at).readAt(55_000, BROKEN);
      expect(scenery.liveness).toMatchObject({ state: "unknown", watchedMs: 0, renewals: 0 });
    }
    const irregular = createRedissonFixture().renewed(10_000).readAt(10_000);
    expect(irregular.renewed(20_000).readAt(21_000, BROKEN).liveness.watchedMs).toBe(0);
  });

  it("a unique owner string keeps its history over a break without a false interval", () => {
    const scenery = createSteadyFixture({ format: "lan1tian" });
    scenery.renewed(73_000).readAt(74_000, BROKEN);
    expect(scenery.liveness).toMatchObject({
      ...{ state: "alive", watchedMs: 74_000, renewals: 4, renewalIntervalMs: CADENCE_MS },
    });
  });

  it("a lock without a TTL keeps its start over a break if its owner string is the same", () => {
    const fixture = new LivenessFixture().renewed(0, null).readAt(0);
    const same = fixture.readAt(60_000, BROKEN);
    expect(same.assertHold.holders[0]).toMatchObject({ firstSeenMs: NOW, since: "exact" });
    const other = same.readAt(61_000, { holder: { token: "uuid:2" }, ...BROKEN });
    expect(other.assertHold.holders[0].firstSeenMs).toBe(NOW + 61_000);
  });
});

describe("next read of a hold", () => {
  it("the next read is due at the end of the lease or when the liveness state changes, whichever is first", () => {
    expect(computeRereadDelayMs(createRedissonFixture().assertHold)).toBe(15_000);
    expect(computeRereadDelayMs(createRedissonFixture().readAt(16_000).assertHold)).toBe(14_000);
  });

  it("the next read is due when a holder's own TTL ends", () => {
    const scenery = new LivenessFixture({ holder: { ownRemainingMs: 3000 } }).readAt(0);
    expect(computeRereadDelayMs(scenery.assertHold)).toBe(3000);
  });

  it("no further read is due after a hold has ended", () => {
    const { hold } = createRedissonFixture();
    if (hold === undefined) throw new Error("the hold was not read");
    expect(
      computeRereadDelayMs({ ...hold, seen: { ...hold.seen, state: "ended", remainingMs: -5 } }),
    ).toBeUndefined();
  });
});

const LEASE = fc.integer({ min: 300, max: 600_000 });

it("a watchdog with any lease and jitter is renewing while alive and overdue or gone soon after it stops", () => {
  const jitters = fc.array(fc.double({ min: -0.06, max: 0.06, noNaN: true }), {
    minLength: 3,
    maxLength: 30,
  });
  const lookEvery = fc.double({ min: 0.1, max: 0.5, noNaN: true });
  fc.assert(
    fc.property(LEASE, jitters, lookEvery, (leaseMs, jitter, share) => {
      const cadence = leaseMs / 3;
      const scenery = new LivenessFixture().renewed(0, leaseMs).readAt(0);
      let readAtMs = 0;
      let last = 0;
      const states = new Set<LivenessState>();
      jitter.forEach((off, n) => {
        const at = Math.round(cadence * (n + 1 + off));
        for (; readAtMs < at; readAtMs += Math.ceil(cadence * share)) {
          if (readAtMs > last) scenery.readAt(readAtMs);
          states.add(scenery.liveness.state);
        }
        scenery.renewed(at, leaseMs).readAt(at);
        last = at;
        readAtMs = at;
        states.add(scenery.liveness.state);
        expect(scenery.liveness.renewals).toBe(n + 1);
      });
      expect([...states].filter((state) => state !== "unknown")).toEqual(["alive"]);
      const turns = scenery.findChangeAt ?? 0;
      expect(scenery.readAt(Math.ceil(turns) + 1).liveness.state).toBe("overdue");
      expect(turns).toBeLessThan(last + 2 * cadence * 1.3);
    }),
    { numRuns: 300 },
  );
});

/** Holds for whose library it is uncertain whether every holder renews. */
const UNCERTAIN = fc.constantFrom<HoldSetup>(
  { format: "redisson" },
  { format: "redis-py" },
  { format: "lan1tian", confidence: "likely" },
  { format: "token", candidates: ["spring", "redlock-rb"], confidence: "possible" },
  { format: "token", holder: { fence: "7" } },
);

function listStates(setup: HoldSetup, leaseMs: number, renewedAt: readonly number[]): Set<LivenessState> {
  const fixture = new LivenessFixture(setup).renewed(0, leaseMs).readAt(0);
  const states = new Set<LivenessState>();
  const readAt = (at: number) => {
    const { state, nextRenewalExpectedAt } = fixture.readAt(at).liveness;
    if (state !== "alive" && state !== "overdue") expect(nextRenewalExpectedAt).toBeNull();
    states.add(state);
  };
  for (const at of renewedAt) {
    readAt(at - 1);
    fixture.renewed(at, leaseMs);
    readAt(at);
  }
  const last = renewedAt.at(-1) ?? 0;
  for (const share of [0.1, 0.5, 0.9, 0.999]) readAt(last + Math.floor(leaseMs * share));
  return states;
}

const sumUp = (gapsMs: readonly number[]) =>
  gapsMs.map((_, n) => gapsMs.slice(0, n + 1).reduce((sum, ms) => sum + ms, 0));

it("fewer than three renewals never make a holder overdue whose library is uncertain", () => {
  const gaps = fc.array(fc.double({ min: 0.0001, max: 0.99, noNaN: true }), { maxLength: 2 });
  fc.assert(
    fc.property(UNCERTAIN, LEASE, gaps, (setup, leaseMs, shares) => {
      const renewedAt = sumUp(shares.map((share) => Math.max(2, Math.round(share * leaseMs))));
      expect(listStates(setup, leaseMs, renewedAt)).not.toContain("overdue");
    }),
    { numRuns: 300 },
  );
});

it("irregular extensions never make a holder overdue whose library is uncertain", () => {
  // The values differ so much that three different ones in a row are never a steady interval.
  const gaps = fc.array(fc.constantFrom(0.1, 0.25, 0.6, 0.9), { maxLength: 20 });
  fc.assert(
    fc.property(UNCERTAIN, LEASE, gaps, (setup, leaseMs, shares) => {
      const irregular: number[] = [];
      for (const share of shares) if (!irregular.slice(-2).includes(share)) irregular.push(share);
      const renewedAt = sumUp(irregular.map((share) => Math.round(share * leaseMs)));
      expect(listStates(setup, leaseMs, renewedAt)).not.toContain("overdue");
    }),
    { numRuns: 300 },
  );
});

it("extensions of several keys at once, and in quick succession, are no interval", () => {
  const burst = fc.array(fc.integer({ min: 6, max: 20 }), { minLength: 3, maxLength: 30 });
  fc.assert(
    fc.property(UNCERTAIN, burst, (setup, gapsMs) => {
      expect(listStates(setup, 60_000, sumUp(gapsMs))).not.toContain("overdue");
    }),
    { numRuns: 200 },
  );
});
