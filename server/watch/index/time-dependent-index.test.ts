import { expect, it } from "vitest";
import { strangerOf } from "../../formats/observation.ts";
import { Mirror } from "./lock-index.ts";
import { orderOf } from "./query-cache.ts";

const NOW = 1_790_000_000_000;
const LOCKS = 20_000;

/** A picture whose clock stands where it is put, and in which what is usual is counted as it is asked. */
class Scenery {
  now = NOW;
  usualMs: number | undefined = 1_000_000;
  asked = 0;
  readonly mirror = new Mirror(undefined, {
    now: () => this.now,
    usual: () => {
      this.asked++;
      return this.usualMs;
    },
  });

  /** Each is held for a millisecond longer than the one before. */
  constructor() {
    for (let n = 0; n < LOCKS; n++) {
      this.mirror.observe(
        {
          ...({ state: "held", key: `lock:${n}`, asOf: NOW, type: "hash", format: "redisson" } as const),
          ...({ candidates: [], kind: "lock", confidence: "certain", remainingMs: 60_000 } as const),
          holders: [strangerOf("pod-1", { sinceMs: NOW - n })],
        },
        { wasGone: false, since: "exact", sight: "1" },
      );
    }
  }

  /** @returns how many match, and how often it was asked what is usual */
  ask(filter: string, sort = "key"): { total: number; asked: number } {
    this.asked = 0;
    const { total } = this.mirror.page(filter, orderOf(sort), { offset: 0 }, 10);
    return { total, asked: this.asked };
  }
}

it("the typical held time is computed once per lock for a first query, then for a share of locks per step", () => {
  const scenery = new Scenery();
  expect(scenery.ask("is:abnormal held<usual", "-abnormality")).toEqual({ total: 0, asked: LOCKS });
  scenery.now += 300;
  expect(scenery.ask("is:abnormal held<usual", "-abnormality").asked).toBe(LOCKS / 100);
  scenery.now += 59_000;
  expect(scenery.ask("is:abnormal held<usual", "-abnormality").asked).toBeLessThanOrEqual(4000);
});

it("a change of the typical held time reaches a repeated query within 30 s", () => {
  const scenery = new Scenery();
  scenery.ask("is:abnormal");
  scenery.usualMs = 5000;
  const totals = Array.from({ length: 32 }, () => {
    scenery.now += 1000;
    return scenery.ask("is:abnormal").total;
  });
  expect(totals.at(0)).toBeLessThan(LOCKS / 10);
  expect(totals.at(-1)).toBe(LOCKS);
  scenery.usualMs = undefined;
  for (let step = 0; step < 32; step++) {
    scenery.now += 1000;
    scenery.ask("is:abnormal");
  }
  expect(scenery.ask("is:abnormal").total).toBe(0);
});

it("a query repeated after 1 min uses the current typical held time", () => {
  const scenery = new Scenery();
  scenery.ask("held>usual");
  scenery.usualMs = 0;
  scenery.now += 60_001;
  expect(scenery.ask("held>usual")).toEqual({ total: LOCKS, asked: LOCKS });
});

it("query results are correct again after the Redis clock was set back", () => {
  const scenery = new Scenery();
  expect(scenery.ask("held>5h").total).toBe(0);
  scenery.now += 20_000_000;
  expect(scenery.ask("held>5h").total).toBe(LOCKS);
  scenery.now = NOW + 1000;
  expect(scenery.ask("held>5h").total).toBe(0);
});

it("the typical held time is computed only for locks that match the time-independent terms", () => {
  const scenery = new Scenery();
  expect(scenery.ask("key:lock:77 is:abnormal", "-abnormality").asked).toBe(1);
});
