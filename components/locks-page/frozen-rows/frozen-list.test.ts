import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import type { LockEvent } from "@/lib/contract/event.ts";
import type { LiveWindow, PinnedLock } from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { createSampleHolder, createSampleLock } from "@/lib/contract/sample-lock.ts";
import {
  countChanges,
  type FrozenList,
  freezeList,
  type ListUpdate,
  updateFrozenList,
} from "./frozen-list.ts";

const lock = (key: string, version = "1", count = 1): Lock =>
  createSampleLock({
    key,
    version,
    holders: [createSampleHolder({ count })],
    remainingMs: 1,
    leaseMs: 1,
    asOf: 5000,
  });
const windowOf = (...items: Lock[]): LiveWindow => ({
  now: 1,
  filter: "",
  sort: "key",
  offset: 0,
  total: items.length,
  held: 9,
  items,
});
const released: LockEvent = {
  id: "1-0",
  type: "released",
  target: "main",
  key: "b",
  at: 6000,
  observed: "exact",
};
const free = (key: string, ended?: LockEvent): [string, PinnedLock] => [
  toLockPath({ key }),
  { lock: createSampleLock({ key, state: "free", holders: [], version: null }), ...(ended && { ended }) },
];
const newer = (latest: LiveWindow, more: Partial<ListUpdate> = {}): ListUpdate => ({
  latest,
  pinned: undefined,
  visible: [0, 20],
  freezeReason: "reading",
  ...more,
});
const keysOf = ({ rows }: FrozenList) => rows.map((row) => row.lock.key);

describe("updates of a frozen list", () => {
  const held = freezeList(windowOf(lock("a"), lock("b"), lock("c")));

  it("a frozen list keeps its order while values update", () => {
    const after = updateFrozenList(
      held,
      newer(windowOf(lock("c"), lock("new"), lock("a", "1", 7), lock("b"))),
    );
    expect(keysOf(after)).toEqual(["a", "b", "c"]);
    expect(after.rows[0]?.lock.holders[0]?.count).toBe(7);
  });

  it("a frozen list strikes out an ended row with its cause and restores it when held again", () => {
    const kept = new Map([free("b", released)]);
    const after = updateFrozenList(held, newer(windowOf(lock("a"), lock("c")), { pinned: kept }));
    expect(after.rows.map(({ end }) => end)).toEqual([null, released, null]);
    const again = updateFrozenList(after, newer(windowOf(lock("a"), lock("b", "2"), lock("c"))));
    expect(again.rows.map(({ end }) => end)).toEqual([null, null, null]);
  });

  it("a frozen list does not apply the end of an older hold to the current row", () => {
    const kept = new Map([free("b", { ...released, at: 1000 })]);
    expect(updateFrozenList(held, newer(windowOf(lock("a")), { pinned: kept })).rows[1]?.end).toBe("unknown");
  });

  it("a frozen list does not treat a row that left the window as ended", () => {
    expect(updateFrozenList(held, newer(windowOf(lock("x"), lock("y"))))).toBe(held);
  });

  it("a paused list keeps the holder of each row and updates renewals of the same hold", () => {
    const renewed = { ...lock("a"), remainingMs: 99 };
    const latest = windowOf(renewed, lock("b", "2"), lock("c"));
    const after = updateFrozenList(held, newer(latest, { freezeReason: "paused" }));
    expect(after.rows.map(({ lock: { version, remainingMs }, end }) => [version, remainingMs, end])).toEqual([
      ["1", 99, null],
      ["1", 1, "reacquired"],
      ["1", 1, null],
    ]);
  });

  it("a frozen list starts over with another filter or sort order", () => {
    const latest = { ...windowOf(lock("z")), sort: "-held" };
    expect(keysOf(updateFrozenList(held, newer(latest)))).toEqual(["z"]);
  });
});

describe("changes behind a frozen list", () => {
  it("new and ended rows count as changes, renewed ones do not", () => {
    const held = freezeList(windowOf(lock("a"), lock("b"), lock("c")));
    const latest = windowOf({ ...lock("a"), remainingMs: 7 }, lock("c"), lock("d"));
    expect(
      countChanges(updateFrozenList(held, newer(latest, { pinned: new Map([free("b", released)]) })), latest),
    ).toBe(2);
  });

  it("rows that only moved across a partial window do not count as changes", () => {
    const held = freezeList({ ...windowOf(lock("a"), lock("b"), lock("c")), total: 500 });
    expect(countChanges(held, { ...windowOf(lock("b"), lock("c"), lock("d")), total: 499 })).toBe(0);
    expect(countChanges(held, { ...windowOf(lock("a"), lock("aa"), lock("b")), total: 501 })).toBe(1);
    expect(countChanges(held, { ...windowOf(lock("x"), lock("y"), lock("z")), total: 600 })).toBe(3);
  });
});

