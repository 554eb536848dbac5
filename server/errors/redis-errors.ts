import type { RefusalReason } from "../../lib/contract/refusal.ts";
import { ErrorWithFacts, ErrorWithoutFacts, LockkeeperError } from "./lockkeeper-error.ts";

/** The reason why a request was refused. Empty if there is no specific reason, for example if Redis is unreachable. */
export interface UnavailableFacts {
  /**
   * `failover_hold_off`: no locks are granted for a time after a failover. `stopping`: this server is stopping, but
   * another instance may respond. A `RefusalReason`: why Redis refused the command.
   */
  readonly reason?: "failover_hold_off" | "stopping" | RefusalReason;
  /** Time in ms until locks are granted again. */
  readonly remainingMs?: number;
}

export interface NotReplicatedFacts {
  /** Number of replicas that must confirm the change. */
  readonly replicas: number;
  /** Number of replicas that confirmed the change. Absent if the master did not report the number. */
  readonly confirmed?: number;
}

/**
 * Redis is unreachable or refuses commands, or no locks are granted at present. Nothing was changed. The request can be
 * retried later.
 */
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

/** Too few replicas confirmed a grant or renewal in time. If the lock was newly acquired, it was released again. */
export class NotReplicatedError extends ErrorWithFacts<NotReplicatedFacts> {
  readonly code = "not_replicated";
}

/** The connection broke or timed out after the request was sent. The request may have been executed. */
export class UnknownOutcomeError extends ErrorWithoutFacts {
  readonly code = "unknown_outcome";
}
