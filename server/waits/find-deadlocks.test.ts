import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chooseRefusedWait, findDeadlocks } from "./find-deadlocks.ts";
import { type HeldLock, type Wait, WaitGraph } from "./wait-graph.ts";

interface Scenario {
  readonly locks: ReadonlyMap<string, HeldLock>;
  readonly waits: readonly Wait[];
}

const KEYS = ["a", "b", "c", "d", "e"];
const CLIENTS = [0, 1, 2, 3, 4, 5];

const createWait = (
  client: number,
  key: string,
  holding: Wait["holding"],
  more: Partial<Wait> = {},
): Wait => ({
  id: `w${client}`,
  key,
  owner: "worker",
  by: "lockkeeper",
  sinceMs: client,
  untilMs: null,
  holding,
  onDeadlock: "report",
  ...more,
});

/** Random scenarios in which each lock has some holders and each client waits for at most one lock. */
const scenarios: fc.Arbitrary<Scenario> = fc
  .record({
    held: fc.array(
      fc.record({
        holders: fc.uniqueArray(fc.constantFrom(...CLIENTS), { maxLength: 3 }),
        blocking: fc.constantFrom("all" as const, "any" as const),
      }),
      { minLength: KEYS.length, maxLength: KEYS.length },
    ),
    targets: fc.array(fc.option(fc.constantFrom(...KEYS)), {
      minLength: CLIENTS.length,
      maxLength: CLIENTS.length,
    }),
  })
  .map(({ held, targets }) => {
    const locks = new Map<string, HeldLock>();
    held.forEach(({ holders, blocking }, at) => {
      if (holders.length > 0) locks.set(KEYS[at] ?? "", { blocking, tokens: holders.map((c) => `t${c}`) });
    });
    const waits = targets.flatMap((key, client) => {
      if (key === null) return [];
      const holding = KEYS.filter((each) => locks.get(each)?.tokens.includes(`t${client}`));
      return [
        createWait(
          client,
          key,
          holding.map((each) => ({ key: each, token: `t${client}` })),
        ),
      ];
    });
    return { locks, waits };
  });

function build(waits: readonly Wait[]): WaitGraph {
  const graph = new WaitGraph();
  for (const key of KEYS)
    graph.setWaits(
      key,
      waits.filter((wait) => wait.key === key),
    );
  return graph;
}

const find = ({ locks, waits }: Scenario) => findDeadlocks(build(waits), (key) => locks.get(key));

/**
 * Reference implementation. Lets clients continue one by one, as a scheduler would, until none can, and returns the
 * remaining waits.
 */
function listStuck({ locks, waits }: Scenario): Set<Wait> {
  const stuck = new Set(waits);
  const isStuck = (token: string) =>
    [...stuck].some((wait) => wait.holding.some((hold) => hold.token === token));
  for (;;) {
    const runnable = [...stuck].find(({ key }) => {
      const lock = locks.get(key);
      if (lock === undefined) return true;
      return lock.blocking === "all" ? !lock.tokens.some(isStuck) : !lock.tokens.every(isStuck);
    });
    if (runnable === undefined) return stuck;
    stuck.delete(runnable);
  }
}

/** Reference implementation. Returns the stuck waits that are part of a cycle. */
function listCyclic(scenario: Scenario): Set<Wait> {
  const stuck = [...listStuck(scenario)];
  const isNext = (one: Wait, other: Wait) =>
    other.holding.some(
      ({ key, token }) => key === one.key && scenario.locks.get(key)?.tokens.includes(token),
    );
  const reaches = new Set<string>();
  for (const one of stuck) for (const other of stuck) if (isNext(one, other)) reaches.add(one.id + other.id);
  for (const middle of stuck)
    for (const one of stuck)
      for (const other of stuck)
        if (reaches.has(one.id + middle.id) && reaches.has(middle.id + other.id))
          reaches.add(one.id + other.id);
  return new Set(stuck.filter(({ id }) => reaches.has(id + id)));
}

