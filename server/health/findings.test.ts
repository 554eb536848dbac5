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

describe("health findings", () => {
  it("a Redis suitable for locks has no findings", () => {
    expect(findingsOf(facts())).toEqual([]);
  });

  it.each<[string, Partial<TargetFacts>, string[]]>([
    [
      "evicts keys",
      { told: [told("a", { maxmemory: "9", maxmemory_policy: "volatile-ttl", used_memory: "1" })] },
      ["danger eviction"],
    ],
    ["would evict keys once maxmemory is set", { told: [told("a", { maxmemory_policy: "allkeys-lru" })] }, ["note eviction"]],
    ["has evicted keys", { told: [told("a", { evicted_keys: "3" })] }, ["note evicted"]],
    ["is nearly full", { told: [told("a", { maxmemory: "1000", used_memory: "950" })] }, ["warning memory"]],
    ["has no persistence", { told: [told("a", { aof_enabled: "0" })] }, ["warning persistence"]],
    [
      "only saves snapshots",
      { told: [told("a", { aof_enabled: "0" }, { save: "3600 1" })] },
      ["note persistence"],
    ],
    ["has just started", { told: [told("a", { uptime_in_seconds: "9" })] }, ["note restarted"]],
    ["has no replica", { told: [told("a", { connected_slaves: "0" })] }, ["note no_replica"]],
    [
      "requires no replica",
      { told: [told("a", {}, { "min-replicas-to-write": "0" })] },
      ["warning min_replicas"],
    ],
    ["is outdated", { told: [told("a", { redis_version: "6.2.14" })] }, ["note version"]],
    ["is a current Valkey", { told: [told("a", { redis_version: "7.2.4", valkey_version: "8.0.1" })] }, []],
    ["is down", { masters: [master("a", { state: "down" })], told: [] }, ["danger down"]],
    [
      "sends no notifications",
      { notifications: { state: "off", detail: "x" }, masters: [master("a", { notifications: "off" })] },
      ["warning notifications"],
    ],
    ["has a clock offset", { masters: [master("a", { clockOffsetMs: -1500 })] }, ["warning clock"]],
    [
      "has masters with clocks apart",
      { masters: [master("a", { clockOffsetMs: -600 }), master("b", { clockOffsetMs: 600 })] },
      ["warning clocks_apart"],
    ],
    ["is a cluster of too few masters", { topology: "cluster" }, ["warning few_masters"]],
    [
      "is a quorum of an even number of masters",
      { topology: "quorum", masters: [master("a"), master("b")] },
      ["warning even_quorum"],
    ],
    ["has only two Sentinels", { topology: "sentinel", sentinel: sentinel(2, 1) }, ["warning few_sentinels"]],
    ["has a Sentinel quorum that cannot be reached", { topology: "sentinel", sentinel: sentinel(4, 2) }, ["danger sentinel_quorum"]],
    ["has enough Sentinels", { topology: "sentinel", sentinel: sentinel(2, 2) }, []],
    [
      "has unreachable Sentinels",
      { topology: "sentinel", sentinel: { refused: "timeout" } },
      ["unknown sentinel_unknown"],
    ],
    [
      "denies INFO and CONFIG",
      { told: [{ name: "a", info: { refused: "NOPERM" }, config: { refused: "NOPERM" }, missing: [] }] },
      ["unknown unread", "unknown unread"],
    ],
  ])("the expected findings are reported for a Redis that %s", (_, more, codes) => {
    expect(codesOf(more)).toEqual(codes);
  });

  it("findings are sorted by severity, and those shared by several masters are merged", () => {
    const bad = { maxmemory: "9", used_memory: "1", maxmemory_policy: "allkeys-lru", connected_slaves: "0" };
    const found = findingsOf(facts({ told: [told("a", bad), told("b", bad)] }));
    expect(found.map(({ code, masters }) => [code, masters])).toEqual([
      ["eviction", ["a", "b"]],
      ["no_replica", ["a", "b"]],
    ]);
    expect(found[0]?.command).toBe("CONFIG SET maxmemory-policy noeviction");
  });

  it("missing rights are listed with the ACL command that grants them", () => {
    const [found] = findingsOf(
      facts({ user: "app", told: [{ ...told("a"), missing: ["SCAN", "PUBSUB NUMSUB"] }] }),
    );
    expect(found).toMatchObject({ code: "rights", severity: "danger" });
    expect(found?.command).toBe("ACL SETUSER app +scan +pubsub|numsub");
  });
});
