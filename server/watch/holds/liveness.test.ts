import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FormatName } from "../../../lib/contract/format.ts";
import type { LivenessState } from "../../../lib/contract/liveness.ts";
import { createForeignHolder, type HeldObservation, type SeenHolder } from "../../formats/observation.ts";
import { type ObservationContext, updateHold } from "./continuity.ts";
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
  holder?: Partial<SeenHolder>;
  circumstances?: Partial<ObservationContext>;
}

/** A lock, and those who look at it. Times are counted from its beginning. */
class LivenessFixture {
  hold: ObservedHold | undefined;
  #endsAt: number | null = LEASE_MS;
  #epochs = 0;

  constructor(readonly setup: HoldSetup = {}) {}

  /** Its end is moved. null: it has no expiry from then on. */
  renewed(at: number, leaseMs: number | null = LEASE_MS): this {
    this.#endsAt = leaseMs === null ? null : at + leaseMs;
    return this;
  }

  readAt(at: number, more: Partial<HoldSetup> = {}): this {
    const { format = "redisson", candidates = [], holder, circumstances } = { ...this.setup, ...more };
    const seen: HeldObservation = {
      ...({ state: "held", key: "k", type: "hash", kind: "lock", confidence: "certain" } as const),
      ...{ format, candidates, asOf: NOW + at },
      remainingMs: this.#endsAt === null ? null : this.#endsAt - at,
      holders: [createForeignHolder("uuid:1", holder)],
    };
    this.hold = updateHold(this.hold, seen, { ...UNDISTURBED, ...circumstances }, () => ++this.#epochs);
    return this;
  }

  get assertHold(): ObservedHold {
    if (this.hold === undefined) throw new Error("nobody looked");
    return this.hold;
  }

  get liveness() {
    return describeLiveness(this.assertHold);
  }

  /** When the liveness turns by itself, from the beginning. */
  get findChangeAt(): number | undefined {
    const turnsAt = findLivenessChangeAt(this.assertHold);
    return turnsAt === undefined ? undefined : turnsAt - NOW;
  }
}

const createRedissonFixture = () => new LivenessFixture().readAt(0);

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
      nextRenewalExpectedAt: NOW + 30_300,
      missedRenewals: 0,
    });
  });

  it("a renewal is overdue half a cadence after it was due, and each further cadence adds a miss", () => {
    const scenery = createRedissonFixture().renewed(10_000, 90_000).readAt(10_000);
    expect(scenery.findChangeAt).toBe(25_000);
    expect(scenery.readAt(24_999).liveness).toMatchObject({ state: "alive", missedRenewals: 0 });
    expect(scenery.readAt(25_001).liveness).toMatchObject({
      state: "overdue",
      missedRenewals: 1,
      nextRenewalExpectedAt: NOW + 20_000,
    });
    expect(scenery.findChangeAt).toBeUndefined();
    expect(scenery.readAt(36_000).liveness.missedRenewals).toBe(2);
    expect(scenery.renewed(40_000, 90_000).readAt(40_000).liveness).toMatchObject({
      state: "alive",
      missedRenewals: 0,
    });
  });

  it("the observed cadence takes precedence over the default of the library", () => {
    const scenery = createRedissonFixture();
    for (let n = 1; n <= 4; n++) scenery.renewed(n * 2000).readAt(n * 2000);
    expect(scenery.liveness.renewalIntervalMs).toBe(2000);
    expect(scenery.readAt(11_100).liveness.state).toBe("overdue");
  });

  it("one renewal at an irregular time does not change the cadence", () => {
    const scenery = createRedissonFixture();
    for (const at of [10_000, 20_000, 20_100, 30_100, 40_100]) scenery.renewed(at).readAt(at);
    expect(scenery.liveness).toMatchObject({ renewals: 5, renewalIntervalMs: 10_000 });
  });

  it("the renewal time is derived from the TTL when the read came later", () => {
    const scenery = createRedissonFixture().renewed(10_000).readAt(10_700);
    expect(scenery.liveness.lastRenewalAt).toBe(NOW + 10_000);
  });
});

