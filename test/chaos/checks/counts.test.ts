import { describe, expect, it } from "vitest";
import { counts } from "./counts.ts";
import { gave, happened, lost, stepped, type Told, told, took } from "./told.ts";

const violationsOf = (...history: Parameters<typeof told>) => counts(told(...history)).violations;
const again = (owner: string, atMs: number, count: number) => took(owner, 1, atMs, { call: 2, count });
const unknown = (owner: string, atMs: number, op: "acquire" | "release" = "acquire"): Told[] => [
  { op, type: "invoke", call: 7, owner, atMs: atMs - 1 },
  { op, type: "info", call: 7, owner, atMs, code: "unknown_outcome" },
];

describe("C8 counts", () => {
  it("the count check passes when each acquire adds one and each release removes one", () => {
    const inner = gave("a", 30, { claim: 2, count: 1 });
    expect(violationsOf(took("a", 1, 10), again("a", 20, 2), inner, gave("a", 40))).toEqual([]);
  });

  it("the count check reports an acquire that counts twice, whether first or reentrant", () => {
    expect(violationsOf(took("a", 1, 10, { count: 2 }))).toHaveLength(1);
    expect(violationsOf(took("a", 1, 10), again("a", 20, 3))).toHaveLength(1);
  });

  it("the count check reports a release that removes two", () => {
    const history = [took("a", 1, 10), again("a", 20, 2), gave("a", 30, { claim: 2, count: 0 })];
    expect(violationsOf(...history)).toHaveLength(1);
  });

  it("the count check reports a release that leaves a higher count than was acquired", () => {
    expect(violationsOf(took("a", 1, 10), gave("a", 30, { count: 1 }))).toHaveLength(1);
  });

  it("the count check allows a difference of one after a call of unknown outcome", () => {
    expect(violationsOf(took("a", 1, 10), unknown("a", 20), gave("a", 30, { count: 1 }))).toEqual([]);
    expect(violationsOf(took("a", 1, 10), unknown("a", 20), gave("a", 30, { count: 2 }))).toHaveLength(1);
    const released = [took("a", 1, 10), again("a", 20, 2), unknown("a", 25, "release")];
    expect(violationsOf(...released, gave("a", 30, { count: 0 }))).toEqual([]);
  });

  it("the count check starts over after a hold whose lease expired", () => {
    expect(
      violationsOf(took("a", 1, 10), took("a", 5, 1500, { call: 2 }), gave("a", 1600, { claim: 2 })),
    ).toEqual([]);
  });

  it("the count check reports not_held for a live hold, unless the hold or its data was lost", () => {
    const denied = gave("a", 30, { code: "not_held" });
    expect(violationsOf(took("a", 1, 10), denied)).toHaveLength(1);
    expect(violationsOf(took("a", 1, 10), lost("a", 20), denied)).toEqual([]);
    expect(violationsOf(took("a", 1, 10), happened("flushall", 20), denied)).toEqual([]);
    expect(violationsOf(took("a", 1, 10), gave("a", 1010, { code: "not_held" }))).toEqual([]);
  });

  it("the count check accepts not_held when the server clock jumped ahead by the rest of the lease", () => {
    const denied = [took("a", 1, 10), gave("a", 300, { code: "not_held" })];
    expect(violationsOf(...denied, stepped(800, 100, 50))).toEqual([]);
    expect(violationsOf(...denied, stepped(600, 100, 50))).toHaveLength(1);
  });

  it("the count check accepts a count lost to eviction, but never one that is too high", () => {
    const entered = [took("a", 1, 10), again("a", 20, 2)];
    const less = gave("a", 60, { claim: 2, count: 0 });
    expect(violationsOf(...entered, happened("evict", 30, 100), less)).toEqual([]);
    expect(violationsOf(...entered, happened("full-memory", 30, 100), less)).toHaveLength(1);
    const more = gave("a", 60, { claim: 2, count: 2 });
    expect(violationsOf(...entered, happened("evict", 30, 100), more)).toHaveLength(1);
  });
});
