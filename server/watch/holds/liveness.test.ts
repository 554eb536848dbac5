import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FormatName } from "../../../lib/contract/format.ts";
import type { VerdictState } from "../../../lib/contract/liveness.ts";
import { type HeldObservation, type SeenHolder, strangerOf } from "../../formats/observation.ts";
import { type Circumstances, holdOf } from "./continuity.ts";
import { turnsAtOf, verdictOf } from "./liveness.ts";
import type { Hold } from "./observed-hold.ts";
import { dueMsOf } from "./reread-delay.ts";

const NOW = 1_790_000_000_000;
const CALM: Circumstances = { wasGone: false, since: "exact", sight: "1" };
const LEASE_MS = 30_000;
const CADENCE_MS = 10_000;

interface Scene {
  format?: FormatName;
  candidates?: FormatName[];
  holder?: Partial<SeenHolder>;
  circumstances?: Partial<Circumstances>;
}

/** A lock, and those who look at it. Times are counted from its beginning. */
class Scenery {
  hold: Hold | undefined;
  #endsAt: number | null = LEASE_MS;
  #epochs = 0;

  constructor(readonly scene: Scene = {}) {}

  /** Its end is moved. null: it has no expiry from then on. */
  renewed(at: number, leaseMs: number | null = LEASE_MS): this {
    this.#endsAt = leaseMs === null ? null : at + leaseMs;
    return this;
  }

