import { expect, it } from "vitest";
import { createForeignHolder } from "../../formats/observation.ts";
import { LockIndex } from "./lock-index.ts";
import { parseSortOrder } from "./query-context.ts";

const NOW = 1_790_000_000_000;
const LOCKS = 20_000;

/** An index of `LOCKS` locks whose clock the test sets. Counts the lookups of typical hold times. */
class TimeIndexFixture {
  now = NOW;
  typicalMs: number | undefined = 1_000_000;
  asked = 0;
  readonly index = new LockIndex(undefined, {
    now: () => this.now,
    getTypicalHeldMs: () => {
      this.asked++;
      return this.typicalMs;
    },
  });

  /** Adds the locks. Each one has been held for one millisecond longer than the previous one. */
  constructor() {
    for (let n = 0; n < LOCKS; n++) {
      this.index.applyObservation(
        {
          ...({ state: "held", key: `lock:${n}`, asOf: NOW, type: "hash", format: "redisson" } as const),
          ...({ candidates: [], kind: "lock", confidence: "certain", remainingMs: 60_000 } as const),
          holders: [createForeignHolder("pod-1", { sinceMs: NOW - n })],
        },
        { wasGone: false, since: "exact", continuityId: "1" },
      );
    }
  }

  /** @returns the number of matches, and the number of lookups of typical hold times */
  queryKeys(filter: string, sort = "key"): { total: number; asked: number } {
    this.asked = 0;
    const { total } = this.index.queryPage(filter, parseSortOrder(sort), { offset: 0 }, 10);
    return { total, asked: this.asked };
  }
}

it("the typical held time is computed once per lock for a first query, then for a share of locks per step", () => {
  const scenery = new TimeIndexFixture();
  expect(scenery.queryKeys("is:needs_attention held<typical", "-attention")).toEqual({
    total: 0,
    asked: LOCKS,
  });
  scenery.now += 300;
  expect(scenery.queryKeys("is:needs_attention held<typical", "-attention").asked).toBe(LOCKS / 100);
  scenery.now += 59_000;
  expect(scenery.queryKeys("is:needs_attention held<typical", "-attention").asked).toBeLessThanOrEqual(4000);
});

it("a change of the typical held time reaches a repeated query within 30 s", () => {
  const scenery = new TimeIndexFixture();
  scenery.queryKeys("is:needs_attention");
  scenery.typicalMs = 5000;
  const totals = Array.from({ length: 32 }, () => {
    scenery.now += 1000;
    return scenery.queryKeys("is:needs_attention").total;
  });
  expect(totals.at(0)).toBeLessThan(LOCKS / 10);
  expect(totals.at(-1)).toBe(LOCKS);
  scenery.typicalMs = undefined;
  for (let step = 0; step < 32; step++) {
    scenery.now += 1000;
    scenery.queryKeys("is:needs_attention");
  }
  expect(scenery.queryKeys("is:needs_attention").total).toBe(0);
});

it("a query repeated after 1 min uses the current typical held time", () => {
  const scenery = new TimeIndexFixture();
  scenery.queryKeys("held>typical");
  scenery.typicalMs = 0;
  scenery.now += 60_001;
  expect(scenery.queryKeys("held>typical")).toEqual({ total: LOCKS, asked: LOCKS });
});

it("query results are correct again after the Redis clock was set back", () => {
  const scenery = new TimeIndexFixture();
  expect(scenery.queryKeys("held>5h").total).toBe(0);
  scenery.now += 20_000_000;
  expect(scenery.queryKeys("held>5h").total).toBe(LOCKS);
  scenery.now = NOW + 1000;
  expect(scenery.queryKeys("held>5h").total).toBe(0);
});

it("the typical held time is computed only for locks that match the time-independent terms", () => {
  const scenery = new TimeIndexFixture();
  expect(scenery.queryKeys("key:lock:77 is:needs_attention", "-attention").asked).toBe(1);
});
