import type { CheckName } from "../checks/check.ts";
import type { RunRequest } from "../run-request.ts";

/** A variant of the lock core with one fault, and the run that must reveal the fault. */
export interface Mutant {
  readonly name: string;
  /** Description of the fault. */
  readonly wrong: string;
  readonly edits: readonly Edit[];
  readonly run: Partial<RunRequest>;
  /**
   * The checks of which at least one must reveal the fault. Violations of other checks do not count, because a slow
   * machine may cause them.
   */
  readonly noticedBy: readonly CheckName[];
}

/** The replacement of a string that occurs exactly once in a file. */
export interface Edit {
  readonly file: string;
  readonly find: string;
  readonly instead: string;
}
