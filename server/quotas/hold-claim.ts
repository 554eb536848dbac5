import { UnknownOutcomeError } from "../errors/redis-errors.ts";
import type { HoldLedger, LedgerRef } from "./hold-ledger.ts";

/**
 * Maximum time in ms for which a hold with an unknown outcome counts. A retry with the same Idempotency-Key is not
 * refused while the hold counts.
 */
const UNKNOWN_OUTCOME_MS_MAX = 60_000;

interface ClaimedHold extends LedgerRef {
  readonly target: string;
  readonly principal: string;
  readonly bytes: number;
}

/**
 * The quota accounting for one request to acquire a hold. Records whether the hold counts toward the principal's quota.
 * One claim stays in memory for each waiting request.
 */
export class HoldClaim {
  #isCounted = false;
  #recordedAs: LedgerRef;

  constructor(
    private readonly ledger: HoldLedger,
    private readonly hold: ClaimedHold,
  ) {
    this.#recordedAs = hold;
  }

  /** Counts the hold before it is granted, so that concurrent requests cannot jointly exceed the quota. */
  count(): void {
    this.#isCounted = true;
    this.ledger.add(this.hold.principal, 1, this.hold.bytes);
  }

  /** Records a hold that was granted for `remainingMs` milliseconds. @param token the token of the hold, if known */
  confirm(remainingMs: number, token = this.hold.token): void {
    this.#uncount();
    const { target, principal, bytes } = this.hold;
    this.#recordedAs = { ...this.hold, token };
    this.ledger.record(target, this.#recordedAs, { principal, bytes, remainingMs });
  }

  /**
   * Stops counting the hold after a failed request, unless the outcome is unknown. In that case, the hold counts for
   * `leaseMs` milliseconds, but at most 60 s.
   */
  fail(error: unknown, leaseMs: number): void {
    if (error instanceof UnknownOutcomeError) this.confirm(Math.min(leaseMs, UNKNOWN_OUTCOME_MS_MAX));
    else this.#uncount();
  }

  /** Stops counting a granted hold that was released because its client disconnected. */
  abandon(): void {
    this.ledger.forget(this.hold.target, this.#recordedAs);
  }

  /** Stops counting a hold that has not been requested yet. */
  cancel(): void {
    this.#uncount();
  }

  #uncount(): void {
    if (this.#isCounted) this.ledger.add(this.hold.principal, -1, -this.hold.bytes);
    this.#isCounted = false;
  }
}
