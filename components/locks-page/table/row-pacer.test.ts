import { beforeEach, describe, expect, it } from "vitest";
import { ROWS_PER_FRAME, RowPacer, type RowStage } from "./row-pacer.ts";

const FRAME_MS = 16;

/** Simulates the frames of a browser. The test controls the time. */
class Frames {
  nowMs = 0;
  #runs: { atMs: number; run(): void }[] = [];
  readonly pacer = new RowPacer({
    now: () => this.nowMs,
    runInFrame: (run, afterMs) => this.#runs.push({ atMs: this.nowMs + Math.max(0, afterMs), run }),
  });

  pass(ms: number): void {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs; ) {
      this.nowMs += FRAME_MS;
      const due = this.#runs.filter(({ atMs }) => atMs <= this.nowMs);
      this.#runs = this.#runs.filter((each) => !due.includes(each));
      for (const { run } of due) run();
    }
  }
}

/** A row that waits for its next stage after each stage, like `useRowStage` in the console. */
class Row {
  leave: () => void = () => undefined;

  constructor(
    readonly pacer: RowPacer,
    public stage: RowStage = pacer.admit(),
  ) {
    this.#wait();
  }

  #wait(): void {
    const { stage } = this;
    if (stage === "complete") return;
    const setStage = (next: RowStage) => {
      this.stage = next;
      this.#wait();
    };
    this.leave = this.pacer.wait({ stage, setStage });
  }
}

let frames: Frames;
const addRows = (count: number) => Array.from({ length: count }, () => new Row(frames.pacer));
const countStage = (rows: readonly Row[], stage: RowStage) =>
  rows.filter((row) => row.stage === stage).length;

beforeEach(() => {
  frames = new Frames();
});

describe("row pacer", () => {
  it("all rows that appear without scrolling have their text at once", () => {
    expect(countStage(addRows(40), "text")).toBe(40);
  });

  it("while the table scrolls, only a few rows per frame have their text at once", () => {
    frames.pacer.isScrolling = true;
    expect(countStage(addRows(20), "text")).toBe(ROWS_PER_FRAME);
    frames.pass(FRAME_MS);
    expect(countStage(addRows(ROWS_PER_FRAME), "text")).toBe(ROWS_PER_FRAME);
  });

  it("all rows are completed, a few per frame, and text comes before actions", () => {
    frames.pacer.isScrolling = true;
    const rows = addRows(25);
    for (let frame = 0; frame < 100; frame++) {
      const before = rows.map(({ stage }) => stage);
      frames.pass(FRAME_MS);
      expect(rows.filter(({ stage }, at) => stage !== before[at]).length).toBeLessThanOrEqual(ROWS_PER_FRAME);
      if (countStage(rows, "complete") > 0) expect(countStage(rows, "key")).toBe(0);
    }
    expect(countStage(rows, "complete")).toBe(25);
  });

  it("a row that stays gets its text and actions also while new rows keep coming", () => {
    frames.pacer.isScrolling = true;
    const [stays] = addRows(20).toReversed();
    for (let frame = 0; frame < 100; frame++) {
      const passing = addRows(5);
      frames.pass(FRAME_MS);
      for (const row of passing) row.leave();
    }
    expect(stays?.stage).toBe("complete");
  });

  it("a row that has left is not changed any more", () => {
    const [row] = addRows(1);
    row?.leave();
    frames.pass(1000);
    expect(row?.stage).toBe("text");
  });
});
