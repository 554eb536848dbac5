import type { FormatName } from "../../lib/contract/format.ts";
import type { Lock } from "../../lib/contract/lock.ts";
import { ErrorWithFacts, ErrorWithoutFacts } from "./lockkeeper-error.ts";

export interface UnverifiedFacts {
  readonly lock: Lock;
  readonly version: string | null;
}

/** Facts about the current hold. Empty if the lock is free, or if a release request or the format rules have changed. */
export type ChangedFacts = Partial<Pick<Lock, "holders" | "remainingMs"> & UnverifiedFacts>;

export interface FormatRequiredFacts {
  /** The formats of which the caller must choose one. */
  readonly formats: readonly FormatName[];
  readonly lock: Lock;
}

export interface ConfirmRequiredFacts {
  /** Name of the target, which the caller must send in `confirm`. */
  readonly target: string;
}

export interface ReadOnlyFacts {
  readonly why: string;
  readonly instead?: string;
}

export class ChangedError extends ErrorWithFacts<ChangedFacts> {
  readonly code = "changed";
}

export class UnverifiedError extends ErrorWithFacts<UnverifiedFacts> {
  readonly code = "unverified";
}

export class ReasonRequiredError extends ErrorWithoutFacts {
  readonly code = "reason_required";
}

export class FormatRequiredError extends ErrorWithFacts<FormatRequiredFacts> {
  readonly code = "format_required";
}

export class ConfirmRequiredError extends ErrorWithFacts<ConfirmRequiredFacts> {
  readonly code = "confirm_required";
}

export class ReadOnlyError extends ErrorWithFacts<ReadOnlyFacts> {
  readonly code = "read_only";
}
