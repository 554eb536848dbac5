import { describe, expect, it } from "vitest";
import { createForeignHolder } from "../../formats/observation.ts";
import {
  compileTimeDependentTerm,
  computeRank,
  computeRankChangeAt,
  getHeldSince,
  NEVER,
  needsAttention,
} from "./attention.ts";
import { updateHold } from "./continuity.ts";
import type { ObservedHold } from "./observed-hold.ts";

const NOW = 1_790_000_000_000;
const HOUR_MS = 3_600_000;

interface HoldInput {
  readonly heldMs: number;
  readonly remainingMs?: number | null;
  readonly state?: "held" | "ended";
  readonly othersHeldMs?: readonly number[];
  readonly waiters?: number | null;
}

function buildHold({
  heldMs,
  remainingMs = 30_000,
  state = "held",
  othersHeldMs = [],
  waiters = 0,
}: HoldInput): ObservedHold {
  const others = othersHeldMs.map((ms, n) => createForeignHolder(`other-${n}`, { sinceMs: NOW - ms }));
  return updateHold(
    undefined,
    {
      ...({ state, key: "lock:a", asOf: NOW, type: "hash", format: "redisson", candidates: [] } as const),
      ...({ kind: "lock", confidence: "certain", remainingMs } as const),
      waiters: { count: waiters, known: waiters === null ? "unknown" : "exact" },
      holders: [createForeignHolder("pod-1", { sinceMs: NOW - heldMs }), ...others],
    },
    { wasGone: false, since: "exact", continuityId: "1" },
    () => 1,
  );
}

const UNLISTED: ObservedHold = { ...buildHold({ heldMs: HOUR_MS, remainingMs: null }), isListed: false };
const NO_EXPIRY = buildHold({ heldMs: 10, remainingMs: null });

describe("a latch", () => {
  it("needs no attention, because it never has a lease", () => {
    const latch: ObservedHold = { ...NO_EXPIRY, seen: { ...NO_EXPIRY.seen, kind: "latch" } };
    expect(needsAttention(NO_EXPIRY, NOW, 1000)).toBe(true);
    expect(needsAttention(latch, NOW, 1000)).toBe(false);
  });
});

describe("a lock that is not listed", () => {
  it("needs no attention, however long it has been there and although it has no TTL", () => {
    expect(needsAttention(UNLISTED, NOW, 1000)).toBe(false);
    expect(needsAttention({ ...UNLISTED, isListed: true }, NOW, 1000)).toBe(true);
  });

  it("is sorted with the locks that need no attention, and time does not change that", () => {
    const calm = buildHold({ heldMs: HOUR_MS });
    expect(computeRank(UNLISTED, NOW, 1000)).toBe(computeRank(calm, NOW, NEVER));
    expect(computeRankChangeAt(UNLISTED, NOW, 1000)).toBe(NEVER);
  });
});

describe("needs-attention check", () => {
  it.each([
    [
      "a lock held for exactly twice the typical time does not need attention",
      buildHold({ heldMs: 2000 }),
      1000,
      false,
    ],
    [
      "a lock held for longer than twice the typical time needs attention",
      buildHold({ heldMs: 2001 }),
      1000,
      true,
    ],
    [
      "a lock held for long does not need attention while the typical time is unknown",
      buildHold({ heldMs: HOUR_MS }),
      NEVER,
      false,
    ],
    ["a lock without a TTL needs attention", NO_EXPIRY, NEVER, true],
    [
      "a lock whose lease has ended does not need attention",
      buildHold({ heldMs: HOUR_MS, state: "ended" }),
      1000,
      false,
    ],
    [
      "a lock with several holders needs attention when any of them has held it for long",
      buildHold({ heldMs: 1, othersHeldMs: [5000] }),
      1000,
      true,
    ],
  ])("%s", (_what, hold, typicalMs, is) => {
    expect(needsAttention(hold, NOW, typicalMs)).toBe(is);
  });
});

it("a lock with several holders counts as held since its first holder acquired it", () => {
  expect(getHeldSince(buildHold({ heldMs: 5, othersHeldMs: [7, 900, 20] }))).toBe(NOW - 900);
});

