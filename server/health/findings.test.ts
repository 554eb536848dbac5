import { describe, expect, it } from "vitest";
import type { MasterHealth } from "../../lib/contract/live.ts";
import { collectFindings, type TargetFacts } from "./findings.ts";
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

const buildMasterFacts = (name: string, info: object = {}, config: object = {}): MasterFacts => ({
  name,
  info: { facts: new Map(Object.entries({ ...SAFE, ...info })) },
  config: { facts: new Map(Object.entries({ "min-replicas-to-write": "1", save: "", ...config })) },
  missing: [],
});

const buildMasterHealth = (name: string, more: Partial<MasterHealth> = {}): MasterHealth => ({
  ...{ name, state: "live", notifications: "on", roundTripUs: 1, clockOffsetMs: 0, scannedAt: 1, scanMs: 1 },
  ...more,
});

const buildTargetFacts = (more: Partial<TargetFacts> = {}): TargetFacts => ({
  topology: "standalone",
  notifications: { state: "on", detail: undefined },
  masters: [buildMasterHealth("a:1")],
  masterFacts: [buildMasterFacts("a:1")],
  unreadableKeys: undefined,
  sentinel: undefined,
  user: "default",
  ...more,
});

const buildSentinelFacts = (quorum: number, others: number) =>
  new Map([
    ["name", "shop"],
    ["quorum", String(quorum)],
    ["num-other-sentinels", String(others)],
  ]);

const listCodes = (more: Partial<TargetFacts>) =>
  collectFindings(buildTargetFacts(more)).map(({ code, severity }) => `${severity} ${code}`);

