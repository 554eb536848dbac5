import type { CheckName } from "../checks/check.ts";
import type { RunRequest } from "../run-request.ts";

/** The core with one thing wrong, and the run in which that must show. */
export interface Mutant {
  readonly name: string;
  /** What is wrong with it. */
  readonly wrong: string;
  readonly edits: readonly Edit[];
  readonly run: Partial<RunRequest>;
  /** The checks that are there for it. What another one says besides may have come of the machine. */
  readonly noticedBy: readonly CheckName[];
}

/** A piece of a file, which is there exactly once, and what stands there instead. */
export interface Edit {
  readonly file: string;
  readonly find: string;
  readonly instead: string;
}
