import { expect, test } from "vitest";
import { LIVENESS_STATES, type LivenessState } from "../liveness.ts";
import { createSampleHolder, createSampleLock } from "../sample-lock.ts";
import { isLikelyAlive } from "./looks-alive.ts";
import { RESERVED_OWNER_PREFIX } from "./reservation.ts";

const createLock = (state: LivenessState, owner = "o") =>
  createSampleLock({
    holders: [createSampleHolder({ owner })],
    liveness: {
      ...{ state, watchedMs: 1, renewals: 0, lastRenewalAt: null, renewalIntervalMs: null },
      ...{ nextRenewalExpectedAt: null, missedRenewals: 0 },
    },
  });

test("a holder counts as alive while it renews or its liveness is unknown", () => {
  expect(LIVENESS_STATES.filter((state) => isLikelyAlive(createLock(state)))).toEqual(["alive", "unknown"]);
});

test("a reservation never counts as alive", () => {
  expect(isLikelyAlive(createLock("unknown", `${RESERVED_OWNER_PREFIX}mei`))).toBe(false);
});
