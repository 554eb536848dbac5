import type { CheckName } from "../checks/check.ts";
import type { RunRequest } from "../run-request.ts";

/** The core with one fault, and the run that must reveal it. */
export interface Mutant {
  readonly name: string;
  /** Describes the fault. */
  readonly wrong: string;
  readonly edits: readonly Edit[];
  readonly run: Partial<RunRequest>;
  /** The checks that must reveal it. Violations of other checks may be caused by a slow machine. */
  readonly noticedBy: readonly CheckName[];
}

/** A text that occurs exactly once in a file, and its replacement. */
export interface Edit {
  readonly file: string;
  readonly find: string;
  readonly instead: string;
}
