import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Journal } from "./journal.ts";
import { parseEntries, readHistory } from "./read.ts";

it("journal entries of several processes are merged by time", () => {
  const folder = mkdtempSync(join(tmpdir(), "lockkeeper-chaos-"));
  try {
    const epochNs = String(process.hrtime.bigint());
    const [one, two] = ["one", "two"].map(
      (name) => new Journal(join(folder, `${name}.jsonl`), epochNs, name),
    );
    one?.write({ op: "lost", type: "info" }, 30);
    two?.write({ op: "lost", type: "info" }, 20);
    one?.write({ op: "lost", type: "info" }, 10);
    expect(readHistory(folder).map(({ t, process }) => [t, process])).toEqual([
      [10, "one"],
      [20, "two"],
      [30, "one"],
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("an unfinished last line of a killed process is dropped", () => {
  expect(parseEntries('{"t":1}\n{"t":2}\n{"t":')).toEqual([{ t: 1 }, { t: 2 }]);
  expect(parseEntries("")).toEqual([]);
});
