import type { RefusalReason } from "../../lib/contract/refusal.ts";
import { ErrorWithFacts, ErrorWithoutFacts, LockkeeperError } from "./lockkeeper-error.ts";

/** Facts about a refusal. Empty if Redis is unreachable. */
export interface UnavailableFacts {
  /**
   * `stopping`: this server is stopping, and another instance may respond. A `RefusalReason`: Redis refuses the command
   * for this reason.
   */
  readonly reason?: "failover_hold_off" | "stopping" | RefusalReason;
  /** Milliseconds until locks are granted again. */
  readonly remainingMs?: number;
}

export interface NotReplicatedFacts {
  /** The number of replicas that must confirm. */
  readonly replicas: number;
  /** The number of replicas that confirmed. Absent if the master did not report it. */
  readonly confirmed?: number;
}

/** Redis is unreachable, or no locks are granted at present. Nothing was changed; retry later. */
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

/** Fewer than `replicas` replicas confirmed a grant or a renewal in time. A newly acquired lock was released. */
export class NotReplicatedError extends ErrorWithFacts<NotReplicatedFacts> {
  readonly code = "not_replicated";
}

/** The connection broke or timed out after the request was sent. The request may have been executed. */
export class UnknownOutcomeError extends ErrorWithoutFacts {
  readonly code = "unknown_outcome";
}
