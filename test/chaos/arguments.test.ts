import { describe, expect, it } from "vitest";
import { formatCommand, parseCommand, UsageError } from "./arguments.ts";
import { FAULTS } from "./faults/catalog.ts";

describe("chaos command line", () => {
  it("the chaos CLI runs all faults on a single server by default", () => {
    const command = parseCommand([], () => 0.5);
    expect(command).toMatchObject({
      topology: "single",
      format: "redisson",
      seed: 500_000,
      leaseMs: 1500,
      contexts: 3,
      locks: 3,
      latencyMs: 0,
    });
    const other = [...FAULTS.values()].filter(({ name }) => !command.faults.includes(name));
    const ofOneServer = other.filter(({ on }) => on !== "group").map(({ name }) => name);
    expect(ofOneServer).toEqual(["lose-data-and-set-clock-back"]);
    expect(formatCommand(command)).not.toContain("--faults");
  });

  it("the chaos CLI omits API server faults on a quorum topology", () => {
    const quorum = parseCommand(["--topology", "quorum", "--seed", "1"]);
    const single = parseCommand(["--topology", "single"]);
    const api = single.faults.filter((name) => name.endsWith("-api"));
    expect(api).toContain("restart-api");
    expect(quorum.faults).toEqual(single.faults.filter((name) => !api.includes(name)));
    expect(formatCommand(quorum)).toBe("npm run chaos -- --topology quorum --seconds 30 --seed 1");
  });

  it("the chaos CLI uses faults of replica groups instead of single-server ones on Sentinel and Cluster", () => {
    const faults = (topology: string) => parseCommand(["--topology", topology]).faults;
    const master = ["kill-master", "kill-master-ahead", "stop-master", "cut-replica"];
    expect(faults("sentinel")).toEqual(expect.arrayContaining([...master, "failover", "script-flush"]));
    expect(faults("cluster")).toEqual(expect.arrayContaining([...master, "hand-over", "move-slot"]));
    for (const topology of ["sentinel", "cluster"]) {
      expect(faults(topology)).not.toContain("restart-server");
      expect(faults(topology)).not.toContain("restart-api");
    }
    expect(faults("single")).not.toContain("kill-master");
  });

  it("the chaos CLI tests plain locks by default, and the kinds that are selected", () => {
    const plain = parseCommand([]);
    expect(plain.kinds).toEqual(["lock"]);
    expect(formatCommand(plain)).not.toContain("--kinds");
    const { kinds } = parseCommand(["--kinds", "fair,read-write,semaphore,plain-semaphore,latch,fair"]);
    expect(kinds).toEqual(["fair", "read-write", "semaphore", "plain-semaphore", "latch"]);
    expect(parseCommand(["--topology", "quorum", "--kinds", "lock"]).kinds).toEqual(["lock"]);
  });

  it("the chaos CLI accepts a list of faults, or none", () => {
    expect(parseCommand(["--faults", "flushall,kill-worker"]).faults).toEqual(["flushall", "kill-worker"]);
    expect(parseCommand(["--faults", "none"]).faults).toEqual([]);
  });

  it.each([
    [["--faults", "flushall,earthquake"], "flushall"],
    [["--topology", "ring"], "single, quorum, sentinel, cluster"],
    [["--topology", "quorum", "--faults", "restart-api"], "fault on topology quorum"],
    [["--format", "zookeeper"], "redisson, token, timestamp"],
    [["--topology", "quorum", "--format", "timestamp"], "format token alone"],
    [["--kinds", "fair,mutex"], "lock, fair, read-write, semaphore, plain-semaphore, latch, condition"],
    [["--kinds", "fair", "--topology", "quorum"], "on a quorum"],
    [["--kinds", "latch", "--format", "token"], "other than redisson"],
    [["--seconds", "-1"], "npm run chaos"],
    [["--seconds", "soon"], "whole number"],
    [["--nemesis", "x"], "npm run chaos"],
  ])("the chaos CLI rejects %j and lists the valid values", (argv, hint) => {
    expect(() => parseCommand(argv)).toThrow(UsageError);
    expect(() => parseCommand(argv)).toThrow(hint);
  });

  it("a printed chaos command parses back to the same command", () => {
    const argv = [
      "--topology",
      "quorum",
      "--seconds",
      "40",
      "--seed",
      "7",
      "--faults",
      "flushall",
      "--lease-ms",
      "900",
      "--contexts",
      "2",
      "--locks",
      "12",
      "--latency-ms",
      "10",
    ];
    const mixed = parseCommand(["--kinds", "fair,semaphore", "--seed", "7"]);
    expect(parseCommand(formatCommand(mixed).split(" ").slice(4))).toEqual(mixed);
    const command = parseCommand(argv);
    expect(parseCommand(formatCommand(command).split(" ").slice(4))).toEqual(command);
  });
});
