import { expect, it } from "vitest";
import { findProgram } from "../steps/find.ts";
import { runKillMatrix } from "./kill-matrix.ts";
import { shellRunner, typescriptRunner } from "./runners.ts";

/** The rows that need the least time of the machine. `npm run interop` runs all rows, in five languages. */
const ROWS = ["sigterm", "sigkill", "renew_502", "throws", "force_release_reserved"];

const runners = findProgram("curl") === undefined ? [typescriptRunner] : [shellRunner, typescriptRunner];

it.concurrent.each(runners)(
  "$fileName excludes, stops and releases in the shortest rows of the kill matrix",
  async (runner) => {
    const results = await runKillMatrix(runner, { rows: ROWS, works: ["child"] });
    console.log(results.map(({ line }) => line).join("\n"));
    expect(results.flatMap(({ line, faults }) => faults.map((fault) => `${line}: ${fault}`))).toEqual([]);
  },
  90_000,
);
