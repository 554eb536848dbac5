import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { forEachYielding, runYielding } from "./for-each-yielding.ts";
import type { TaskOwner } from "./task-owner.ts";

function createOwner(id: string): TaskOwner & { chargedMs: number } {
  return {
    id,
    chargedMs: 0,
    charge(ms) {
      this.chargedMs += ms;
    },
  };
}

/** Keeps the CPU busy for `ms` milliseconds. */
function spendMs(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

const range = (length: number) => Array.from({ length }, (_, n) => n);

it("a short task of one owner ends before the long tasks of another", async () => {
  const ended: string[] = [];
  const [loud, quiet] = [createOwner("loud"), createOwner("quiet")];
  const tasks = ["long 1", "long 2", "long 3"].map((name) =>
    forEachYielding(range(80), () => spendMs(1), loud).then(() => ended.push(name)),
  );
  tasks.push(forEachYielding(range(8), () => spendMs(0.1), quiet).then(() => ended.push("short")));
  await Promise.all(tasks);
  expect(ended).toEqual(["short", "long 1", "long 2", "long 3"]);
});

it("tasks of one owner do not run at the same time", async () => {
  const owner = createOwner("one");
  let running = 0;
  let most = 0;
  function* items() {
    most = Math.max(most, ++running);
    yield* range(40);
    running--;
  }
  await Promise.all(range(5).map(() => forEachYielding(items(), () => spendMs(0.5), owner)));
  expect(most).toBe(1);
});

it("other events are handled between slices, and each owner pays for its own time", async () => {
  const [one, two] = [createOwner("one"), createOwner("two")];
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  await Promise.all([
    forEachYielding(range(100), () => spendMs(1), one),
    forEachYielding(range(20), () => spendMs(1), two),
  ]);
  clearInterval(timer);
  // The work takes 120 ms and runs in slices of at most 8 items.
  expect(turns).toBeGreaterThanOrEqual(10);
  expect(one.chargedMs / two.chargedMs).toBeGreaterThan(1.5);
});

it("an error ends its task alone", async () => {
  const owner = createOwner("one");
  const failing = forEachYielding(
    range(3),
    () => {
      throw new Error("bad item");
    },
    owner,
  );
  const taken: number[] = [];
  const next = forEachYielding(range(3), (item) => taken.push(item), owner);
  await expect(failing).rejects.toThrow("bad item");
  await next;
  expect(taken).toEqual([0, 1, 2]);
});

it("one piece of work runs in each turn of the event loop, and owners take turns", async () => {
  const [loud, quiet] = [createOwner("loud"), createOwner("quiet")];
  const ended: string[] = [];
  const works = ["loud 1", "loud 2", "loud 3"].map((name) => runYielding(() => ended.push(name), loud));
  works.push(runYielding(() => ended.push("quiet"), quiet));
  for (let turns = 0; ended.length < 4; turns++) {
    const before = ended.length;
    await setImmediate();
    expect(ended.length - before).toBeLessThanOrEqual(1);
    expect(turns).toBeLessThan(100);
  }
  await Promise.all(works);
  expect(ended.indexOf("quiet")).toBeLessThan(2);
});

it("a promise that a piece of work returns does not delay other work", async () => {
  const owner = createOwner("one");
  const ended: string[] = [];
  const pending = runYielding(() => new Promise<string>(() => undefined), owner);
  void pending.then(() => ended.push("pending"));
  await runYielding(() => ended.push("next"), owner);
  expect(ended).toEqual(["next"]);
  await expect(runYielding(() => Promise.reject(new Error("failed")), owner)).rejects.toThrow("failed");
});

it("most turns of the event loop are free of tasks, so that new connections are accepted", async () => {
  let [ended, turns] = [0, 0];
  const works = range(10).map((n) => runYielding(() => ended++, createOwner(`caller ${n}`)));
  for (; ended < works.length; turns++) await setImmediate();
  expect(turns).toBeGreaterThan(4 * works.length);
});
