import { describe, expect, it } from "vitest";
import { figuresOfUsageError, lastWordsOf, listedFigures, nodeArguments, outputOf } from "./protocol.ts";

describe("outputOf", () => {
  it("reads lines and failures, and skips what is neither", () => {
    const line = { figure: "core.a", unit: "ms", ours: 1, vs: {}, conditions: {} };
    const failure = { figure: "core.b", failed: "No grant" };
    const stdout = `${JSON.stringify(line)}\nnpm notice\n{broken\n${JSON.stringify(failure)}\n`;
    expect(outputOf(stdout)).toEqual({ lines: [line], failures: [failure] });
  });
});

describe("the figures of a checkout", () => {
  it("are listed as JSON lines", () => {
    expect(listedFigures('{"figure":"core.a","isOnDemand":false}\n{"figure":"core.b"}\n')).toEqual([
      "core.a",
      "core.b",
    ]);
  });

  it("are in the usage error of versions that cannot list them", () => {
    const stderr = 'There is no figure "?": core.pairs.c1, http.cpu.\n';
    expect(figuresOfUsageError(stderr)).toEqual(["core.pairs.c1", "http.cpu"]);
    expect(figuresOfUsageError("Error: Cannot find package 'tsx'")).toBeUndefined();
  });
});

describe("nodeArguments", () => {
  it("are those of a script that starts node, without redirections", () => {
    expect(nodeArguments("node --import tsx test/bench/main.ts")).toEqual([
      "--import",
      "tsx",
      "test/bench/main.ts",
    ]);
    expect(nodeArguments("node scripts/setup.mjs build bench >&2")).toEqual([
      "scripts/setup.mjs",
      "build",
      "bench",
    ]);
    expect(nodeArguments("vitest run")).toBeUndefined();
    expect(nodeArguments(undefined)).toBeUndefined();
  });
});

describe("lastWordsOf", () => {
  it("is the error if there is one, else the last line", () => {
    expect(lastWordsOf("round 1\nError: bare under load: No grant\n    at load.ts:1\n")).toBe(
      "Error: bare under load: No grant",
    );
    expect(lastWordsOf("round 1\nKilled\n\n")).toBe("Killed");
    expect(lastWordsOf("")).toBe("no output");
  });
});
