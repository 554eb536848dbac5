import type { AcquiredHolds } from "../../../../lib/contract/actions/acquire-all.ts";
import type { AwaitedHold, Signalled } from "../../../../lib/contract/actions/condition.ts";
import type { Hold, HoldStatus, Released, Reservation } from "../../../../lib/contract/actions/verb.ts";
import type { ReleaseRequest } from "../../../../lib/contract/holds/release-request.ts";
import { EXAMPLE_HOLD_ID, EXAMPLE_LOCK, OTHER_HOLD_ID } from "../example-hold-id.ts";

const SINCE = 1_795_216_496_123;
const AS_OF = 1_795_216_504_643;

export const ACQUIRED: Hold = {
  holdId: EXAMPLE_HOLD_ID,
  ...EXAMPLE_LOCK,
  owner: "checkout@pod-7:311",
  count: 1,
  leaseMs: 30_000,
  remainingMs: 30_000,
  asOf: SINCE,
  releaseRequested: null,
};
export const ACQUIRED_HOLDS: AcquiredHolds = {
  holds: [
    ACQUIRED,
    { ...ACQUIRED, holdId: OTHER_HOLD_ID, key: "lock:customers:7", fence: "1795216496123457" },
  ],
  remainingMs: 30_000,
  asOf: SINCE,
};
export const REENTERED: Hold = { ...ACQUIRED, count: 2, asOf: AS_OF };
export const RELEASE_REQUESTED: ReleaseRequest = {
  requestId: "rr_5fGq2mZpXw0a",
  reason: "migration of the orders table",
  requestedBy: "mei",
  requestedAt: AS_OF,
  state: "requested",
  answerText: null,
};
export const RELEASE_REQUEST_ANSWERED: ReleaseRequest = {
  ...RELEASE_REQUESTED,
  state: "accepted",
  answerText: "stops after the current batch",
};
export const RENEWED: Hold = {
  ...ACQUIRED,
  leaseMs: 60_000,
  remainingMs: 60_000,
  asOf: AS_OF,
  releaseRequested: RELEASE_REQUESTED,
};
export const DOWNGRADED: Hold = { ...ACQUIRED, kind: "read", remainingMs: 21_480, asOf: AS_OF };
export const AWAITED: AwaitedHold = {
  ...ACQUIRED,
  fence: "1795216504643210",
  holdId: OTHER_HOLD_ID,
  waitedMs: 4210,
  asOf: AS_OF,
  signalled: true,
};
export const SIGNALLED: Signalled = { holdId: EXAMPLE_HOLD_ID, signalled: 1, asOf: AS_OF };
export const RELEASED: Released = {
  holdId: EXAMPLE_HOLD_ID,
  ...EXAMPLE_LOCK,
  outcome: "released",
  count: 0,
  asOf: AS_OF,
};
export const HELD: HoldStatus = {
  holdId: EXAMPLE_HOLD_ID,
  ...EXAMPLE_LOCK,
  held: true,
  owner: "checkout@pod-7:311",
  count: 1,
  remainingMs: 21_480,
  asOf: AS_OF,
  releaseRequested: null,
};
export const RESERVED: Reservation = {
  ...EXAMPLE_LOCK,
  owner: "lockkeeper:reserve:mei",
  count: 1,
  leaseMs: 600_000,
  remainingMs: 600_000,
  asOf: SINCE,
};
