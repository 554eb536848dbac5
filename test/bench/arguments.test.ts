import { describe, expect, it } from "vitest";
import { requestOf, UsageError } from "./arguments.ts";

const KNOWN = ["core.pairs.c1", "core.pairs.c64", "http.pairs"];

describe("benchmark arguments", () => {
  it("the benchmark CLI selects every figure at full effort when no argument is given", () => {
    expect(requestOf([], KNOWN)).toEqual({ effort: "full", figures: KNOWN });
  });

  it("a group argument selects the figures of that group in their defined order", () => {
    expect(requestOf(["core", "--quick"], KNOWN)).toEqual({
      effort: "quick",
      figures: ["core.pairs.c1", "core.pairs.c64"],
    });
  });

  it("--only selects single figures, with or without a group argument", () => {
    expect(requestOf(["--only", "http.pairs", "--only", "core.pairs.c1"], KNOWN).figures).toEqual([
      "core.pairs.c1",
      "http.pairs",
    ]);
    expect(requestOf(["core", "--only=core.pairs.c64"], KNOWN).figures).toEqual(["core.pairs.c64"]);
  });

  it("a slow figure is skipped unless --only names it", () => {
    const figuresOf = (...argv: string[]) => requestOf(argv, KNOWN, ["core.pairs.c64"]).figures;
    expect(figuresOf("core")).toEqual(["core.pairs.c1"]);
    expect(figuresOf("--only", "core.pairs.c64")).toEqual(["core.pairs.c64"]);
  });

  it.each([
    [["cores"], /no group "cores": core, http/],
    [["--only", "core.pairs.c2"], /no figure "core.pairs.c2": core.pairs.c1/],
    [["http", "--only", "core.pairs.c1"], /no figure "core.pairs.c1": http.pairs/],
    [["--fast"], /npm run bench --/],
  ])("the arguments %j are rejected with a list of the valid names", (argv, message) => {
    const ask = () => requestOf(argv, KNOWN);
    expect(ask).toThrow(UsageError);
    expect(ask).toThrow(message);
  });
});
