import { describe, expect, it } from "vitest";
import { parseRequest, UsageError } from "./arguments.ts";

const KNOWN = ["core.pairs.c1", "core.pairs.c64", "http.pairs"];

describe("requestOf", () => {
  it("selects every figure without an argument", () => {
    expect(parseRequest([], KNOWN)).toEqual({ effort: "full", figures: KNOWN, json: false, list: false });
  });

  it("selects the figures of a group in their own order", () => {
    expect(parseRequest(["core", "--quick"], KNOWN)).toMatchObject({
      effort: "quick",
      figures: ["core.pairs.c1", "core.pairs.c64"],
    });
  });

  it("selects an area by the first words of its figures", () => {
    const figuresOf = (...argv: string[]) => parseRequest(argv, KNOWN).figures;
    expect(figuresOf("core.pairs")).toEqual(["core.pairs.c1", "core.pairs.c64"]);
    expect(figuresOf("core.pairs.c64", "http")).toEqual(["core.pairs.c64", "http.pairs"]);
  });

  it("selects single figures, with their group or without", () => {
    expect(parseRequest(["--only", "http.pairs", "--only", "core.pairs.c1"], KNOWN).figures).toEqual([
      "core.pairs.c1",
      "http.pairs",
    ]);
    expect(parseRequest(["core", "--only=core.pairs.c64"], KNOWN).figures).toEqual(["core.pairs.c64"]);
  });

  it("omits figures on demand unless they are named or listed", () => {
    const figuresOf = (...argv: string[]) => parseRequest(argv, KNOWN, ["core.pairs.c64"]).figures;
    expect(figuresOf("core")).toEqual(["core.pairs.c1"]);
    expect(figuresOf("--only", "core.pairs.c64")).toEqual(["core.pairs.c64"]);
    expect(figuresOf("--list")).toEqual(KNOWN);
  });

  it("takes a commit to compare with, and the number of rounds", () => {
    expect(parseRequest(["core", "--compare", "edc7eb8"], KNOWN).comparison).toEqual({
      ref: "edc7eb8",
      rounds: 6,
    });
    expect(parseRequest(["--compare", "HEAD~1", "--quick"], KNOWN).comparison?.rounds).toBe(2);
    expect(parseRequest(["--compare", "main", "--rounds", "9", "--json"], KNOWN)).toMatchObject({
      json: true,
      comparison: { ref: "main", rounds: 9 },
    });
  });

  it.each([
    [["cores"], /no area "cores": core, http/],
    [["core.pair"], /no area "core.pair": core, http/],
    [["--only", "core.pairs.c2"], /no figure "core.pairs.c2": core.pairs.c1/],
    [["http", "--only", "core.pairs.c1"], /no figure "core.pairs.c1": http.pairs/],
    [["--fast"], /npm run bench --/],
    [["--compare"], /npm run bench --/],
    [["--rounds", "3"], /--rounds needs --compare/],
    [["--compare", "main", "--rounds", "0"], /integer from 1 to 1000, not "0"/],
    [["--compare", "main", "--rounds", "some"], /not "some"/],
  ])("rejects %j and says what is valid", (argv, message) => {
    const ask = () => parseRequest(argv, KNOWN);
    expect(ask).toThrow(UsageError);
    expect(ask).toThrow(message);
  });
});
