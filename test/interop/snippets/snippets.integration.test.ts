import { expect, it } from "vitest";
import { findProgram } from "../steps/find.ts";
import { findFaults } from "./find-faults.ts";
import type { Runner } from "./language-run.ts";
import { curlRunner, typescriptRunner } from "./runners.ts";

/** The languages whose tools every machine has. `npm run interop` also runs Python and Java. */
const runners: Runner[] = [
  typescriptRunner,
  ...(findProgram("curl") !== undefined && findProgram("bash") !== undefined ? [curlRunner] : []),
];

it.concurrent.each(runners)(
  "the snippet of every operation in $language runs and returns what the API document states",
  async (runner) => expect(await findFaults(runner)).toEqual([]),
  60_000,
);
