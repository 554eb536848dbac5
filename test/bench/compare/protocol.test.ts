import { describe, expect, it } from "vitest";
import {
  getLastLine,
  parseListedFigures,
  parseNodeArguments,
  parseOutput,
  parseUsageErrorFigures,
} from "./protocol.ts";

describe("outputOf", () => {
  it("reads lines and failures, and skips what is neither", () => {
    const line = { figure: "core.a", unit: "ms", ours: 1, vs: {}, conditions: {} };
    const failure = { figure: "core.b", failed: "No grant" };
    const stdout = `${JSON.stringify(line)}\nnpm notice\n{broken\n${JSON.stringify(failure)}\n`;
    expect(parseOutput(stdout)).toEqual({ lines: [line], failures: [failure] });
  });
});

describe("the figures of a checkout", () => {
  it("are listed as JSON lines", () => {
    expect(parseListedFigures('{"figure":"core.a","isOnDemand":false}\n{"figure":"core.b"}\n')).toEqual([
      "core.a",
      "core.b",
    ]);
  });

  it("are in the usage error of versions that cannot list them", () => {
    const stderr = 'There is no figure "?": core.pairs.c1, http.cpu.\n';
    expect(parseUsageErrorFigures(stderr)).toEqual(["core.pairs.c1", "http.cpu"]);
    expect(parseUsageErrorFigures("Error: Cannot find package 'tsx'")).toBeUndefined();
  });
});

describe("nodeArguments", () => {
  it("are those of a script that starts node, without redirections", () => {
    expect(parseNodeArguments("node --import tsx test/bench/main.ts")).toEqual([
      "--import",
      "tsx",
      "test/bench/main.ts",
    ]);
    expect(parseNodeArguments("node scripts/setup.mjs build bench >&2")).toEqual([
      "scripts/setup.mjs",
      "build",
      "bench",
    ]);
    expect(parseNodeArguments("vitest run")).toBeUndefined();
    expect(parseNodeArguments(undefined)).toBeUndefined();
  });
});

describe("lastWordsOf", () => {
  it("is the error if there is one, else the last line", () => {
    expect(getLastLine("round 1\nError: bare under load: No grant\n    at load.ts:1\n")).toBe(
      "Error: bare under load: No grant",
    );
    expect(getLastLine("round 1\nKilled\n\n")).toBe("Killed");
    expect(getLastLine("")).toBe("no output");
  });
});
