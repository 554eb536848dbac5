import type { ReleasedHolds, RenewedHolds } from "../../../../lib/contract/actions/hold-batch.ts";
import { EXAMPLE_HOLD_ID } from "../example-hold-id.ts";

const AS_OF = 1_795_216_504_643;

export const RENEWED_HOLDS: RenewedHolds = {
  results: [
    {
      holdId: EXAMPLE_HOLD_ID,
      outcome: "renewed",
      remainingMs: 30_000,
      leaseMs: 30_000,
      releaseRequested: null,
    },
  ],
  asOf: AS_OF,
};
export const RELEASED_HOLDS: ReleasedHolds = {
  results: [{ holdId: EXAMPLE_HOLD_ID, outcome: "released", count: 0 }],
  asOf: AS_OF,
};
