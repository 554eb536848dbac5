import { describe, expect, it } from "vitest";
import { commandOf, textOf, UsageError } from "./arguments.ts";
import { FAULTS } from "./faults/known.ts";

describe("the command line", () => {
  it("runs all faults on one server unless it says otherwise", () => {
    const command = commandOf([], () => 0.5);
    expect(command).toMatchObject({
      topology: "single",
      format: "redisson",
      seed: 500_000,
      leaseMs: 1500,
      contexts: 3,
    });
    const other = [...FAULTS.keys()].filter((name) => !command.faults.includes(name));
    expect(other).toEqual(["lose-data-and-set-clock-back"]);
    expect(textOf(command)).not.toContain("--faults");
  });

  it("leaves API servers to one Redis: on a quorum there is nothing for their faults to befall", () => {
    const quorum = commandOf(["--topology", "quorum", "--seed", "1"]);
    const single = commandOf(["--topology", "single"]);
    const api = single.faults.filter((name) => name.endsWith("-api"));
    expect(api).toContain("restart-api");
    expect(quorum.faults).toEqual(single.faults.filter((name) => !api.includes(name)));
    expect(textOf(quorum)).toBe("npm run chaos -- --topology quorum --seconds 30 --seed 1");
  });

  it("takes some faults, or none", () => {
    expect(commandOf(["--faults", "flushall,kill-worker"]).faults).toEqual(["flushall", "kill-worker"]);
    expect(commandOf(["--faults", "none"]).faults).toEqual([]);
  });

  it.each([
    [["--faults", "flushall,earthquake"], "flushall"],
    [["--topology", "cluster"], "single, quorum"],
    [["--topology", "quorum", "--faults", "restart-api"], "fault on topology quorum"],
    [["--format", "zookeeper"], "redisson, token, timestamp"],
    [["--topology", "quorum", "--format", "timestamp"], "format token alone"],
    [["--seconds", "-1"], "npm run chaos"],
    [["--seconds", "soon"], "whole number"],
    [["--nemesis", "x"], "npm run chaos"],
  ])("refuses %j and says what there is", (argv, hint) => {
    expect(() => commandOf(argv)).toThrow(UsageError);
    expect(() => commandOf(argv)).toThrow(hint);
  });

  it("is told again by what it stands for", () => {
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
    ];
    const command = commandOf(argv);
    expect(commandOf(textOf(command).split(" ").slice(4))).toEqual(command);
  });
});