describe("TTL extensions that are not renewals", () => {
  it("a TTL change within the clock difference is not a renewal", () => {
    expect(createRedissonFixture().renewed(4).readAt(9).liveness.renewals).toBe(0);
    expect(createRedissonFixture().renewed(6).readAt(9).liveness.renewals).toBe(1);
  });

  it("a re-entry is not a renewal", () => {
    const scenery = createRedissonFixture()
      .renewed(5000)
      .readAt(5000, { holder: { count: 2 } });
    expect(scenery.liveness).toMatchObject({
      state: "unknown",
      renewals: 0,
      nextRenewalExpectedAt: NOW + 15_000,
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
    expect(scenery.renewed(20_000).readAt(20_000).liveness.state).toBe("alive");
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

  it("a lock of a library that never renews has no cadence", () => {
    const scenery = new LivenessFixture({ format: "redis-py" }).readAt(0);
    expect(scenery.liveness).toMatchObject({
      state: "unknown",
      renewalIntervalMs: null,
      nextRenewalExpectedAt: null,
    });
    expect(scenery.readAt(22_501).liveness).toMatchObject({ state: "not_renewing", renewalIntervalMs: null });
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

  it("a Lockkeeper hold is expected to renew every third of its lease, whatever its format and grace", () => {
    const scenery = new LivenessFixture({ format: "timestamp", holder: ours }).renewed(0, 90_000).readAt(0);
    expect(scenery.liveness).toMatchObject({
      renewalIntervalMs: CADENCE_MS,
      nextRenewalExpectedAt: NOW + 10_000,
    });
  });

  it("a reservation is never expected to renew", () => {
    const holder = { ...ours, token: "lockkeeper:reserve:mei", owner: "lockkeeper:reserve:mei" };
    const scenery = new LivenessFixture({ holder }).readAt(0);
    expect(new LivenessFixture({ holder: ours }).readAt(0).findChangeAt).toBe(15_000);
    expect(scenery.findChangeAt).toBe(22_500);
    expect(scenery.readAt(40_000).liveness.state).toBe("not_renewing");
  });
});

describe("interrupted observation", () => {
  it("after a break in observation, a hold with a reusable owner string is assessed anew", () => {
    const scenery = createRedissonFixture().renewed(10_000).readAt(10_000);
    expect(scenery.readAt(12_000, { circumstances: { continuityId: "2" } }).liveness).toMatchObject({
      watchedMs: 0,
      renewals: 0,
    });
  });

  it("after a break in observation, a hold with a unique owner string keeps its history without a false interval", () => {
    const scenery = new LivenessFixture({ format: "lan1tian" }).readAt(0).renewed(10_000).readAt(10_000);
    scenery.renewed(40_000).readAt(40_000, { circumstances: { continuityId: "2" } });
    expect(scenery.liveness).toMatchObject({ watchedMs: 40_000, renewals: 2, renewalIntervalMs: CADENCE_MS });
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
    if (hold === undefined) throw new Error("nobody looked");
    expect(
      computeRereadDelayMs({ ...hold, seen: { ...hold.seen, state: "ended", remainingMs: -5 } }),
    ).toBeUndefined();
  });
});

it("a watchdog with any lease and jitter is renewing while alive and overdue or gone soon after it stops", () => {
  const lease = fc.integer({ min: 300, max: 600_000 });
  const jitters = fc.array(fc.double({ min: -0.08, max: 0.08, noNaN: true }), {
    minLength: 3,
    maxLength: 30,
  });
  const lookEvery = fc.double({ min: 0.1, max: 0.5, noNaN: true });
  fc.assert(
    fc.property(lease, jitters, lookEvery, (leaseMs, jitter, share) => {
      const cadence = leaseMs / 3;
      const scenery = new LivenessFixture().renewed(0, leaseMs).readAt(0);
      let looked = 0;
      let last = 0;
      const states = new Set<LivenessState>();
      jitter.forEach((off, n) => {
        const at = Math.round(cadence * (n + 1 + off));
        for (; looked < at; looked += Math.ceil(cadence * share)) {
          if (looked > last) scenery.readAt(looked);
          states.add(scenery.liveness.state);
        }
        scenery.renewed(at, leaseMs).readAt(at);
        last = at;
        looked = at;
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
