import { expect, test } from "vitest";
import { VERDICT_STATES, type VerdictState } from "../liveness.ts";
import { sampleHolder, sampleLock } from "../sample-lock.ts";
import { looksAlive } from "./looks-alive.ts";
import { RESERVE } from "./reservation.ts";

const lockOf = (state: VerdictState, owner = "o") =>
  sampleLock({
    holders: [sampleHolder({ owner })],
    verdict: {
      ...{ state, watchedMs: 1, renewals: 0, lastRenewalAt: null, cadenceMs: null },
      ...{ nextExpectedAt: null, misses: 0 },
    },
  });

test("a holder counts as alive while it renews or its liveness is unknown", () => {
  expect(VERDICT_STATES.filter((state) => looksAlive(lockOf(state)))).toEqual(["renewing", "unknown"]);
});

test("a reservation never counts as alive", () => {
  expect(looksAlive(lockOf("unknown", `${RESERVE}mei`))).toBe(false);
});