describe("needs-attention rank", () => {
  const rank = (scene: HoldInput, typicalMs: number, now = NOW) =>
    computeRank(buildHold(scene), now, typicalMs);

  it("the rank orders locks by severity: normal, over the typical time (per doubling), overdue or no TTL", () => {
    const ranks = [
      rank({ heldMs: HOUR_MS, state: "ended" }, 10),
      rank({ heldMs: HOUR_MS + 1000 }, NEVER),
      rank({ heldMs: 1001 }, 1000),
      rank({ heldMs: 2000 }, 1000),
      rank({ heldMs: 3000 }, 1000),
      rank({ heldMs: 4000 }, 1000),
      rank({ heldMs: 1000 * 2 ** 30 }, 1),
      computeRank(NO_EXPIRY, NOW, NEVER),
    ];
    expect(ranks).toEqual(ranks.toSorted((one, two) => one - two));
    expect(new Set(ranks).size).toBe(ranks.length);
  });

  it("locks that block others rank first: critical ones, then others by doublings of waiters", () => {
    const ranks = [
      rank({ heldMs: HOUR_MS, waiters: null }, NEVER),
      rank({ heldMs: 4000, waiters: 50 }, 1),
      rank({ heldMs: 9999, remainingMs: null }, NEVER),
      rank({ heldMs: 10_000, waiters: 1 }, NEVER),
      rank({ heldMs: 20_000, waiters: 1 }, 1000),
      rank({ heldMs: 10_000, waiters: 2 }, NEVER),
      rank({ heldMs: 20_000, waiters: 3 }, NEVER),
      rank({ heldMs: 10_000, waiters: 4 }, NEVER),
      rank({ heldMs: 10_000, waiters: 2 ** 30 }, NEVER),
      rank({ heldMs: 10_000, waiters: 1, remainingMs: null }, NEVER),
      rank({ heldMs: 10_000, waiters: 9, remainingMs: null }, NEVER),
    ];
    expect(ranks).toEqual(ranks.toSorted((one, two) => one - two));
    expect(new Set(ranks).size).toBe(ranks.length);
  });

  it("a lock with waiters ranks as any other until it has been held for ten seconds", () => {
    for (const remainingMs of [30_000, null]) {
      const [waiting, alone] = [1, 0].map((waiters) => buildHold({ heldMs: 3000, remainingMs, waiters }));
      if (waiting === undefined || alone === undefined) throw new Error("no holds");
      expect(computeRank(waiting, NOW, NEVER)).toBe(computeRank(alone, NOW, NEVER));
      const changeAt = computeRankChangeAt(waiting, NOW, NEVER);
      expect(changeAt).toBe(NOW + 7000);
      expect(computeRank(waiting, changeAt - 1, NEVER)).toBe(computeRank(alone, NOW, NEVER));
      expect(computeRank(waiting, changeAt, NEVER)).toBeGreaterThan(computeRank(alone, NOW, NEVER));
      expect(computeRankChangeAt(waiting, changeAt, NEVER)).toBe(NEVER);
    }
  });

  it("needing attention does not depend on waiters", () => {
    expect(needsAttention(buildHold({ heldMs: HOUR_MS, waiters: 9 }), NOW, NEVER)).toBe(false);
  });

  it("within one severity the rank rises with each second of held time", () => {
    expect(rank({ heldMs: 5000 }, NEVER)).toBeGreaterThan(rank({ heldMs: 4000 }, NEVER));
    expect(rank({ heldMs: 999_000 }, 500_000)).toBeGreaterThan(rank({ heldMs: 501_000 }, 500_000));
  });

  it.each([
    [1, 0],
    [7, 0],
    [37_315.8, 0],
    [1000, 0],
    [1000, 3],
    [37_315.8, 3],
  ])(
    "the rank changes at exactly the predicted millisecond, with a typical held time of %d ms and %d waiters",
    (typicalMs, waiters) => {
      const hold = buildHold({ heldMs: 0, waiters });
      let at = NOW;
      for (let turn = 0; turn < 12; turn++) {
        const next = computeRankChangeAt(hold, at, typicalMs);
        expect(next).toBeGreaterThan(at);
        if (next === NEVER) break;
        expect(computeRank(hold, Math.max(at, next - 1), typicalMs)).toBe(computeRank(hold, at, typicalMs));
        at = next;
      }
      expect(computeRank(hold, at, typicalMs)).toBeGreaterThan(computeRank(hold, NOW, typicalMs));
    },
  );

  it("no future rank change is predicted when time alone cannot raise the rank", () => {
    for (const hold of [NO_EXPIRY, buildHold({ heldMs: 1, state: "ended" })])
      expect(computeRankChangeAt(hold, NOW, 1000)).toBe(NEVER);
    expect(computeRankChangeAt(buildHold({ heldMs: 1000 }), NOW, NEVER)).toBe(NEVER);
    expect(computeRankChangeAt(buildHold({ heldMs: 2 ** 40 }), NOW, 1)).toBe(NEVER);
  });
});

