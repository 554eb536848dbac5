import { expect, it } from "vitest";
import { findProgram } from "../steps/find.ts";
import { runKillMatrix } from "./kill-matrix.ts";
import { shellRunner, typescriptRunner } from "./runners.ts";

/** `npm run interop` runs Python, Go and Java, which a machine may lack. */
const runners = findProgram("curl") === undefined ? [typescriptRunner] : [shellRunner, typescriptRunner];

it.concurrent.each(runners)(
  "$fileName excludes, stops and releases in every row of the kill matrix",
  async (runner) => {
    const results = await runKillMatrix(runner);
    console.log(results.map(({ line }) => line).join("\n"));
    expect(results.flatMap(({ line, faults }) => faults.map((fault) => `${line}: ${fault}`))).toEqual([]);
  },
  150_000,
);
