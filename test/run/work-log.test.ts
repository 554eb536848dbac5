import { describe, expect, it } from "vitest";
import { findOverlaps, type WorkSpan } from "./work-log.ts";

const span = (fence: string, beganAt: number, lastAt: number, key = "lock:a"): WorkSpan => ({
  key,
  fence,
  beganAt,
  lastAt,
  pid: beganAt,
  parent: 1,
  events: [],
});

describe("findOverlaps", () => {
  it("reports commands of two holds that run at the same time", () => {
    expect(findOverlaps([span("2", 90, 150), span("1", 0, 100)])).toEqual([{ fences: ["1", "2"], ms: 10 }]);
  });

  it("compares with the command that ran longest, not with the last one that began", () => {
    const spans = [span("1", 0, 300), span("2", 100, 110), span("3", 200, 210)];
    expect(findOverlaps(spans).map(({ fences }) => fences)).toEqual([
      ["1", "2"],
      ["1", "3"],
    ]);
  });

  it("accepts processes of the same hold, commands one after the other, and other keys", () => {
    const spans = [span("1", 0, 100), span("1", 50, 120), span("2", 121, 130), span("9", 0, 500, "lock:b")];
    expect(findOverlaps(spans)).toEqual([]);
  });
});
