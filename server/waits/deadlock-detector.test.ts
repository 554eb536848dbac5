import { pino } from "pino";
import { expect, test } from "vitest";
import type { Key } from "../../lib/keys/key.ts";
import type { Masters } from "../redis/master.ts";
import type { ObservedHold } from "../watch/holds/observed-hold.ts";
import { DeadlockDetector } from "./deadlock-detector.ts";
import { toGraphToken, type Wait, WaitGraph } from "./wait-graph.ts";

interface TestHold {
  readonly token: string;
  readonly principal?: string;
  readonly kind?: string;
  readonly isPlain?: true;
}

const createWait = (id: string, key: Key, holding: readonly (TestHold & { readonly key: Key })[]): Wait => ({
  ...{ id, key, owner: "worker", by: "lockkeeper", sinceMs: 1, untilMs: null, onDeadlock: "report" },
  holding: holding.map((hold) => ({ key: hold.key, token: toGraphToken(hold) })),
});

/** Creates a detector for two clients that hold `a` and `b` and wait for each other's lock. */
function createDetector(holds: Record<Key, TestHold>, onReadAgain: () => void = () => undefined) {
  const graph = new WaitGraph();
  graph.setWaits("b", [createWait("one", "b", [{ key: "a", token: "t1" }])]);
  graph.setWaits("a", [createWait("two", "a", [{ key: "b", token: "t2" }])]);
  const detector = new DeadlockDetector({
    graph,
    masters: { list: [] } as Pick<Masters, "list"> as Masters,
    canWrite: false,
    target: "default",
    log: pino({ level: "silent" }),
    findHold(key) {
      const { kind = "lock", isPlain, ...holder } = holds[key] ?? { token: "none" };
      return { seen: { state: "held", kind, isPlain, holders: [holder] } } as unknown as ObservedHold;
    },
    readAgain: () => Promise.resolve(onReadAgain()),
  });
  return { graph, detector };
}

const HELD = { a: { token: "t1" }, b: { token: "t2" } };

test("a deadlock is reported once, after it was read again", async () => {
  let reads = 0;
  const { detector } = createDetector(HELD, () => reads++);
  await detector.update();
  await detector.update();
  expect([detector.deadlocks.length, detector.count, reads]).toEqual([1, 1, 1]);
});

test("a deadlock that is gone when it is read again is not reported", async () => {
  const { graph, detector } = createDetector(HELD, () => graph.setWaits("a", []));
  await detector.update();
  expect([detector.deadlocks.length, detector.count]).toEqual([0, 0]);
});

test("holds of another principal make no deadlock", async () => {
  const { detector } = createDetector({ ...HELD, b: { token: "t2", principal: "other" } });
  await detector.update();
  expect(detector.deadlocks).toEqual([]);
});

test("a plain semaphore makes no deadlock, because other libraries may have permits", async () => {
  const kind = "semaphore";
  const { detector } = createDetector({ ...HELD, b: { token: "t2", kind, isPlain: true } });
  await detector.update();
  expect(detector.deadlocks).toEqual([]);
  const { detector: listed } = createDetector({ ...HELD, b: { token: "t2", kind } });
  await listed.update();
  expect(listed.deadlocks).toHaveLength(1);
});
