import { expect, it } from "vitest";
import { findProgram } from "../steps/find.ts";
import { expectSafe } from "./guide-story.ts";
import { faultsOf } from "./judge.ts";
import type { Runner } from "./language-run.ts";
import { curlRunner, typescriptRunner } from "./runners.ts";

/** Python and Java are run by `npm run interop`, which is where a machine may lack them. */
const runners: Runner[] = [
  typescriptRunner,
  ...(findProgram("curl") !== undefined && findProgram("bash") !== undefined ? [curlRunner] : []),
];

it.concurrent.each(runners)(
  "every operation's snippet in $language runs, and is answered as the document says",
  async (runner) => expect(await faultsOf(runner)).toEqual([]),
  60_000,
);

it.concurrent.each(runners)(
  "the program of the docs page in $language renews, releases, stops when the lock is lost, and begins nothing without it",
  async (runner) => await expectSafe(runner),
  60_000,
);
