import type { Key } from "../../lib/keys/key.ts";
import { UnknownOutcomeError } from "../errors/redis-errors.ts";
import type { HoldLedger } from "./hold-ledger.ts";

/**
 * Maximum time for which a hold with an unknown outcome counts. It allows for a retry with the same Idempotency-Key,
 * which is not refused while the hold counts.
 */
const UNKNOWN_OUTCOME_MS_MAX = 60_000;

interface ClaimedHold {
  readonly target: string;
  readonly key: Key;
  readonly principal: string;
  readonly bytes: number;
}

/** A hold that a request may be granted. It stays in memory while the request waits. */
export class HoldClaim {
  #isCounted = false;

  constructor(
    private readonly ledger: HoldLedger,
    private readonly hold: ClaimedHold,
  ) {}

  /** Counts the hold before it is granted. Otherwise, concurrent requests could all fit into the same quota. */
  count(): void {
    this.#isCounted = true;
    this.ledger.add(this.hold.principal, 1, this.hold.bytes);
  }

  /** Records a hold that was granted for `remainingMs`. */
  confirm(remainingMs: number): void {
    this.#uncount();
    const { target, key, principal, bytes } = this.hold;
    this.ledger.record(target, key, { principal, bytes, remainingMs });
  }

  /** Handles a failed request. A hold with an unknown outcome counts until an observation or a retry resolves it. */
  fail(error: unknown, leaseMs: number): void {
    if (error instanceof UnknownOutcomeError) this.confirm(Math.min(leaseMs, UNKNOWN_OUTCOME_MS_MAX));
    else this.#uncount();
  }

  /** Removes a granted hold that was released because its client disconnected. */
  abandon(): void {
    this.ledger.forget(this.hold.target, this.hold.key);
  }

  /** Stops counting a hold that is not requested yet. */
  cancel(): void {
    this.#uncount();
  }

  #uncount(): void {
    if (this.#isCounted) this.ledger.add(this.hold.principal, -1, -this.hold.bytes);
    this.#isCounted = false;
  }
}
