import type { Key } from "../../lib/keys/key.ts";
import { UnknownOutcomeError } from "../errors/redis-errors.ts";
import type { HoldLedger } from "./hold-ledger.ts";

/** Long enough for a retry with the same Idempotency-Key, which is not refused while the hold counts. */
const UNKNOWN_OUTCOME_MS_MAX = 60_000;

interface ClaimedHold {
  readonly target: string;
  readonly key: Key;
  readonly principal: string;
  readonly bytes: number;
}

/** A hold that a request may get. It stays in memory while a request waits. */
export class HoldClaim {
  #isCounted = false;

  constructor(
    private readonly ledger: HoldLedger,
    private readonly hold: ClaimedHold,
  ) {}

  /** Counts the hold before it is granted, so that requests at the same time do not all find room. */
  count(): void {
    this.#isCounted = true;
    this.ledger.add(this.hold.principal, 1, this.hold.bytes);
  }

  /** The hold was granted for `remainingMs`. */
  confirm(remainingMs: number): void {
    this.#uncount();
    const { target, key, principal, bytes } = this.hold;
    this.ledger.record(target, key, { principal, bytes, remainingMs });
  }

  /** The request failed. What may have been granted counts until a reading of the key or a retry settles it. */
  fail(error: unknown, leaseMs: number): void {
    if (error instanceof UnknownOutcomeError) this.confirm(Math.min(leaseMs, UNKNOWN_OUTCOME_MS_MAX));
    else this.#uncount();
  }

  /** The granted hold was released because its client has disconnected. */
  abandon(): void {
    this.ledger.forget(this.hold.target, this.hold.key);
  }

  #uncount(): void {
    if (this.#isCounted) this.ledger.add(this.hold.principal, -1, -this.hold.bytes);
    this.#isCounted = false;
  }
}