describe("time-dependent filter terms", () => {
  const held = buildHold({ heldMs: 5000 });
  it.each([
    [
      "held>4999ms matches a lock held for 5 s and stays true",
      { field: "held", comparing: ">", ms: 4999 },
      held,
      [true, NEVER],
    ],
    [
      "held>5s does not match a lock held for exactly 5 s and turns true after 1 ms",
      { field: "held", comparing: ">", ms: 5000 },
      held,
      [false, NOW + 1],
    ],
    [
      "held<5s does not match a lock held for exactly 5 s",
      { field: "held", comparing: "<", ms: 5000 },
      held,
      [false, NOW + 1],
    ],
    [
      "held<6s matches a lock held for 5 s and turns false after 1 s",
      { field: "held", comparing: "<", ms: 6000 },
      held,
      [true, NOW + 1000],
    ],
    [
      "remaining<30001ms matches a lock with 30 s left and stays true",
      { field: "remaining", comparing: "<", ms: 30_001 },
      held,
      [true, NEVER],
    ],
    [
      "remaining>29s matches a lock with 30 s left and turns false after 1 s",
      { field: "remaining", comparing: ">", ms: 29_000 },
      held,
      [true, NOW + 1000],
    ],
    [
      "remaining>N matches a lock without a TTL for any N",
      { field: "remaining", comparing: ">", ms: 1e9 },
      NO_EXPIRY,
      [true, NEVER],
    ],
    [
      "remaining<N never matches a lock without a TTL",
      { field: "remaining", comparing: "<", ms: 1e9 },
      NO_EXPIRY,
      [false, NEVER],
    ],
    [
      "held>typical matches a lock held for longer than the typical time",
      { field: "held", comparing: ">", ms: "typical" },
      held,
      [true, NEVER],
    ],
    [
      "is:needs_attention matches a lock held for over twice the typical time",
      { field: "is", state: "needs_attention" },
      held,
      [true, NEVER],
    ],
    [
      "is:needs_attention predicts when a lock held for less will start to match",
      { field: "is", state: "needs_attention" },
      buildHold({ heldMs: 500 }),
      [false, NOW + 1500],
    ],
  ] as const)("%s", (_what, term, hold, said) => {
    const timed = compileTimeDependentTerm(term);
    expect([timed?.matches(hold, NOW, 1000), timed?.computeChangeAt(hold, NOW, 1000)]).toEqual(said);
  });

  it("held>typical never matches and held<typical always matches while the typical time is unknown", () => {
    const compared = (comparing: "<" | ">") =>
      compileTimeDependentTerm({ field: "held", comparing, ms: "typical" })?.matches(held, NOW, NEVER);
    expect([compared(">"), compared("<")]).toEqual([false, true]);
  });

  it("number and text terms are not time-dependent", () => {
    expect(compileTimeDependentTerm({ field: "waiters", comparing: ">", number: 0 })).toBeUndefined();
    expect(compileTimeDependentTerm({ field: "any", text: "held" })).toBeUndefined();
  });
});
