import { expect, it, vi } from "vitest";
import type { HistoryEntry } from "../../lib/contract/event.ts";
import { EventIndex } from "./events/event-index.ts";
import type { UnnumberedEvent } from "./events/stream-entry.ts";
import { type ObservedEvent, ObservedEvents } from "./observed-events.ts";
import { matchRecordedEntry, UnrecordedSearch } from "./unrecorded-observations.ts";

const NOW = 1_000_000;

const buildEvent = (
  key: string,
  type: "acquired" | "released" | "seen",
  at: number,
  more: Partial<UnnumberedEvent> = {},
): UnnumberedEvent => ({ type, target: "t", key, at, owner: "pod-2:17", observed: "exact", ...more });

function createHistory() {
  const index = new EventIndex({ most: 1000, ms: 60_000 });
  let last = 0;
  return {
    index,
    observedEvents: new ObservedEvents(),
    record(event: UnnumberedEvent): HistoryEntry {
      const entry = { id: `${NOW}-${last++}`, ...event };
      index.add([entry]);
      return entry;
    },
  };
}

/** Compares the observations in slices and then returns the missing ones. */
async function findUnrecorded(
  observedEvents: ObservedEvents,
  index: EventIndex,
  isAfterGap: boolean,
): Promise<ObservedEvent[]> {
  const search = new UnrecordedSearch(observedEvents, index, isAfterGap);
  await search.compare(NOW);
  return search.finish(NOW);
}

it("only keys with an observation that is not known to be recorded are compared with the history", async () => {
  const { index, observedEvents, record } = createHistory();
  for (let n = 0; n < 500; n++) {
    const event = buildEvent(`lock:${n}`, "acquired", NOW + n);
    const observation = observedEvents.add(event, NOW);
    record(event);
    if (n > 0) observedEvents.markRecorded(observation);
  }
  const added = observedEvents.add(buildEvent("lock:7", "released", NOW + 900), NOW);
  const compare = vi.spyOn(index, "listTimeline");
  expect(await findUnrecorded(observedEvents, index, false)).toEqual([added]);
  expect(compare.mock.calls.map(([key]) => key)).toEqual(["lock:0", "lock:7"]);
  // After the first call, the observations that the history contains are marked as recorded.
  compare.mockClear();
  await findUnrecorded(observedEvents, index, false);
  expect(compare.mock.calls.map(([key]) => key)).toEqual(["lock:7"]);
});

it("a hold that was merely seen is compared again after a gap, even if it was recorded", async () => {
  const { index, observedEvents, record } = createHistory();
  const seen = buildEvent("lock:a", "seen", NOW, { fence: "7" });
  const observation = observedEvents.add(seen, NOW);
  record(seen);
  observedEvents.markRecorded(observation);
  expect(await findUnrecorded(observedEvents, index, false)).toEqual([]);
  expect(await findUnrecorded(observedEvents, index, true)).toEqual([observation]);
});

it("observations that are added during the comparison are compared at its end, with the earlier ones of their keys", async () => {
  const { index, observedEvents, record } = createHistory();
  const events = [0, 1, 2].map((n) => buildEvent(`lock:${n}`, "acquired", NOW + n));
  const [recorded, missing] = events.map((event) => observedEvents.add(event, NOW));
  record(buildEvent("lock:0", "acquired", NOW));
  const search = new UnrecordedSearch(observedEvents, index, false);
  const comparing = search.compare(NOW);
  const released = [0, 1, 9].map((n) =>
    observedEvents.add(buildEvent(`lock:${n}`, "released", NOW + 900 + n), NOW),
  );
  await comparing;
  const [, , unmatched] = events;
  const compare = vi.spyOn(index, "listTimeline");
  expect(search.finish(NOW).map(({ event }) => event)).toEqual([
    missing?.event,
    unmatched,
    ...released.map(({ event }) => event),
  ]);
  expect(compare.mock.calls.map(([key]) => key)).toEqual(["lock:0", "lock:1", "lock:9"]);
  expect(observedEvents.getUnrecorded(recorded?.key ?? "")).toEqual(new Set(released.slice(0, 1)));
});

it("entries of another instance are matched with observations one by one, in order", () => {
  const { observedEvents, record } = createHistory();
  const [first, second] = [NOW, NOW + 300].map((at, n) => {
    const observation = observedEvents.add(buildEvent("lock:a", "acquired", at), NOW);
    observation.temporaryId = `early-${n}`;
    return observation;
  });
  const other = observedEvents.add(buildEvent("lock:b", "acquired", NOW), NOW);
  const entry = record(buildEvent("lock:a", "acquired", NOW + 20));
  expect(matchRecordedEntry(entry, observedEvents)).toBe("early-0");
  expect(first?.temporaryId).toBeUndefined();
  expect([...(observedEvents.getUnrecorded(other.key) ?? [])]).toEqual([other]);
  expect(matchRecordedEntry(record(buildEvent("lock:a", "acquired", NOW + 310)), observedEvents)).toBe(
    "early-1",
  );
  expect(second?.temporaryId).toBeUndefined();
  expect(matchRecordedEntry(record(buildEvent("lock:a", "acquired", NOW + 320)), observedEvents)).toBe(
    undefined,
  );
});
