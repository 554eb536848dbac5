import { ErrorWithFacts, ErrorWithoutFacts, LockkeeperError } from "./lockkeeper-error.ts";

/** Empty when Redis is away. */
export interface UnavailableFacts {
  /** stopping: this server ends, and another one may answer. */
  readonly reason?: "failover_hold_off" | "stopping";
  /** Until locks are granted again. */
  readonly remainingMs?: number;
}

export interface NotReplicatedFacts {
  /** So many were asked for. */
  readonly replicas: number;
  /** So many confirmed it; absent when nobody could be asked. */
  readonly confirmed?: number;
}

export class UnavailableError extends LockkeeperError {
  readonly code = "unavailable";

  constructor(
    detail: string,
    options?: ErrorOptions,
    readonly facts: Readonly<UnavailableFacts> = {},
  ) {
    super(detail, options);
  }
}

export class NotReplicatedError extends ErrorWithFacts<NotReplicatedFacts> {
  readonly code = "not_replicated";
}

export class UnknownOutcomeError extends ErrorWithoutFacts {
  readonly code = "unknown_outcome";
}
