import { beforeEach, describe, expect, it, vi } from "vitest";
import { createForeignHolder, type HeldObservation, type SeenHolder } from "../../formats/observation.ts";
import type { UnnumberedEvent } from "../../history/events/stream-entry.ts";
import type { Journal } from "../../history/journal.ts";
import { updateHold } from "../holds/continuity.ts";
import { EventReporter } from "./event-reporter.ts";

const NOW = 1_795_216_496_000;
const KEY = "lock:a";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  return () => vi.useRealTimers();
});

/** Builds a reader that uses Lockkeeper. All readers have the fencing token of the last writer. */
function buildReader(name: string): SeenHolder {
  return createForeignHolder(`5f0c0c1e-0000-4000-8000-000000000001:${name}`, {
    ...{ owner: `reader-${name}`, role: "read", fence: "100", seq: 1, sinceMs: NOW - 1000, leaseMs: 30_000 },
  });
}

function createReporter() {
  const events: string[] = [];
  const append = ({ type, owner, observed }: UnnumberedEvent) => events.push(`${type} ${owner} ${observed}`);
  const reread = vi.fn(() => true);
  const reporter = new EventReporter("default", { append } as Partial<Journal> as Journal, reread);
  const read = (...names: readonly [string, ...string[]]) => {
    vi.advanceTimersByTime(1);
    const [first, ...others] = names;
    const seen: HeldObservation = {
      ...{ state: "held", key: KEY, type: "hash", asOf: NOW, format: "redisson", candidates: [] },
      ...{ kind: "read", confidence: "certain", remainingMs: 30_000 },
      holders: [buildReader(first), ...others.map(buildReader)],
    };
    const hold = updateHold(undefined, seen, { wasGone: false, since: "exact", continuityId: "1" }, () => 1);
    reporter.reportReading({
      ...{ key: KEY, hold, isIndexed: true, asOf: NOW, sentAt: performance.now() },
      ...{ endCause: undefined, isInitialScan: false },
    });
  };
  return { events, reread, reporter, read };
}

describe("a reader that left while another one keeps the lock", () => {
  it("is not reported as inferred while the event of its release may still arrive", () => {
    const { events, reread, reporter, read } = createReporter();
    read("1", "2");
    vi.advanceTimersByTime(60);
    read("1", "2");
    events.length = 0;
    read("2");
    expect(events).toEqual([]);
    reporter.reportScriptEvent({
      ...{ type: "released", key: KEY, at: NOW, fence: "100", seq: 2, count: 0, heldMs: 1000 },
      ...{ owner: "reader-1", token: buildReader("1").token, by: undefined, reason: undefined },
    });
    read("2");
    vi.advanceTimersByTime(60);
    read("2");
    expect(events).toEqual(["released reader-1 exact"]);
    expect(reread).toHaveBeenCalledWith(KEY);
  });

  it("is reported as inferred if no event arrives", () => {
    const { events, read } = createReporter();
    read("1", "2");
    vi.advanceTimersByTime(60);
    read("1", "2");
    events.length = 0;
    read("2");
    vi.advanceTimersByTime(60);
    read("2");
    expect(events).toEqual(["released reader-1 inferred"]);
  });
});
