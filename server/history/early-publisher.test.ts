import { expect, it } from "vitest";
import { measureStalls } from "../../test/support/measure-stalls.ts";
import { EarlyPublisher } from "./early-publisher.ts";
import { EventIndex } from "./events/event-index.ts";
import type { UnnumberedEvent } from "./events/stream-entry.ts";
import { ObservedEvents } from "./observed-events.ts";

const NOW = 1_000_000;
const OBSERVATIONS = 20_000;

function createPublisher(publishedKeys: string[]) {
  const observedEvents = new ObservedEvents();
  const index = new EventIndex({ most: 100_000, ms: 60_000 });
  const publishEarly = ({ key }: UnnumberedEvent) => String(publishedKeys.push(key));
  const publisher = new EarlyPublisher(observedEvents, index, {
    publishEarly,
    publishPast: () => undefined,
    publishRecorded: () => undefined,
  });
  const observe = (key: string) =>
    observedEvents.add(
      { type: "acquired", target: "t", key, at: NOW, owner: "pod-2:17", observed: "exact" },
      NOW,
    );
  return { publisher, observedEvents, observe, start: () => publisher.start(() => NOW) };
}

it("observations from before the start are published first, and all only once", async () => {
  const publishedKeys: string[] = [];
  const { publisher, observe, start } = createPublisher(publishedKeys);
  for (const key of ["a", "b", "c"]) observe(key);
  const starting = start();
  publisher.publish(observe("d"));
  expect(publishedKeys).toEqual([]);
  await starting;
  publisher.publish(observe("e"));
  expect(publishedKeys).toEqual(["a", "b", "c", "d", "e"]);
  await start();
  expect(publishedKeys).toHaveLength(5);
});

it("observations that are recorded meanwhile are not published, and none after a stop", async () => {
  const publishedKeys: string[] = [];
  const { publisher, observedEvents, observe, start } = createPublisher(publishedKeys);
  const [recorded] = ["a", "b"].map(observe);
  const starting = start();
  if (recorded !== undefined) observedEvents.markRecorded(recorded);
  await starting;
  expect(publishedKeys).toEqual(["b"]);
  observe("c");
  const stopped = start();
  publisher.stop();
  await stopped;
  expect(publishedKeys).toEqual(["b"]);
});

it("a later start continues in order although the one before was stopped", async () => {
  const publishedKeys: string[] = [];
  const { publisher, observe, start } = createPublisher(publishedKeys);
  observe("a");
  const first = start();
  publisher.stop();
  const second = start();
  publisher.publish(observe("b"));
  await Promise.all([first, second]);
  expect(publishedKeys).toEqual(["a", "b"]);
});

it(`${OBSERVATIONS} observations never block the event loop for long`, async () => {
  const publishedKeys: string[] = [];
  const { observe, start } = createPublisher(publishedKeys);
  for (let n = 0; n < OBSERVATIONS; n++) observe(`lock:${n}`);
  const { longestMs, totalMs } = await measureStalls(start);
  expect(longestMs).toBeLessThan(Math.max(50, totalMs / 5));
  expect(publishedKeys).toHaveLength(OBSERVATIONS);
});
