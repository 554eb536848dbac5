import { describe, expect, it } from "vitest";
import { DEFAULT_RETENTION, Journal } from "../../history/journal.ts";
import { UnrecordedEvents } from "./unrecorded-events.ts";

const EVENT = {
  target: "a",
  type: "acquired",
  key: "lock:1",
  owner: "me",
  at: 1,
  observed: "exact",
} as const;

function collect(count: number) {
  const journal = new Journal(DEFAULT_RETENTION);
  const unrecorded = new UnrecordedEvents(journal);
  const ids = Array.from({ length: count }, () => journal.publishEarly(EVENT));
  const record = (previousIds: readonly string[]) =>
    journal.publishRecorded(
      previousIds.map((previousId, n) => ({ entry: { id: `${n}-0`, ...EVENT }, previousId })),
    );
  return { unrecorded, ids, record };
}

/** Measures processor time in microseconds. */
function measureCpu(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

describe("events that are not recorded yet", () => {
  it("lists, in order, the events that were not recorded meanwhile", () => {
    const { unrecorded, ids, record } = collect(5);
    record([ids[1] ?? "", ids[3] ?? ""]);
    expect(unrecorded.list().map(({ entry }) => entry.id)).toEqual([ids[0], ids[2], ids[4]]);
  });

  it("takes time in proportion to the events that are recorded at once", () => {
    // The smallest of several values, because a garbage collection of the process adds to any of them.
    const measure = (count: number) =>
      Math.min(
        ...Array.from({ length: 4 }, () => {
          const { unrecorded, ids, record } = collect(count);
          const cpuUs = measureCpu(() => record(ids));
          expect(unrecorded.list()).toEqual([]);
          return cpuUs;
        }),
      );
    // With eight times as many events, a search through the list for each would take 64 times as long.
    expect(measure(8000)).toBeLessThan(24 * Math.max(1000, measure(1000)));
  });
});
