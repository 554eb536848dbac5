import { describe, expect, it } from "vitest";
import type { MasterHealth } from "../../lib/contract/live.ts";
import { findingsOf, type TargetFacts } from "./findings.ts";
import type { MasterFacts } from "./redis-facts.ts";

const SAFE = {
  redis_version: "7.4.1",
  maxmemory: "0",
  maxmemory_policy: "noeviction",
  used_memory: "1000",
  evicted_keys: "0",
  aof_enabled: "1",
  uptime_in_seconds: "86400",
  connected_slaves: "1",
};

const told = (name: string, info: object = {}, config: object = {}): MasterFacts => ({
  name,
  info: { facts: new Map(Object.entries({ ...SAFE, ...info })) },
  config: { facts: new Map(Object.entries({ "min-replicas-to-write": "1", save: "", ...config })) },
  missing: [],
});

const master = (name: string, more: Partial<MasterHealth> = {}): MasterHealth => ({
  ...{ name, state: "live", notifications: "on", lagMs: 1, clockOffsetMs: 0, scannedAt: 1, scanMs: 1 },
  ...more,
});

const facts = (more: Partial<TargetFacts> = {}): TargetFacts => ({
  topology: "standalone",
  notifications: { state: "on", detail: undefined },
  masters: [master("a:1")],
  told: [told("a:1")],
  sentinel: undefined,
  user: "default",
  ...more,
});

const sentinel = (quorum: number, others: number) =>
  new Map([
    ["name", "shop"],
    ["quorum", String(quorum)],
    ["num-other-sentinels", String(others)],
  ]);

const codesOf = (more: Partial<TargetFacts>) =>
  findingsOf(facts(more)).map(({ code, severity }) => `${severity} ${code}`);

describe("findings", () => {
  it("there are none of a Redis that is fit for locks", () => {
    expect(findingsOf(facts())).toEqual([]);
  });

  it.each<[string, Partial<TargetFacts>, string[]]>([
    [
      "evicts",
      { told: [told("a", { maxmemory: "9", maxmemory_policy: "volatile-ttl", used_memory: "1" })] },
      ["danger eviction"],
    ],
    ["would evict", { told: [told("a", { maxmemory_policy: "allkeys-lru" })] }, ["note eviction"]],
    ["has evicted", { told: [told("a", { evicted_keys: "3" })] }, ["note evicted"]],
    ["is nearly full", { told: [told("a", { maxmemory: "1000", used_memory: "950" })] }, ["warning memory"]],
    ["keeps nothing", { told: [told("a", { aof_enabled: "0" })] }, ["warning persistence"]],
    [
      "keeps snapshots",
      { told: [told("a", { aof_enabled: "0" }, { save: "3600 1" })] },
      ["note persistence"],
    ],
    ["has just started", { told: [told("a", { uptime_in_seconds: "9" })] }, ["note restarted"]],
    ["has no replica", { told: [told("a", { connected_slaves: "0" })] }, ["note no_replica"]],
    [
      "asks for no replica",
      { told: [told("a", {}, { "min-replicas-to-write": "0" })] },
      ["warning min_replicas"],
    ],
    ["is old", { told: [told("a", { redis_version: "6.2.14" })] }, ["note version"]],
    ["is a Valkey", { told: [told("a", { redis_version: "7.2.4", valkey_version: "8.0.1" })] }, []],
    ["does not answer", { masters: [master("a", { state: "down" })], told: [] }, ["danger down"]],
    [
      "is silent",
      { notifications: { state: "off", detail: "x" }, masters: [master("a", { notifications: "off" })] },
      ["warning notifications"],
    ],
    ["has another time", { masters: [master("a", { clockOffsetMs: -1500 })] }, ["warning clock"]],
    [
      "has two times",
      { masters: [master("a", { clockOffsetMs: -600 }), master("b", { clockOffsetMs: 600 })] },
      ["warning clocks_apart"],
    ],
    ["is a small cluster", { topology: "cluster" }, ["warning few_masters"]],
    [
      "is an even quorum",
      { topology: "quorum", masters: [master("a"), master("b")] },
      ["warning even_quorum"],
    ],
    ["has two sentinels", { topology: "sentinel", sentinel: sentinel(2, 1) }, ["warning few_sentinels"]],
    ["is never promoted", { topology: "sentinel", sentinel: sentinel(4, 2) }, ["danger sentinel_quorum"]],
    ["has good sentinels", { topology: "sentinel", sentinel: sentinel(2, 2) }, []],
    [
      "has silent sentinels",
      { topology: "sentinel", sentinel: { refused: "timeout" } },
      ["unknown sentinel_unknown"],
    ],
    [
      "may not be asked",
      { told: [{ name: "a", info: { refused: "NOPERM" }, config: { refused: "NOPERM" }, missing: [] }] },
      ["unknown unread", "unknown unread"],
    ],
  ])("of one that %s", (_, more, codes) => {
    expect(codesOf(more)).toEqual(codes);
  });

  it("the worst comes first, and what masters have in common is said once", () => {
    const bad = { maxmemory: "9", used_memory: "1", maxmemory_policy: "allkeys-lru", connected_slaves: "0" };
    const found = findingsOf(facts({ told: [told("a", bad), told("b", bad)] }));
    expect(found.map(({ code, masters }) => [code, masters])).toEqual([
      ["eviction", ["a", "b"]],
      ["no_replica", ["a", "b"]],
    ]);
    expect(found[0]?.command).toBe("CONFIG SET maxmemory-policy noeviction");
  });

  it("rights that are missing are named, with what grants them", () => {
    const [found] = findingsOf(
      facts({ user: "app", told: [{ ...told("a"), missing: ["SCAN", "PUBSUB NUMSUB"] }] }),
    );
    expect(found).toMatchObject({ code: "rights", severity: "danger" });
    expect(found?.command).toBe("ACL SETUSER app +scan +pubsub|numsub");
  });
});
