import { setTimeout as sleep } from "node:timers/promises";
import type { FormatName, LockKind } from "../../../lib/contract/format.ts";
import type { LivenessState } from "../../../lib/contract/liveness.ts";
import type { Holder, Lock, Waiters } from "../../../lib/contract/lock.ts";
import { waitUntil } from "../../support/test-server.ts";
import { assert, expect } from "../figures.ts";
import type { Peer } from "../peer.ts";
import type { Operator } from "./operator.ts";

/**
 * Lease in ms, longer than a scenario, so that no hold expires before it is released. `WAIT_MS` is longer still, so
 * that no waiter gives up.
 */
export const LEASE_MS = 40_000;
export const WAIT_MS = 60_000;
/**
 * Maximum time of a wake-up in ms: a tenth of the lease, for which a waiter would sleep without a wake-up. Polling
 * libraries retry at least twenty times in this period.
 */
const WOKEN_MS = LEASE_MS / 10;

/** A holder or waiter: a thread or task of a peer, with the library object that it uses. */
export interface Party {
  readonly peer: Peer;
  readonly who: string;
  readonly object: string;
}

export interface AcquiredHold {
  readonly outcome: "granted" | "refused";
  /** Time of the request, in Unix milliseconds. `atMs` is the time of the grant. */
  readonly sinceMs: number;
  readonly atMs: number;
  /** The owner string, if the library exposes it. */
  readonly owner?: string;
  readonly fence?: string;
}

export interface ReleaseOutcome {
  readonly outcome: "released" | "refused";
  /** How the library reports to its caller that the lock is no longer held, such as the name of an exception. */
  readonly said: string;
}

/**
 * Acquires a hold.
 *
 * @param leaseMs lease in ms. By default, the library uses its own default and renews the lease
 */
export async function acquireHold(
  { peer, who, object }: Party,
  key: string,
  waitMs: number,
  leaseMs = -1,
): Promise<AcquiredHold> {
  const held = await peer.ask<AcquiredHold>("hold", [who, object, key, waitMs, leaseMs], waitMs);
  expect(`${peer.name} (${object}, ${who}) gets ${key}`, held.outcome, "granted");
  return held;
}

export async function releaseHold({ peer, who, object }: Party, key: string): Promise<ReleaseOutcome> {
  return await peer.ask<ReleaseOutcome>("drop", [who, object, key]);
}

export async function extendHold({ peer, who, object }: Party, key: string): Promise<ReleaseOutcome> {
  return await peer.ask<ReleaseOutcome>("extend", [who, object, key]);
}

export async function expectReleased(party: Party, key: string): Promise<void> {
  expect(
    `${party.peer.name} (${party.object}, ${party.who}) gives ${key} back`,
    await releaseHold(party, key),
    {
      outcome: "released",
      said: "",
    },
  );
}

/** The expected fields of a lock in the API. Omitted fields are not compared. */
export interface Shown {
  readonly format: FormatName;
  readonly kind: LockKind;
  readonly confidence?: Lock["confidence"];
  readonly candidates?: readonly FormatName[];
  readonly holders: readonly Partial<Holder>[];
  readonly leaseMs?: number | null;
}

export function expectShown(lock: Lock, { holders, ...shown }: Shown): void {
  const of = <Part extends object>(whole: object, part: Part) =>
    Object.fromEntries(Object.keys(part).map((name) => [name, whole[name as keyof typeof whole]]));
  expect(`${lock.key} as shown`, { state: lock.state, ...of(lock, shown) }, { state: "held", ...shown });
  const byOwner = (a: { owner?: string }, b: { owner?: string }) =>
    (a.owner ?? "") < (b.owner ?? "") ? -1 : 1;
  const wanted = holders.toSorted(byOwner);
  const found = lock.holders.toSorted(byOwner).map((holder, at) => of(holder, wanted[at] ?? holder));
  expect(`the holders of ${lock.key} as shown`, found, wanted);
}

/**
 * Waits until the lock has a liveness state, which requires several observations.
 *
 * @returns the lock in that state
 */
export async function expectLiveness(
  operator: Operator,
  key: string,
  state: LivenessState,
  withinMs: number,
) {
  const lock = await operator.waitForLock(key, ({ liveness }) => liveness?.state === state, withinMs);
  await operator.expectListed(lock);
  return lock;
}

interface WaitExpectation {
  /** The waiters that the API should show. */
  readonly waiters: Waiters;
  readonly leaseMs?: number | undefined;
  /** Whether the waiter sleeps, for libraries whose waiters are visible only in Redis. */
  readonly isAsleep?: (() => Promise<boolean>) | undefined;
}

/**
 * Starts a waiter for a held lock and waits until the API shows it.
 *
 * @returns a promise of the waiter's hold
 */
export async function waitBehind(
  operator: Operator,
  party: Party,
  key: string,
  { waiters, leaseMs, isAsleep }: WaitExpectation,
): Promise<{ held: Promise<AcquiredHold> }> {
  const held = acquireHold(party, key, WAIT_MS, leaseMs);
  held.catch(() => undefined);
  const isSeen = (lock: Lock) => lock.waiters.count === waiters.count && lock.waiters.known === waiters.known;
  await operator.waitForLock(key, isSeen);
  if (isAsleep !== undefined) await waitUntil(isAsleep);
  // Waiters that the API cannot show need time to start, and the others need time to fall asleep.
  await sleep(300);
  return { held };
}

/**
 * Checks that the waiter was woken.
 *
 * @returns the time in ms from the force-release to the grant
 */
export async function expectWoken(
  held: Promise<AcquiredHold>,
  freed: { asOf: number },
  key: string,
): Promise<number> {
  const { sinceMs, atMs } = await held;
  const tookMs = atMs - freed.asOf;
  assert(sinceMs < freed.asOf, () => `${key}: the waiter came only after the force-release`);
  assert(tookMs < WOKEN_MS, () => `${key}: the waiter had it only ${tookMs} ms after the force-release`);
  return Math.max(0, tookMs);
}

/**
 * Releases the hold that the old owner has lost. Checks that its library reports the loss and that the next hold is not
 * affected.
 */
export async function expectReleaseRefused(
  operator: Operator,
  old: Party,
  key: string,
  { said, next }: { said: ReleaseOutcome; next: string | undefined },
): Promise<void> {
  expect(
    `${old.peer.name} (${old.object}): the old owner gives ${key} back`,
    await releaseHold(old, key),
    said,
  );
  const { holders } = await operator.readLock(key);
  if (next !== undefined)
    expect(
      `who holds ${key} after that`,
      holders.map(({ owner }) => owner),
      [next],
    );
}
