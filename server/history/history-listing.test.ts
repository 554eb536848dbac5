import { describe, expect, it } from "vitest";
import { createEventMatcher, createEventTextMatcher } from "../../lib/query/event-matcher.ts";
import { measureStalls } from "../../test/support/measure-stalls.ts";
import { Journal, type Unnumbered } from "./journal.ts";

const EVENTS = 20_000;

function buildEvent(at: number, owner: string): Unnumbered {
  return { type: "acquired", target: "t", key: "lock:a", owner, at, observed: "exact" };
}

function createJournal(count: number, owner = "me"): Journal {
  const journal = new Journal();
  for (let at = 1; at <= count; at++) journal.append(buildEvent(at, owner));
  return journal;
}

const list = (journal: Journal, matches: (at: number) => boolean, limit = 10, cursor?: string) =>
  journal.listHistory({ limit, cursor, order: "newest_first", matches: ({ at }) => matches(at) });

it("a page behind an event that the store has lost is not complete", async () => {
  const journal = createJournal(3);
  expect(await list(journal, () => true, 10, "1-0")).toMatchObject({ items: [], isComplete: false });
  expect(journal.listKeyHistory("lock:a", 10, "1-0")).toMatchObject({ items: [], isComplete: false });
  expect(await list(journal, () => true, 10, journal.newest ?? "")).toMatchObject({ isComplete: true });
  expect(journal.replayAfter("1-0")).toMatchObject({ kind: "gap" });
  expect(new Journal().replayAfter("1-0")).toEqual({ kind: "reset" });
});

describe("listing the history", () => {
  it.each([
    ["an owner glob with many stars", { owner: `${"*a".repeat(149)}b` }],
    ["an owner glob of one character", { owner: `*${"a".repeat(298)}b` }],
    ["an owner glob with wildcards", { owner: `*${"a?".repeat(149)}b` }],
  ])("%s over 20,000 events with owners of 1 KiB never blocks the event loop for long", async (_, filter) => {
    const journal = createJournal(EVENTS, "a".repeat(1024));
    const matches = createEventMatcher(filter);
    const { longestMs, totalMs } = await measureStalls(async () => {
      const { items } = await journal.listHistory({ limit: 10, order: "newest_first", matches });
      expect(items).toEqual([]);
    });
    expect(longestMs).toBeLessThan(Math.max(50, totalMs / 5));
  });

  it("a text search over 20,000 events never blocks the event loop for long", async () => {
    const journal = createJournal(EVENTS, "a".repeat(1024));
    const isMatch = createEventTextMatcher(`${"a".repeat(290)}b key:*${"a".repeat(100)}?b`.slice(0, 300));
    const matches = (entry: Parameters<typeof isMatch>[0] | { type: "gap" }) =>
      "key" in entry && isMatch(entry);
    const { longestMs, totalMs } = await measureStalls(() =>
      journal.listHistory({ limit: 10, order: "newest_first", matches: (entry) => matches(entry) }),
    );
    expect(longestMs).toBeLessThan(Math.max(50, totalMs / 5));
  });

  it("a search is charged to its caller", async () => {
    const journal = createJournal(EVENTS, "a".repeat(1024));
    let charges = 0;
    const caller = { id: "reader", charge: () => void charges++ };
    const matches = createEventMatcher({ owner: `${"*a".repeat(149)}b` });
    await journal.listHistory({ limit: 10, order: "newest_first", matches }, caller);
    expect(charges).toBeGreaterThan(1);
  });

  it("pages of a long search are complete and in order", async () => {
    const journal = createJournal(EVENTS);
    const first = await list(journal, (at) => at % 1000 === 0);
    expect(first.items.map(({ at }) => at)).toEqual(Array.from({ length: 10 }, (_, n) => EVENTS - 1000 * n));
    const second = await list(journal, (at) => at % 1000 === 0, 10, first.next);
    expect(second.items.at(-1)?.at).toBe(1000);
    expect(second.next).toBeUndefined();
  });

  it("events that arrive or are dropped during a search neither repeat nor displace others", async () => {
    const journal = new Journal({ most: 5000, ms: 86_400_000 });
    for (let at = 1; at <= 5000; at++) journal.append(buildEvent(at, "me"));
    const seen: number[] = [];
    const listing = list(journal, (at) => {
      seen.push(at);
      if (at % 100 === 0) for (let n = 0; n < 50; n++) journal.append(buildEvent(100_000, "me"));
      return false;
    });
    expect((await listing).items).toEqual([]);
    expect(seen).toEqual(Array.from({ length: 5000 }, (_, n) => 5000 - n));
  });
});
