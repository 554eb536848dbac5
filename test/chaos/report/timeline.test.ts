import { describe, expect, it } from "vitest";
import { runChecks } from "../checks/all.ts";
import {
  buildAcquire,
  buildFault,
  buildHistory,
  buildRelease,
  type EntrySpec,
} from "../checks/history-builder.ts";
import { renderTimeline } from "./timeline.ts";

const inLane = (entries: readonly EntrySpec[], process: string) =>
  entries.map((entry) => ({ ...entry, process, context: "c1" }));

describe("chaos timeline", () => {
  const history = buildHistory(
    inLane(buildAcquire("a<b>", 7_000_123, 10), "w1.1"),
    buildFault("stop-server", 100, 50),
    inLane(buildAcquire("c", 7_000_456, 400), "w2.1"),
    inLane(buildRelease("c", 1300), "w2.1"),
    { op: "serving", type: "info", process: "api1.1", atMs: -2000 },
    buildFault("restart-api", 500, 100).map((entry) => ({ ...entry, target: "api 1" })),
    { op: "serving", type: "info", process: "api1.2", atMs: 590 },
    inLane(buildAcquire("d", 7_000_789, 1400), "h6.1"),
  );
  const page = renderTimeline(history, runChecks(history), "npm run chaos -- --seed 1");

  it("the timeline shows lanes, holds with their tokens, faults and the command to reproduce the run", () => {
    for (const shown of ["w1/c1", "w2/c1", "…000456", "stop-server, server 1", "--seed 1"]) {
      expect(page).toContain(shown);
    }
  });

  it("the timeline shows API servers in the top lanes, with their uptime and faults", () => {
    const lanes = [...page.matchAll(/class="lane"[^>]*>([^<]*)</g)].map(([, name]) => name);
    expect(lanes).toEqual(["api 1", "h6/c1", "w1/c1", "w2/c1"]);
    const bands = [
      ...page.matchAll(
        /<rect class="(serving|fault nothing)" x="([^"]*)" width="([^"]*)" y="([^"]*)" height="([^"]*)"><title>([^<]*)/g,
      ),
    ];
    const shown = Object.fromEntries(
      bands.map(([, , x, width, y, height, title]) => [title, { x, width, y, height }]),
    );
    expect(shown["restart-api, api 1"]).toEqual({ x: "130", width: "8", y: "70", height: "22" });
    expect(shown["api1.1"]).toEqual({ x: "90", width: "40", y: "78", height: "6" });
    expect(shown["api1.2"]).toMatchObject({ x: "137.2" });
  });

  it("the timeline marks each violation and links to it", () => {
    expect(page).toContain('href="#violation-0"');
    expect(page).toContain('id="violation-0"');
  });

  it("the timeline loads no external resource and escapes names", () => {
    expect(page).not.toMatch(/<(script|link|img)|https?:\/\/(?!www\.w3\.org\/2000\/svg)|url\(/);
    expect(page).not.toContain("a<b>");
  });
});