type Step =
  | { do: "take" | "free" | "renew"; key: number }
  | { do: "scroll"; to: number }
  | { do: "take_anew" };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom("take" as const, "free" as const, "renew" as const), key: fc.nat(60) }),
  fc.record({ do: fc.constant("scroll" as const), to: fc.nat(50) }),
  fc.record({ do: fc.constant("take_anew" as const) }),
);
const ROWS = 20;
const ON_SCREEN = 6;

/** A model of a server that sorts locks by key, and of an operator who scrolls through the list. */
class World {
  locks = new Map<number, Lock>();
  offset = 0;
  visible: [number, number] = [0, ON_SCREEN];
  versions = 0;

  window(): LiveWindow {
    const all = [...this.locks].sort(([a], [b]) => a - b).map(([, each]) => each);
    const items = all.slice(this.offset, this.offset + ROWS);
    return { ...windowOf(...items), offset: this.offset, total: all.length };
  }

  kept(held: FrozenList, latest: LiveWindow): Map<string, PinnedLock> {
    const shown = new Set(latest.items.map(toLockPath));
    const away = held.rows.filter(({ path }) => !shown.has(path));
    return new Map(
      away.map(({ path, lock: { key } }) => {
        const now = this.locks.get(Number(key));
        return now === undefined ? free(key, { ...released, key }) : [path, { lock: now }];
      }),
    );
  }

  do(step: Step): void {
    if (step.do === "take" && !this.locks.has(step.key)) this.#put(step.key);
    if (step.do === "renew" && this.locks.has(step.key)) this.#put(step.key);
    if (step.do === "free") this.locks.delete(step.key);
    if (step.do !== "scroll") return;
    const first = Math.min(step.to, Math.max(0, this.locks.size - ON_SCREEN));
    this.visible = [first, first + ON_SCREEN];
    this.offset = Math.max(0, first - 5);
  }

  #put(key: number): void {
    this.locks.set(key, lock(String(key), String(++this.versions)));
  }
}

describe("frozen list under concurrent changes", () => {
  it("a frozen list never moves a visible row, shows each row once and shows its true state", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
        const world = new World();
        for (let key = 0; key < 50; key += 2) world.do({ do: "take", key });
        let held = freezeList(world.window());
        for (const each of steps) {
          const [first, last] = world.visible;
          const before = held;
          world.do(each);
          const latest = world.window();
          if (each.do === "take_anew") held = freezeList(latest);
          // Applies each state twice, because the list requests pinned keys after the first message and receives them
          // with the second.
          for (let words = 0; words < 2; words++) {
            held = updateFrozenList(
              held,
              newer(latest, { pinned: world.kept(held, latest), visible: world.visible }),
            );
          }
          if (each.do !== "take_anew") assertStill(before, held, first, last, world);
          assertTrue(held, world, latest);
        }
      }),
      { numRuns: 400 },
    );
  });

  function assertStill(
    before: FrozenList,
    after: FrozenList,
    first: number,
    last: number,
    world: World,
  ): void {
    const [from, to] = world.visible;
    for (let place = Math.max(first, from); place <= Math.min(last, to); place++) {
      const was = before.rows[place - before.offset];
      // Skips rows that were not in the earlier list or are before the current window.
      if (was === undefined || place < world.offset) continue;
      expect(after.rows[place - after.offset]?.path, `place ${place}`).toBe(was.path);
    }
  }

  function assertTrue(held: FrozenList, world: World, latest: LiveWindow): void {
    expect(new Set(held.rows.map(({ path }) => path)).size).toBe(held.rows.length);
    for (const { lock: shown, end } of held.rows) {
      const now = world.locks.get(Number(shown.key));
      expect(end === null, shown.key).toBe(now !== undefined);
      if (now !== undefined) expect(shown.version).toBe(now.version);
    }
    expect(held.total).toBeGreaterThanOrEqual(held.rows.length === 0 ? 0 : held.offset + held.rows.length);
    const same = newer(latest, { pinned: world.kept(held, latest), visible: world.visible });
    expect(updateFrozenList(held, same)).toBe(held);
  }
});
