import { join } from "node:path";
import type { LibfaketimeTool } from "../../interop/steps/libfaketime.ts";
import { runChecks } from "../checks/all.ts";
import type { CheckName, Violation } from "../checks/check.ts";
import { analyzeHistory } from "../history/analyzed-history.ts";
import { type Entry, isEntering } from "../history/entry.ts";
import type { Resources } from "../resources.ts";
import { PROJECT, run } from "../run.ts";
import type { RunRequest } from "../run-request.ts";
import { createMutant } from "./create-mutant.ts";
import type { Mutant } from "./mutant.ts";

const RUN: RunRequest = {
  topology: "single",
  seconds: 25,
  seed: 0,
  format: "redisson",
  kinds: ["lock"],
  faults: [],
  leaseMs: 1500,
  contexts: 3,
  locks: 3,
  latencyMs: 0,
};
/** Maximum number of runs with different seeds. Some faults are only revealed by chance. */
const TRIES = 3;

export interface MutantResult {
  readonly mutant: Mutant;
  /** Checks that were violated in the last run. */
  readonly checks: readonly CheckName[];
  /** A violation that one of the expected checks found. `undefined` if no run revealed the fault. */
  readonly example: Violation | undefined;
  readonly request: RunRequest;
}

const hasSucceeded = (entry: Entry) => entry.type === "ok" && (isEntering(entry) || entry.op === "await");

/** Runs a mutant until one of the expected checks reveals its fault. @throws Error if the mutant does not run at all */
export async function runMutant(
  mutant: Mutant,
  seed: number,
  folder: string,
  resources: Resources,
  library: LibfaketimeTool | undefined,
): Promise<MutantResult> {
  const core = createMutant(mutant, PROJECT);
  for (let left = TRIES; ; left--) {
    const request = { ...RUN, seed: seed + TRIES - left, ...mutant.run };
    try {
      const entries = await run({ ...request, core, library, folder: join(folder, mutant.name) }, resources);
      const history = analyzeHistory(entries);
      // A mutant that does not run would only violate liveness, which proves nothing.
      if (
        !entries.some(hasSucceeded) ||
        entries.some(({ op, target }) => op === "died" && target !== undefined)
      ) {
        throw new Error(`the mutant ${mutant.name} does not run`);
      }
      const violations = runChecks(history).flatMap((verdict) => verdict.violations);
      const checks = [...new Set(violations.map(({ check }) => check))];
      const example = violations.find(({ check }) => mutant.noticedBy.includes(check));
      if (example !== undefined || left === 1) return { mutant, checks, example, request };
    } finally {
      await resources.end();
    }
  }
}
