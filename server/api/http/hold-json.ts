import type { Hold, HoldStatus, Released, Reservation } from "../../../lib/contract/actions/verb.ts";
import { toKeyFields } from "../../../lib/keys/key.ts";
import { formatHoldId, type TargetHoldRef } from "../../formats/hold-id.ts";
import type {
  HoldStatus as FoundHoldStatus,
  Released as FoundReleased,
  Grant,
} from "../../locks/verbs/verbs.ts";

/** A grant as JSON has it. */
export function toHold(target: string, grant: Grant): Hold {
  const { owner, count, leaseMs, remainingMs, asOf } = grant;
  return { ...toHoldFields({ target, ...grant }), owner, count, leaseMs, remainingMs, asOf };
}

export function toReservation(target: string, grant: Grant): Reservation {
  const { holdId: _, ...reservation } = toHold(target, grant);
  return reservation;
}

export function toHoldStatus(hold: TargetHoldRef, found: FoundHoldStatus): HoldStatus {
  const fields = toHoldFields(hold);
  const { asOf } = found;
  if (!found.held) return { ...fields, held: false, owner: null, count: 0, remainingMs: 0, asOf };
  const { owner, count, remainingMs } = found;
  return { ...fields, held: true, owner, count, remainingMs: remainingMs < 0 ? null : remainingMs, asOf };
}

export function toReleased(hold: TargetHoldRef, { outcome, count, asOf }: FoundReleased): Released {
  return { ...toHoldFields(hold), outcome, count, asOf };
}

function toHoldFields(hold: TargetHoldRef) {
  const { target, key, format, fence } = hold;
  return { holdId: formatHoldId(hold), target, ...toKeyFields(key), format, fence };
}
