import { expect, test } from "vitest";
import { LIVENESS_STATES, type LivenessState } from "../liveness.ts";
import { createSampleHolder, createSampleLock } from "../sample-lock.ts";
import { isLikelyAlive } from "./looks-alive.ts";
import { RESERVED_OWNER_PREFIX } from "./reservation.ts";

const createLock = (state: LivenessState, owner = "o") =>
  createSampleLock({
    holders: [createSampleHolder({ owner })],
    verdict: {
      ...{ state, watchedMs: 1, renewals: 0, lastRenewalAt: null, cadenceMs: null },
      ...{ nextExpectedAt: null, misses: 0 },
    },
  });

test("a holder counts as alive while it renews or its liveness is unknown", () => {
  expect(LIVENESS_STATES.filter((state) => isLikelyAlive(createLock(state)))).toEqual([
    "renewing",
    "unknown",
  ]);
});

test("a reservation never counts as alive", () => {
  expect(isLikelyAlive(createLock("unknown", `${RESERVED_OWNER_PREFIX}mei`))).toBe(false);
});
