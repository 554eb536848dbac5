import { describe, expect, it } from "vitest";
import { judge } from "../checks/all.ts";
import { gave, happened, type Told, told, took } from "../checks/told.ts";
import { timelineOf } from "./timeline.ts";

const inLane = (entries: readonly Told[], process: string) =>
  entries.map((entry) => ({ ...entry, process, context: "c1" }));

describe("the timeline", () => {
  const story = told(
    inLane(took("a<b>", 7_000_123, 10), "w1.1"),
    happened("stop-server", 100, 50),
    inLane(took("c", 7_000_456, 400), "w2.1"),
    inLane(gave("c", 1300), "w2.1"),
  );
  const page = timelineOf(story, judge(story), "npm run chaos -- --seed 1");

  it("shows lanes, holds with their fences, faults, and how to repeat it", () => {
    for (const shown of ["w1/c1", "w2/c1", "…000456", "stop-server, server 1", "--seed 1"]) {
      expect(page).toContain(shown);
    }
  });

  it("marks each violation and links to it", () => {
    expect(page).toContain('href="#violation-0"');
    expect(page).toContain('id="violation-0"');
  });

  it("needs nothing from elsewhere, and takes no name for markup", () => {
    expect(page).not.toMatch(/<(script|link|img)|https?:\/\/(?!www\.w3\.org\/2000\/svg)|url\(/);
    expect(page).not.toContain("a<b>");
  });
});
