import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Confidence } from "../../../lib/contract/format.ts";
import { createForeignHolder, type HeldObservation } from "../../formats/observation.ts";
import { KeyPatternSet } from "../../redis/glob.ts";
import { LockIndex, UNLISTED_FILTER } from "./lock-index.ts";
import { BY_KEY } from "./query-context.ts";

const NOW = 1_790_000_000_000;
const CONTEXT = { wasGone: false, since: "exact", continuityId: "1" } as const;

/** Creates an index that lists possible locks only if their keys start with `lock:`. */
function createIndex(maxLocks?: number): LockIndex {
  return new LockIndex(maxLocks, {
    now: () => NOW,
    getTypicalHeldMs: () => undefined,
    isAlwaysListed: (key) => key.startsWith("lock:"),
  });
}

function buildObservation(key: string, confidence: Confidence, owner = "1"): HeldObservation {
  return {
    ...({ state: "held", key, asOf: NOW, type: "string", format: "token", candidates: [] } as const),
    ...({ kind: "lock", confidence, remainingMs: null } as const),
    holders: [createForeignHolder(owner, { record: { service: "svc" } })],
  };
}

const add = (index: LockIndex, key: string, confidence: Confidence, owner?: string) =>
  index.applyObservation(buildObservation(key, confidence, owner), CONTEXT);
const remove = (index: LockIndex, key: string) =>
  index.applyObservation({ state: "free", key, asOf: NOW }, CONTEXT);
const listKeys = (index: LockIndex, filter: string) =>
  index.queryPage(filter, BY_KEY, { offset: 0 }, 1000).holds.map(({ key }) => key);

describe("unlisted locks", () => {
  const index = createIndex();
  add(index, "lock:a", "possible");
  add(index, "app:certain", "certain");
  add(index, "app:likely", "likely");
  add(index, "app:b", "possible");
  add(index, "app:c", "possible", "holder");

  it.each([
    ["", ["app:certain", "app:likely", "lock:a"]],
    ["key:app:*", ["app:certain", "app:likely"]],
    ["owner:=holder", []],
    ["liveness:no_ttl", ["app:certain", "app:likely", "lock:a"]],
    ["is:needs_attention", ["app:certain", "app:likely", "lock:a"]],
    ["is:needs_attention confidence:*", ["app:certain", "app:likely", "lock:a"]],
    ["is:unlisted", ["app:b", "app:c"]],
    ["is:unlisted owner:=holder", ["app:c"]],
    ["confidence:possible", ["app:b", "app:c", "lock:a"]],
    ["confidence:possible is:listed", ["lock:a"]],
    ["key:app:b", ["app:b"]],
    ["key:=app:b", ["app:b"]],
  ])("the filter %s matches %j", (filter, expected) => {
    expect(listKeys(index, filter)).toEqual(expected);
  });

  it("are found by key, and counted apart from the listed ones", () => {
    expect(index.get("app:b")?.isListed).toBe(false);
    expect([index.listedCount, index.countUnlisted(), index.size]).toEqual([3, 2, 5]);
    expect(index.countUnlisted(new KeyPatternSet(["app:b*", "lock:*"]))).toBe(1);
    expect([...index.attentionCounts]).toEqual([["token", 3]]);
  });

  it("are in facets and groups only where the filter selects them", async () => {
    const counts = (filter: string) => index.facets.query({ filter });
    expect([(await counts(""))?.total, (await counts(UNLISTED_FILTER))?.total]).toEqual([3, 2]);
    expect((await counts("format:redisson"))?.listTopValues("format")).toEqual([
      { value: "token", locks: 3 },
    ]);
    const order = { field: "name", direction: 1 } as const;
    const group = async (filter: string) =>
      (await index.groups.query({ by: "service", filter, order }))?.get("svc");
    expect([(await group(""))?.holds, (await group("confidence:*"))?.holds]).toEqual([3, 5]);
    expect((await group("confidence:*"))?.needsAttention).toBe(3);
  });
});

it("a lock becomes listed and unlisted with the confidence of its last reading, in queries that are kept", () => {
  const index = createIndex();
  const keys = ["lock:1", "app:1", "app:2", "app:3"];
  const change = fc.record({
    key: fc.constantFrom(...keys),
    to: fc.constantFrom<Confidence | "free">("certain", "likely", "possible", "free"),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const state = new Map<string, Confidence>();
      for (const key of keys) remove(index, key);
      for (const { key, to } of changes) {
        if (to === "free") remove(index, key);
        else add(index, key, to);
        if (to === "free") state.delete(key);
        else state.set(key, to);
        const isListed = ([name, confidence]: [string, Confidence]) =>
          confidence !== "possible" || name.startsWith("lock:");
        const names = [...state].sort(([a], [b]) => (a < b ? -1 : 1));
        const listed = names.filter(isListed).map(([name]) => name);
        expect(listKeys(index, "")).toEqual(listed);
        expect(listKeys(index, UNLISTED_FILTER)).toEqual(
          names.map(([name]) => name).filter((name) => !listed.includes(name)),
        );
        expect([index.listedCount, index.countUnlisted()]).toEqual([
          listed.length,
          state.size - listed.length,
        ]);
      }
    }),
    { numRuns: 200 },
  );
});

it("a listed lock takes the room of an unlisted one in a full index", () => {
  const index = createIndex(2);
  add(index, "app:a", "possible");
  add(index, "app:b", "certain");
  add(index, "app:c", "possible");
  expect([listKeys(index, "confidence:*"), index.leftOut]).toEqual([["app:a", "app:b"], 1]);
  add(index, "app:d", "certain");
  expect([listKeys(index, "confidence:*"), index.leftOut]).toEqual([["app:b", "app:d"], 2]);
  expect(index.countUnlisted()).toBe(0);
  add(index, "app:e", "certain");
  expect([listKeys(index, "confidence:*"), index.leftOut]).toEqual([["app:b", "app:d"], 3]);
});