  seenAt(at: number, more: Partial<Scene> = {}): this {
    const { format = "redisson", candidates = [], holder, circumstances } = { ...this.scene, ...more };
    const seen: HeldObservation = {
      ...({ state: "held", key: "k", type: "hash", kind: "lock", confidence: "certain" } as const),
      ...{ format, candidates, asOf: NOW + at },
      remainingMs: this.#endsAt === null ? null : this.#endsAt - at,
      holders: [strangerOf("uuid:1", holder)],
    };
    this.hold = holdOf(this.hold, seen, { ...CALM, ...circumstances }, () => ++this.#epochs);
    return this;
  }

  get must(): Hold {
    if (this.hold === undefined) throw new Error("nobody looked");
    return this.hold;
  }

  get verdict() {
    return verdictOf(this.must);
  }

  /** When the verdict turns by itself, from the beginning. */
  get turns(): number | undefined {
    const turnsAt = turnsAtOf(this.must);
    return turnsAt === undefined ? undefined : turnsAt - NOW;
  }
}

const redisson = () => new Scenery().seenAt(0);

describe("a lock that is renewed", () => {
  it("is renewing, with how often, when last and when next", () => {
    const scenery = redisson();
    expect(scenery.verdict).toMatchObject({ state: "unknown", renewals: 0, cadenceMs: CADENCE_MS });
    scenery.renewed(9900).seenAt(9901).renewed(20_100).seenAt(20_101);
    expect(scenery.verdict).toEqual({
      state: "renewing",
      watchedMs: 20_101,
      renewals: 2,
      lastRenewalAt: NOW + 20_100,
      cadenceMs: 10_200,
      nextExpectedAt: NOW + 30_300,
      misses: 0,
    });
  });

  it("is late half a cadence after the next one was due, and misses one more with each cadence", () => {
    const scenery = redisson().renewed(10_000, 90_000).seenAt(10_000);
    expect(scenery.turns).toBe(25_000);
    expect(scenery.seenAt(24_999).verdict).toMatchObject({ state: "renewing", misses: 0 });
    expect(scenery.seenAt(25_001).verdict).toMatchObject({
      state: "late",
      misses: 1,
      nextExpectedAt: NOW + 20_000,
    });
    expect(scenery.turns).toBeUndefined();
    expect(scenery.seenAt(36_000).verdict.misses).toBe(2);
    expect(scenery.renewed(40_000, 90_000).seenAt(40_000).verdict).toMatchObject({
      state: "renewing",
      misses: 0,
    });
  });

  it("is judged by what was seen of it, not by what its library does by default", () => {
    const scenery = redisson();
    for (let n = 1; n <= 4; n++) scenery.renewed(n * 2000).seenAt(n * 2000);
    expect(scenery.verdict.cadenceMs).toBe(2000);
    expect(scenery.seenAt(11_100).verdict.state).toBe("late");
  });

  it("keeps its cadence when one renewal came at another time", () => {
    const scenery = redisson();
    for (const at of [10_000, 20_000, 20_100, 30_100, 40_100]) scenery.renewed(at).seenAt(at);
    expect(scenery.verdict).toMatchObject({ renewals: 5, cadenceMs: 10_000 });
  });

  it("is told when it was renewed also where we looked later", () => {
    const scenery = redisson().renewed(10_000).seenAt(10_700);
    expect(scenery.verdict.lastRenewalAt).toBe(NOW + 10_000);
  });
});

describe("what prolongs a lock and is no renewal", () => {
  it("is what clocks differ by", () => {
    expect(redisson().renewed(4).seenAt(9).verdict.renewals).toBe(0);
    expect(redisson().renewed(6).seenAt(9).verdict.renewals).toBe(1);
  });

  it("is a re-entry", () => {
    const scenery = redisson()
      .renewed(5000)
      .seenAt(5000, { holder: { count: 2 } });
    expect(scenery.verdict).toMatchObject({ state: "unknown", renewals: 0, nextExpectedAt: NOW + 15_000 });
    expect(scenery.renewed(15_000).seenAt(15_000, { holder: { count: 2 } }).verdict.renewals).toBe(1);
  });

  it("is another hold", () => {
    const scenery = redisson()
      .renewed(10_000)
      .seenAt(10_000, { holder: { owner: "uuid:2" } });
    expect(scenery.verdict).toMatchObject({ renewals: 0, watchedMs: 0 });
  });

  it("is one more reader, and one who stays is renewing all the same", () => {
    const reader = (owner: string, ownRemainingMs: number) => strangerOf(owner, { ownRemainingMs });
    const look = (at: number, remainingMs: number, ...holders: [SeenHolder, ...SeenHolder[]]) => ({
      ...({ state: "held", key: "k", type: "hash", kind: "read", confidence: "certain" } as const),
      ...{ format: "redisson" as const, candidates: [], asOf: NOW + at, remainingMs, holders },
    });
    const one = holdOf(undefined, look(0, 30_000, reader("a", 30_000)), CALM, () => 1);
    const two = holdOf(one, look(5000, 30_000, reader("a", 25_000), reader("b", 30_000)), CALM, () => 2);
    expect(two.renewals.count).toBe(0);
    const now = look(10_000, 30_000, reader("a", 30_000), reader("b", 25_000));
    expect(holdOf(two, now, CALM, () => 3).renewals.count).toBe(1);
  });
});

describe("a lock that is not renewed", () => {
  it("is on a fixed lease once it was watched for one and a half cadences, where only some renew", () => {
    const scenery = redisson();
    expect(scenery.turns).toBe(15_000);
    expect(scenery.seenAt(14_999).verdict.state).toBe("unknown");
    expect(scenery.seenAt(15_001).verdict).toMatchObject({ state: "fixed-lease", nextExpectedAt: null });
    expect(scenery.turns).toBeUndefined();
    expect(scenery.renewed(20_000).seenAt(20_000).verdict.state).toBe("renewing");
  });

  it("is late where its library always renews", () => {
    const scenery = new Scenery({ format: "lan1tian" }).seenAt(0);
    expect(scenery.turns).toBe(15_000);
    expect(scenery.seenAt(15_001).verdict).toMatchObject({ state: "late", misses: 1, renewals: 0 });
  });

  it("is late only if all libraries that it may be of renew", () => {
    const both = new Scenery({ format: "lan1tian", candidates: ["spring"] }).seenAt(0).seenAt(15_001);
    expect(both.verdict.state).toBe("fixed-lease");
  });

  it("has no cadence where its library does not renew", () => {
    const scenery = new Scenery({ format: "redis-py" }).seenAt(0);
    expect(scenery.verdict).toMatchObject({ state: "unknown", cadenceMs: null, nextExpectedAt: null });
    expect(scenery.seenAt(22_501).verdict).toMatchObject({ state: "fixed-lease", cadenceMs: null });
  });

  it("has no expiry, whatever was seen before", () => {
    const scenery = redisson().renewed(10_000).seenAt(10_000).renewed(11_000, null).seenAt(11_000);
    expect(scenery.verdict).toMatchObject({ state: "no-expiry", renewals: 1, nextExpectedAt: null });
    expect(dueMsOf(scenery.must)).toBeUndefined();
  });
});

describe("a hold of ours", () => {
  const ours = { fence: "7", leaseMs: LEASE_MS, marginMs: 60_000, seq: 1 };

  it("is expected to renew after a third of its lease, whatever its format and its grace", () => {
    const scenery = new Scenery({ format: "timestamp", holder: ours }).renewed(0, 90_000).seenAt(0);
    expect(scenery.verdict).toMatchObject({ cadenceMs: CADENCE_MS, nextExpectedAt: NOW + 10_000 });
  });

  it("that keeps everybody off is never expected to renew", () => {
    const holder = { ...ours, owner: "lockkeeper:reserve:mei" };
    expect(new Scenery({ holder }).seenAt(0).seenAt(40_000).verdict.state).toBe("fixed-lease");
  });
});

describe("after a break", () => {
  it("a hold whose owner may come back is watched anew", () => {
    const scenery = redisson().renewed(10_000).seenAt(10_000);
    expect(scenery.seenAt(12_000, { circumstances: { sight: "2" } }).verdict).toMatchObject({
      watchedMs: 0,
      renewals: 0,
    });
  });

  it("one that is named by its owner goes on, and what was missed makes no interval", () => {
    const scenery = new Scenery({ format: "lan1tian" }).seenAt(0).renewed(10_000).seenAt(10_000);
    scenery.renewed(40_000).seenAt(40_000, { circumstances: { sight: "2" } });
    expect(scenery.verdict).toMatchObject({ watchedMs: 40_000, renewals: 2, cadenceMs: CADENCE_MS });
  });
});

describe("when a hold is looked at again", () => {
  it("is at the end of its lease, or when its verdict turns before", () => {
    expect(dueMsOf(redisson().must)).toBe(15_000);
    expect(dueMsOf(redisson().seenAt(16_000).must)).toBe(14_000);
  });

  it("is at the end of a holder's own time", () => {
    const scenery = new Scenery({ holder: { ownRemainingMs: 3000 } }).seenAt(0);
    expect(dueMsOf(scenery.must)).toBe(3000);
  });

  it("is never, once it has ended", () => {
    const { hold } = redisson();
    if (hold === undefined) throw new Error("nobody looked");
    expect(dueMsOf({ ...hold, seen: { ...hold.seen, state: "ended", remainingMs: -5 } })).toBeUndefined();
  });
});

it("a watchdog with any lease and some jitter is renewing as long as it lives, and late or gone soon after", () => {
  const lease = fc.integer({ min: 300, max: 600_000 });
  const jitters = fc.array(fc.double({ min: -0.08, max: 0.08, noNaN: true }), {
    minLength: 3,
    maxLength: 30,
  });
  const lookEvery = fc.double({ min: 0.1, max: 0.5, noNaN: true });
  fc.assert(
    fc.property(lease, jitters, lookEvery, (leaseMs, jitter, share) => {
      const cadence = leaseMs / 3;
      const scenery = new Scenery().renewed(0, leaseMs).seenAt(0);
      let looked = 0;
      let last = 0;
      const states = new Set<VerdictState>();
      jitter.forEach((off, n) => {
        const at = Math.round(cadence * (n + 1 + off));
        for (; looked < at; looked += Math.ceil(cadence * share)) {
          if (looked > last) scenery.seenAt(looked);
          states.add(scenery.verdict.state);
        }
        scenery.renewed(at, leaseMs).seenAt(at);
        last = at;
        looked = at;
        states.add(scenery.verdict.state);
        expect(scenery.verdict.renewals).toBe(n + 1);
      });
      expect([...states].filter((state) => state !== "unknown")).toEqual(["renewing"]);
      const turns = scenery.turns ?? 0;
      expect(scenery.seenAt(Math.ceil(turns) + 1).verdict.state).toBe("late");
      expect(turns).toBeLessThan(last + 2 * cadence * 1.3);
    }),
    { numRuns: 300 },
  );
});