describe("health findings", () => {
  it("a Redis suitable for locks has no findings", () => {
    expect(collectFindings(buildTargetFacts())).toEqual([]);
  });

  it.each<[string, Partial<TargetFacts>, string[]]>([
    [
      "evicts keys",
      {
        masterFacts: [
          buildMasterFacts("a", { maxmemory: "9", maxmemory_policy: "volatile-ttl", used_memory: "1" }),
        ],
      },
      ["danger eviction"],
    ],
    [
      "would evict keys once maxmemory is set",
      { masterFacts: [buildMasterFacts("a", { maxmemory_policy: "allkeys-lru" })] },
      ["note eviction"],
    ],
    [
      "refuses writes, as the watcher has seen",
      { masters: [buildMasterHealth("a:1", { writesRefused: "no_replicas" })] },
      ["danger writes_refused"],
    ],
    [
      "lacks replicas, by INFO",
      { masterFacts: [buildMasterFacts("a:1", { min_slaves_good_slaves: "0" })] },
      ["danger writes_refused"],
    ],
    [
      "could not write its append-only file",
      { masterFacts: [buildMasterFacts("a:1", { aof_last_write_status: "err" })] },
      ["danger writes_refused"],
    ],
    [
      "could not save a snapshot",
      {
        masterFacts: [
          buildMasterFacts(
            "a:1",
            { rdb_last_bgsave_status: "err" },
            { save: "60 1", "stop-writes-on-bgsave-error": "yes" },
          ),
        ],
      },
      ["danger writes_refused"],
    ],
    [
      "could not save a snapshot and takes writes all the same",
      { masterFacts: [buildMasterFacts("a:1", { rdb_last_bgsave_status: "err" }, { save: "60 1" })] },
      [],
    ],
    [
      "is full",
      { masterFacts: [buildMasterFacts("a:1", { maxmemory: "100", used_memory: "1000" })] },
      ["danger writes_refused", "warning memory"],
    ],
    ["has evicted keys", { masterFacts: [buildMasterFacts("a", { evicted_keys: "3" })] }, ["note evicted"]],
    [
      "is nearly full",
      { masterFacts: [buildMasterFacts("a", { maxmemory: "1000", used_memory: "950" })] },
      ["warning memory"],
    ],
    [
      "has no persistence",
      { masterFacts: [buildMasterFacts("a", { aof_enabled: "0" })] },
      ["warning persistence"],
    ],
    [
      "only saves snapshots",
      { masterFacts: [buildMasterFacts("a", { aof_enabled: "0" }, { save: "3600 1" })] },
      ["note persistence"],
    ],
    [
      "has just started",
      { masterFacts: [buildMasterFacts("a", { uptime_in_seconds: "9" })] },
      ["note restarted"],
    ],
    [
      "has no replica",
      { masterFacts: [buildMasterFacts("a", { connected_slaves: "0" })] },
      ["note no_replica"],
    ],
    [
      "requires no replica",
      { masterFacts: [buildMasterFacts("a", {}, { "min-replicas-to-write": "0" })] },
      ["warning min_replicas"],
    ],
    ["has key names that are too long", { oversizedKeys: 3 }, ["note oversized_keys"]],
    ["got events that were ignored", { ignoredEvents: 3 }, ["note ignored_events"]],
    ["is outdated", { masterFacts: [buildMasterFacts("a", { redis_version: "6.2.14" })] }, ["note version"]],
    [
      "is a current Valkey",
      { masterFacts: [buildMasterFacts("a", { redis_version: "7.2.4", valkey_version: "8.0.1" })] },
      [],
    ],
    ["is down", { masters: [buildMasterHealth("a", { state: "down" })], masterFacts: [] }, ["danger down"]],
    [
      "sends no notifications",
      {
        notifications: { state: "off", detail: "x" },
        masters: [buildMasterHealth("a", { notifications: "off" })],
      },
      ["warning notifications"],
    ],
    [
      "has a clock offset",
      { masters: [buildMasterHealth("a", { clockOffsetMs: -1500 })] },
      ["warning clock"],
    ],
    [
      "has masters with clocks apart",
      {
        masters: [
          buildMasterHealth("a", { clockOffsetMs: -600 }),
          buildMasterHealth("b", { clockOffsetMs: 600 }),
        ],
      },
      ["warning clocks_apart"],
    ],
    ["is a cluster of too few masters", { topology: "cluster" }, ["warning few_masters"]],
    [
      "is a quorum of an even number of masters",
      { topology: "quorum", masters: [buildMasterHealth("a"), buildMasterHealth("b")] },
      ["warning even_quorum"],
    ],
    [
      "has only two Sentinels",
      { topology: "sentinel", sentinel: buildSentinelFacts(2, 1) },
      ["warning few_sentinels"],
    ],
    [
      "has a Sentinel quorum that cannot be reached",
      { topology: "sentinel", sentinel: buildSentinelFacts(4, 2) },
      ["danger sentinel_quorum"],
    ],
    ["has enough Sentinels", { topology: "sentinel", sentinel: buildSentinelFacts(2, 2) }, []],
    [
      "has unreachable Sentinels",
      { topology: "sentinel", sentinel: { refused: "timeout" } },
      ["unknown sentinel_unknown"],
    ],
    [
      "denies INFO and CONFIG",
      {
        masterFacts: [{ name: "a", info: { refused: "NOPERM" }, config: { refused: "NOPERM" }, missing: [] }],
      },
      ["unknown unread", "unknown unread"],
    ],
  ])("the expected findings are reported for a Redis that %s", (_, more, codes) => {
    expect(listCodes(more)).toEqual(codes);
  });

  it("findings are sorted by severity, and those shared by several masters are merged", () => {
    const bad = { maxmemory: "9", used_memory: "1", maxmemory_policy: "allkeys-lru", connected_slaves: "0" };
    const found = collectFindings(
      buildTargetFacts({ masterFacts: [buildMasterFacts("a", bad), buildMasterFacts("b", bad)] }),
    );
    expect(found.map(({ code, masters }) => [code, masters])).toEqual([
      ["eviction", ["a", "b"]],
      ["no_replica", ["a", "b"]],
    ]);
    expect(found[0]?.command).toBe("CONFIG SET maxmemory-policy noeviction");
  });

  it("missing rights are listed with the ACL command that grants them", () => {
    const [found] = collectFindings(
      buildTargetFacts({
        user: "app",
        masterFacts: [{ ...buildMasterFacts("a"), missing: ["SCAN", "PUBSUB NUMSUB"] }],
      }),
    );
    expect(found).toMatchObject({ code: "rights", severity: "danger" });
    expect(found?.command).toBe("ACL SETUSER app +scan +pubsub|numsub");
  });
});

describe("unreadable keys", () => {
  const draw = (byReason: { too_large: number; forbidden: number; timeout: number; error: number }) => {
    const count = Object.values(byReason).reduce((sum, each) => sum + each, 0);
    return collectFindings(buildTargetFacts({ unreadableKeys: { count, byReason } }));
  };

  it("keys that are only too large are a note that names the setting to narrow", () => {
    const [finding] = draw({ too_large: 2, forbidden: 0, timeout: 0, error: 0 });
    expect(finding).toMatchObject({ code: "unreadable_keys", severity: "note" });
    expect(finding?.risk).toContain("LOCKKEEPER_WATCH");
    expect(finding?.facts).toMatchObject({ count: "2", too_large: "2", forbidden: "0" });
  });

  it("a key that may be a lock is a warning that names what to grant", () => {
    const [finding] = draw({ too_large: 1, forbidden: 1, timeout: 0, error: 0 });
    expect(finding).toMatchObject({ severity: "warning", title: "2 watched keys cannot be read" });
    expect(finding?.risk).toContain("+memory|usage");
  });

  it("no finding is drawn when every key can be read", () => {
    expect(collectFindings(buildTargetFacts())).toEqual([]);
  });
});
