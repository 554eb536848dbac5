import { describe, expect, it } from "vitest";
import { requestOf, UsageError } from "./arguments.ts";

const KNOWN = ["core.pairs.c1", "core.pairs.c64", "http.pairs"];

describe("what is asked of the benchmarks", () => {
  it("is everything without an argument", () => {
    expect(requestOf([], KNOWN)).toEqual({ effort: "full", figures: KNOWN });
  });

  it("is a group's figures, in the order in which they are known", () => {
    expect(requestOf(["core", "--quick"], KNOWN)).toEqual({
      effort: "quick",
      figures: ["core.pairs.c1", "core.pairs.c64"],
    });
  });

  it("is single figures, with their group or without", () => {
    expect(requestOf(["--only", "http.pairs", "--only", "core.pairs.c1"], KNOWN).figures).toEqual([
      "core.pairs.c1",
      "http.pairs",
    ]);
    expect(requestOf(["core", "--only=core.pairs.c64"], KNOWN).figures).toEqual(["core.pairs.c64"]);
  });

  it("leaves out what takes too long, unless it is named", () => {
    const figuresOf = (...argv: string[]) => requestOf(argv, KNOWN, ["core.pairs.c64"]).figures;
    expect(figuresOf("core")).toEqual(["core.pairs.c1"]);
    expect(figuresOf("--only", "core.pairs.c64")).toEqual(["core.pairs.c64"]);
  });

  it.each([
    [["cores"], /no group "cores": core, http/],
    [["--only", "core.pairs.c2"], /no figure "core.pairs.c2": core.pairs.c1/],
    [["http", "--only", "core.pairs.c1"], /no figure "core.pairs.c1": http.pairs/],
    [["--fast"], /npm run bench --/],
  ])("is refused when %j is not there, with what is", (argv, message) => {
    const ask = () => requestOf(argv, KNOWN);
    expect(ask).toThrow(UsageError);
    expect(ask).toThrow(message);
  });
});
