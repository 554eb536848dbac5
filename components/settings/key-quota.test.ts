import { describe, expect, it } from "vitest";
import { formatMebibytes, parseQuotaText, toQuotaText } from "./key-quota.ts";

describe("quota fields", () => {
  it("an empty field means the limit of the server", () => {
    expect(parseQuotaText({ holds: " ", mebibytes: "" })).toEqual({ holdsMax: null, bytesMax: null });
    expect(toQuotaText({ holdsMax: null, bytesMax: null })).toEqual({ holds: "", mebibytes: "" });
  });

  it("numbers are read, and shown again as they were typed", () => {
    const quota = { holdsMax: 500, bytesMax: 1_572_864 };
    expect(parseQuotaText({ holds: "500", mebibytes: "1.5" })).toEqual(quota);
    expect(toQuotaText(quota)).toEqual({ holds: "500", mebibytes: "1.5" });
  });

  it.for([
    ["0", ""],
    ["-1", ""],
    ["1.5", ""],
    ["many", ""],
    ["", "0"],
    ["", "1e3"],
  ])("holds %j and MiB %j are rejected", ([holds = "", mebibytes = ""]) => {
    expect(parseQuotaText({ holds, mebibytes })).toBeUndefined();
  });

  it("sizes have one decimal place at most", () => {
    expect([0, 118_272, 67_108_864].map(formatMebibytes)).toEqual(["0", "0.1", "64"]);
  });
});
