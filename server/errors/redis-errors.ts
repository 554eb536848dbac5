import type { RefusalReason } from "../../lib/contract/refusal.ts";
import { ErrorWithFacts, ErrorWithoutFacts, LockkeeperError } from "./lockkeeper-error.ts";

/** Empty when Redis is away. */
export interface UnavailableFacts {
  /** `stopping`: this server ends, and another one may answer. A `RefusalReason`: Redis responds, and refuses. */
  readonly reason?: "failover_hold_off" | "stopping" | RefusalReason;
  /** Until locks are granted again. */
  readonly remainingMs?: number;
}

export interface NotReplicatedFacts {
  /** So many were asked for. */
  readonly replicas: number;
  /** So many confirmed it; absent when nobody could be asked. */
  readonly confirmed?: number;
}

/** Redis could not be reached, or grants no locks at present. Nothing was changed; retry later. */
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

/** Fewer replicas than `replicas` confirmed the lock in time, and it was given back. */
export class NotReplicatedError extends ErrorWithFacts<NotReplicatedFacts> {
  readonly code = "not_replicated";
}

/** The connection broke or timed out after the request was sent. The request may have been executed. */
export class UnknownOutcomeError extends ErrorWithoutFacts {
  readonly code = "unknown_outcome";
}
