import { setTimeout as sleep } from "node:timers/promises";
import type { FormatName, LockKind } from "../../../lib/contract/format.ts";
import type { LivenessState } from "../../../lib/contract/liveness.ts";
import type { Holder, Lock, Waiters } from "../../../lib/contract/lock.ts";
import { waitUntil } from "../../support/test-server.ts";
import { assert, expect } from "../figures.ts";
import type { Peer } from "../peer.ts";
import type { Operator } from "./operator.ts";

/** Longer than a scenario: no hold expires before it is released, and no waiter gives up. */
export const LEASE_MS = 40_000;
export const WAIT_MS = 60_000;
/** A tenth of the lease that a waiter would sleep without a wake-up. Polling libraries retry twenty times as often. */
const WOKEN_MS = LEASE_MS / 10;

/** A holder or waiter: a thread or task of a peer, and the object of its library. */
export interface Party {
  readonly peer: Peer;
  readonly who: string;
  readonly object: string;
}

export interface AcquiredHold {
  readonly outcome: "granted" | "refused";
  /** The times of the request and of the answer, by the clock of this machine. */
  readonly sinceMs: number;
  readonly atMs: number;
  /** The owner as the library knows it. */
  readonly owner?: string;
  readonly fence?: string;
}

export interface ReleaseOutcome {
  readonly outcome: "released" | "refused";
  /** How the library reports to its caller that it no longer held the lock. */
  readonly said: string;
}

/** Acquires a hold. @param leaseMs undefined for the library's default, which it renews */
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

/** The expected fields of a lock in the API. Fields that are not named are not compared. */
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

/** Waits for a liveness state, which takes some observation. @returns the lock at that time */
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
  /** The expected waiters. */
  readonly waiters: Waiters;
  readonly leaseMs?: number | undefined;
  /** Whether the waiter is asleep, if only Redis shows it. */
  readonly isAsleep?: (() => Promise<boolean>) | undefined;
}

/** Starts a waiter behind the holder, and waits until it is visible. @returns its hold, once it has the lock */
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
  // Invisible waiters need a moment to begin, and visible ones a moment to fall asleep.
  await sleep(300);
  return { held };
}

/** Expects the waiter to be woken. @returns the time in ms from the force-release until it had the lock */
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

/** Releases the lost hold of the old owner: its library reports the loss, and the next hold is not affected. */
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
