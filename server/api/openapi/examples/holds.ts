import type { Hold, HoldStatus, Released, Reservation } from "../../../../lib/contract/actions/verb.ts";
import { formatHoldId } from "../../../formats/hold-id.ts";

/** What the document shows of holds: the one of the lock that examples/locks.ts shows. */
const ID = {
  target: "default",
  key: "lock:orders:42",
  format: "redisson",
  fence: "1795216496123456",
} as const;
const SINCE = 1_795_216_496_123;
const AS_OF = 1_795_216_504_643;

export const HOLD_ID = formatHoldId({
  ...ID,
  unit: undefined,
  token: "6f1b0d52-54b3-4a39-9d2e-0c7a1f3e8b64:1",
});

export const ACQUIRED: Hold = {
  holdId: HOLD_ID,
  ...ID,
  owner: "checkout@pod-7:311",
  count: 1,
  leaseMs: 30_000,
  remainingMs: 30_000,
  asOf: SINCE,
};
export const REENTERED: Hold = { ...ACQUIRED, count: 2, asOf: AS_OF };
export const RENEWED: Hold = { ...ACQUIRED, leaseMs: 60_000, remainingMs: 60_000, asOf: AS_OF };
export const RELEASED: Released = { holdId: HOLD_ID, ...ID, outcome: "released", count: 0, asOf: AS_OF };
export const HELD: HoldStatus = {
  holdId: HOLD_ID,
  ...ID,
  held: true,
  owner: "checkout@pod-7:311",
  count: 1,
  remainingMs: 21_480,
  asOf: AS_OF,
};
export const RESERVED: Reservation = {
  ...ID,
  owner: "lockkeeper:reserve:mei",
  count: 1,
  leaseMs: 600_000,
  remainingMs: 600_000,
  asOf: SINCE,
};
