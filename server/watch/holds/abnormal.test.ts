import { describe, expect, it } from "vitest";
import { strangerOf } from "../../formats/observation.ts";
import { heldSince, isAbnormal, NEVER, rankOf, rankTurnsAt, timedTermOf } from "./abnormal.ts";
import { holdOf } from "./continuity.ts";
import type { Hold } from "./observed-hold.ts";

const NOW = 1_790_000_000_000;
const HOUR_MS = 3_600_000;

interface Scene {
  readonly heldMs: number;
  readonly remainingMs?: number | null;
  readonly state?: "held" | "ended";
  readonly othersHeldMs?: readonly number[];
}

function holdFor({ heldMs, remainingMs = 30_000, state = "held", othersHeldMs = [] }: Scene): Hold {
  const others = othersHeldMs.map((ms, n) => strangerOf(`other-${n}`, { sinceMs: NOW - ms }));
  return holdOf(
    undefined,
    {
      ...({ state, key: "lock:a", asOf: NOW, type: "hash", format: "redisson", candidates: [] } as const),
      ...({ kind: "lock", confidence: "certain", remainingMs } as const),
      holders: [strangerOf("pod-1", { sinceMs: NOW - heldMs }), ...others],
    },
    { wasGone: false, since: "exact", sight: "1" },
    () => 1,
  );
}

const NO_EXPIRY = holdFor({ heldMs: 10, remainingMs: null });

describe("isAbnormal", () => {
  it.each([
    ["held for twice the usual", holdFor({ heldMs: 2000 }), 1000, false],
    ["held for longer than twice the usual", holdFor({ heldMs: 2001 }), 1000, true],
    ["held for long where nobody knows what is usual", holdFor({ heldMs: HOUR_MS }), NEVER, false],
    ["without expiry", NO_EXPIRY, NEVER, true],
    ["past its end", holdFor({ heldMs: HOUR_MS, state: "ended" }), 1000, false],
    ["held by one for short, by another for long", holdFor({ heldMs: 1, othersHeldMs: [5000] }), 1000, true],
  ])("%s", (_what, hold, usualMs, is) => {
    expect(isAbnormal(hold, NOW, usualMs)).toBe(is);
  });
});

it("a lock of several is held since the first of them has it", () => {
  expect(heldSince(holdFor({ heldMs: 5, othersHeldMs: [7, 900, 20] }))).toBe(NOW - 900);
});

describe("rankOf", () => {
  const rank = (scene: Scene, usualMs: number, now = NOW) => rankOf(holdFor(scene), now, usualMs);

  it("goes up with what is grave: the rest, past the usual by doublings, late or without expiry", () => {
    const ranks = [
      rank({ heldMs: HOUR_MS, state: "ended" }, 10),
      rank({ heldMs: HOUR_MS + 1000 }, NEVER),
      rank({ heldMs: 1001 }, 1000),
      rank({ heldMs: 2000 }, 1000),
      rank({ heldMs: 3000 }, 1000),
      rank({ heldMs: 4000 }, 1000),
      rank({ heldMs: 1000 * 2 ** 30 }, 1),
      rankOf(NO_EXPIRY, NOW, NEVER),
    ];
    expect(ranks).toEqual(ranks.toSorted((one, two) => one - two));
    expect(new Set(ranks).size).toBe(ranks.length);
  });

  it("among its like goes up with the time held, by seconds", () => {
    expect(rank({ heldMs: 5000 }, NEVER)).toBeGreaterThan(rank({ heldMs: 4000 }, NEVER));
    expect(rank({ heldMs: 999_000 }, 500_000)).toBeGreaterThan(rank({ heldMs: 501_000 }, 500_000));
  });

  it.each([1, 7, 37_315.8, 1000])(
    "turns by time alone when it says so, to the millisecond: usual %d ms",
    (usualMs) => {
      const hold = holdFor({ heldMs: 0 });
      let at = NOW;
      for (let turn = 0; turn < 12; turn++) {
        const next = rankTurnsAt(hold, at, usualMs);
        expect(next).toBeGreaterThan(at);
        expect(rankOf(hold, Math.max(at, next - 1), usualMs)).toBe(rankOf(hold, at, usualMs));
        at = next;
      }
      expect(rankOf(hold, at, usualMs)).toBeGreaterThan(rankOf(hold, NOW, usualMs));
    },
  );

  it("never turns by time alone where nothing more can come", () => {
    for (const hold of [NO_EXPIRY, holdFor({ heldMs: 1, state: "ended" })])
      expect(rankTurnsAt(hold, NOW, 1000)).toBe(NEVER);
    expect(rankTurnsAt(holdFor({ heldMs: 1000 }), NOW, NEVER)).toBe(NEVER);
    expect(rankTurnsAt(holdFor({ heldMs: 2 ** 40 }), NOW, 1)).toBe(NEVER);
  });
});

describe("what time turns", () => {
  const held = holdFor({ heldMs: 5000 });
  it.each([
    ["held for longer", { field: "held", comparing: ">", ms: 4999 }, held, [true, NEVER]],
    [
      "held for just so long is not longer",
      { field: "held", comparing: ">", ms: 5000 },
      held,
      [false, NOW + 1],
    ],
    [
      "held for just so long is not shorter",
      { field: "held", comparing: "<", ms: 5000 },
      held,
      [false, NOW + 1],
    ],
    ["held for shorter", { field: "held", comparing: "<", ms: 6000 }, held, [true, NOW + 1000]],
    ["less is left", { field: "remaining", comparing: "<", ms: 30_001 }, held, [true, NEVER]],
    ["more is left", { field: "remaining", comparing: ">", ms: 29_000 }, held, [true, NOW + 1000]],
    ["no expiry is more than any", { field: "remaining", comparing: ">", ms: 1e9 }, NO_EXPIRY, [true, NEVER]],
    ["no expiry is never less", { field: "remaining", comparing: "<", ms: 1e9 }, NO_EXPIRY, [false, NEVER]],
    ["longer than usual", { field: "held", comparing: ">", ms: "usual" }, held, [true, NEVER]],
    ["wants a look", { field: "is", state: "abnormal" }, held, [true, NEVER]],
    [
      "not for another while",
      { field: "is", state: "abnormal" },
      holdFor({ heldMs: 500 }),
      [false, NOW + 1500],
    ],
  ] as const)("%s", (_what, term, hold, said) => {
    const timed = timedTermOf(term);
    expect([timed?.matches(hold, NOW, 1000), timed?.turnsAt(hold, NOW, 1000)]).toEqual(said);
  });

  it("where nobody knows what is usual, nothing is longer than it, and all is shorter", () => {
    const compared = (comparing: "<" | ">") =>
      timedTermOf({ field: "held", comparing, ms: "usual" })?.matches(held, NOW, NEVER);
    expect([compared(">"), compared("<")]).toEqual([false, true]);
  });

  it("numbers and texts it does not", () => {
    expect(timedTermOf({ field: "waiters", comparing: ">", number: 0 })).toBeUndefined();
    expect(timedTermOf({ field: "any", text: "held" })).toBeUndefined();
  });
});
