import type { Hold, HoldStatus, Released, Reservation } from "../../../lib/contract/actions/verb.ts";
import { isBinaryKey, toKeyFields } from "../../../lib/keys/key.ts";
import { formatHoldId, type TargetHoldRef } from "../../formats/hold-id.ts";
import type { Released as FoundReleased, Grant } from "../../locks/verbs/contract/grant.ts";
import type { HoldStatus as FoundHoldStatus } from "../../locks/verbs/contract/verbs.ts";

/** Converts a grant to the `Hold` object of API responses. */
export function toHold(target: string, grant: Grant): Hold {
  const { key, format, kind = "lock", unit, token, fence, owner, count, leaseMs, remainingMs, asOf } = grant;
  const releaseRequested = grant.releaseRequested ?? null;
  const holdId = formatHoldId({ target, key, format, kind, unit, token, fence });
  // Copied field by field, because spreading objects of different shapes takes longer than the rest of the function.
  if (!isBinaryKey(key))
    return {
      holdId,
      target,
      key,
      format,
      kind,
      fence,
      owner,
      count,
      leaseMs,
      remainingMs,
      asOf,
      releaseRequested,
    };
  const fields = { format, kind, fence, owner, count, leaseMs, remainingMs, asOf, releaseRequested };
  return { holdId, target, ...toKeyFields(key), ...fields };
}

export function toReservation(target: string, grant: Grant): Reservation {
  const { holdId: _, releaseRequested: _none, ...reservation } = toHold(target, grant);
  return reservation;
}

export function toHoldStatus(hold: TargetHoldRef, found: FoundHoldStatus): HoldStatus {
  const { target, key, format, kind = "lock", fence } = hold;
  const holdId = formatHoldId(hold);
  return { holdId, target, ...toKeyFields(key), format, kind, fence, ...toStatusFields(found) };
}

function toStatusFields(found: FoundHoldStatus) {
  const { asOf } = found;
  if (!found.held)
    return { held: false, owner: null, count: 0, remainingMs: 0, asOf, releaseRequested: null } as const;
  const { owner, count, releaseRequested = null } = found;
  const remainingMs = found.remainingMs < 0 ? null : found.remainingMs;
  return { held: true, owner, count, remainingMs, asOf, releaseRequested } as const;
}

export function toReleased(hold: TargetHoldRef, { outcome, count, asOf }: FoundReleased): Released {
  const { target, key, format, kind = "lock", fence } = hold;
  const holdId = formatHoldId(hold);
  if (!isBinaryKey(key)) return { holdId, target, key, format, kind, fence, outcome, count, asOf };
  return { holdId, target, ...toKeyFields(key), format, kind, fence, outcome, count, asOf };
}
