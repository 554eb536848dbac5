import { afterAll, beforeAll, describe } from "vitest";
import { ConformanceFixture, type FormatUnderTest, type OpenedBackend } from "./conformance-fixture.ts";
import { describeExclusion } from "./exclusion.ts";
import { describeFairOrder } from "./fair-order.ts";
import { describeFences } from "./fences.ts";
import { describeForceRelease } from "./force-release.ts";
import { describeForeignHolders, describeRedissonWakeUps } from "./foreign-holders.ts";
import { describeGraceAndMinHold } from "./grace-and-min-hold.ts";
import { describeHoldIdentity } from "./hold-identity.ts";
import { describeManyHolds } from "./many-holds.ts";
import { describePrincipals } from "./principals.ts";
import { describeRandomCalls } from "./random-calls.ts";
import { describeReentry } from "./reentry.ts";
import { describeRenewal } from "./renewal.ts";
import { describeRequestIds } from "./request-ids.ts";
import { describeReservation } from "./reservation.ts";
import { describeTimestamp } from "./timestamp.ts";
import { describeContention, describeWaiting } from "./waiting.ts";

const ROUNDS = 1000;

/**
 * Registers the tests of all guarantees of a lock for one format and backend. The tests run concurrently on separate
 * keys. `lacks` lists the features without tests.
 */
export function describeConformance(
  name: string,
  spoken: FormatUnderTest,
  open: () => Promise<OpenedBackend>,
): void {
  describe.concurrent(name, () => {
    const scene = setUpFixture(spoken, open);
    for (const promise of [
      describeExclusion,
      describeReentry,
      describeHoldIdentity,
      describeRenewal,
      describeManyHolds,
      describeFences,
      describeRequestIds,
    ])
      promise(scene);
    for (const promise of [
      describePrincipals,
      describeWaiting,
      describeGraceAndMinHold,
      describeReservation,
      describeForceRelease,
    ])
      promise(scene);
    for (const promise of [
      describeForeignHolders,
      describeRedissonWakeUps,
      describeTimestamp,
      describeRandomCalls,
      describeFairOrder,
    ])
      promise(scene);
  });
}

/** Registers the tests of those guarantees that depend on the connection to the server and not only on the scripts. */
export function describeFormatConformance(
  name: string,
  spoken: FormatUnderTest,
  open: () => Promise<OpenedBackend>,
): void {
  describe.concurrent(name, () => {
    const scene = setUpFixture(spoken, open);
    for (const promise of [
      describeExclusion,
      describeReentry,
      describeHoldIdentity,
      describeRequestIds,
      describeWaiting,
      describeForceRelease,
      describeRedissonWakeUps,
      describeFairOrder,
    ])
      promise(scene);
  });
}

/** Registers the test of contention. This test runs alone because it uses the whole machine. */
export function describeContendedCounter(
  name: string,
  spoken: FormatUnderTest,
  open: () => Promise<OpenedBackend>,
): void {
  describe(`${name} under contention`, () => describeContention(setUpFixture(spoken, open), ROUNDS));
}

function setUpFixture(spoken: FormatUnderTest, open: () => Promise<OpenedBackend>): ConformanceFixture {
  const scene = new ConformanceFixture(spoken);
  beforeAll(async () => {
    scene.opened = await open();
  });
  afterAll(() => scene.opened.close());
  return scene;
}