describe("findDeadlocks", () => {
  test("finds exactly the waits that the reference finds", () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const found = find(scenario).flatMap(({ waits }) => waits);
        expect(new Set(found)).toEqual(listCyclic(scenario));
        expect(found.length).toBe(new Set(found).size);
      }),
      { numRuns: 3000 },
    );
  });

  test("a cycle leads from each wait to a holder of its lock, and back", () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        for (const { cycle, waits } of find(scenario)) {
          cycle.forEach((wait, at) => {
            const next = cycle[(at + 1) % cycle.length];
            const tokens = scenario.locks.get(wait.key)?.tokens ?? [];
            expect(next?.holding.some(({ key, token }) => key === wait.key && tokens.includes(token))).toBe(
              true,
            );
            expect(waits).toContain(wait);
          });
        }
      }),
      { numRuns: 3000 },
    );
  });

  test("waits of several updates give the same result as a new graph", () => {
    fc.assert(
      fc.property(fc.array(scenarios, { minLength: 2, maxLength: 4 }), (steps) => {
        const graph = new WaitGraph();
        for (const { waits } of steps)
          for (const key of KEYS)
            graph.setWaits(
              key,
              waits.filter((wait) => wait.key === key),
            );
        const last = steps.at(-1) as Scenario;
        const names = (found: ReturnType<typeof findDeadlocks>) =>
          found
            .map(({ waits }) =>
              waits
                .map(({ id }) => id)
                .sort()
                .join(),
            )
            .sort();
        expect(names(findDeadlocks(graph, (key) => last.locks.get(key)))).toEqual(names(find(last)));
        expect(graph.size).toBe(last.waits.length);
      }),
    );
  });

  test("owner labels make no edge", () => {
    const locks = new Map<string, HeldLock>([
      ["a", { blocking: "all", tokens: ["t1"] }],
      ["b", { blocking: "all", tokens: ["t2"] }],
    ]);
    // Equal owner labels do not show that two waits belong to one client. Only declared holds do.
    expect(find({ locks, waits: [createWait(1, "b", []), createWait(2, "a", [])] })).toEqual([]);
  });

  test("a waiter of a semaphore is not in a deadlock while one holder of permits can continue", () => {
    const locks = new Map<string, HeldLock>([
      ["a", { blocking: "all", tokens: ["t1"] }],
      ["b", { blocking: "any", tokens: ["t2", "t3"] }],
    ]);
    const waits = [
      createWait(1, "b", [{ key: "a", token: "t1" }]),
      createWait(2, "a", [{ key: "b", token: "t2" }]),
    ];
    expect(find({ locks, waits })).toEqual([]);
    const withThird = [...waits, createWait(3, "a", [{ key: "b", token: "t3" }])];
    expect(find({ locks, waits: withThird })[0]?.waits).toHaveLength(3);
  });

  test("a client that waits for its own lock is a deadlock of one", () => {
    const locks = new Map<string, HeldLock>([["a", { blocking: "all", tokens: ["t1"] }]]);
    const waits = [createWait(1, "a", [{ key: "a", token: "t1" }])];
    expect(find({ locks, waits })).toEqual([{ waits, cycle: waits }]);
  });

  test("a hold that has ended makes no edge", () => {
    const locks = new Map<string, HeldLock>([
      ["a", { blocking: "all", tokens: ["t9"] }],
      ["b", { blocking: "all", tokens: ["t2"] }],
    ]);
    const waits = [
      createWait(1, "b", [{ key: "a", token: "t1" }]),
      createWait(2, "a", [{ key: "b", token: "t2" }]),
    ];
    expect(find({ locks, waits })).toEqual([]);
  });

  test("the youngest of the waits that chose to be refused is refused", () => {
    const refuse = (client: number) =>
      createWait(client, "a", [], { onDeadlock: "refuse", waitId: `id${client}` });
    const waits = [refuse(1), refuse(3), createWait(5, "a", [])];
    expect(chooseRefusedWait({ waits, cycle: waits })?.waitId).toBe("id3");
    const reported = [createWait(1, "a", [])];
    expect(chooseRefusedWait({ waits: reported, cycle: reported })).toBeUndefined();
  });

  test("thousands of waits that declare nothing cost no time", () => {
    const graph = new WaitGraph();
    const waits = Array.from({ length: 1000 }, (_, at) => createWait(at, "a", []));
    graph.setWaits("a", waits);
    let reads = 0;
    findDeadlocks(graph, () => {
      reads++;
      return undefined;
    });
    expect(reads).toBe(0);
  });
});
