import { setTimeout as sleep } from "node:timers/promises";
import type { FormatName, LockKind } from "../../../lib/contract/format.ts";
import type { LivenessState } from "../../../lib/contract/liveness.ts";
import type { Holder, Lock, Waiters } from "../../../lib/contract/lock.ts";
import { waitUntil } from "../../support/test-server.ts";
import { assert, expect } from "../figures.ts";
import type { Peer } from "../peer.ts";
import type { Operator } from "./operator.ts";

/** No hold of these stories ends by itself before it is freed, and no waiter gives up. */
export const LEASE_MS = 40_000;
export const WAIT_MS = 60_000;
/** A tenth of the lease that a waiter would sit out if nobody woke it; those that poll look twenty times as often. */
const WOKEN_MS = LEASE_MS / 10;

/** One that holds or waits: a thread or a task of a peer, and what of its library it uses. */
export interface Party {
  readonly peer: Peer;
  readonly who: string;
  readonly object: string;
}

export interface AcquiredHold {
  readonly outcome: "granted" | "refused";
  /** When it was asked for, and answered, by the clock of this machine. */
  readonly sinceMs: number;
  readonly atMs: number;
  /** As the library itself knows it. */
  readonly owner?: string;
  readonly fence?: string;
}

export interface ReleaseOutcome {
  readonly outcome: "released" | "refused";
  /** How the library tells its caller that the lock was not its own any more. */
  readonly said: string;
}

/** @param leaseMs undefined: what the library gives by itself, and prolongs */
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

/** What the API shows of a lock; what is not named is not looked at. */
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

/** Waits for a liveness, which takes watching. @returns the lock as it was shown then */
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
  /** Who is seen to wait by then. */
  readonly waiters: Waiters;
  readonly leaseMs?: number | undefined;
  /** Whether the waiter sleeps by now, where nothing but Redis tells. */
  readonly isAsleep?: (() => Promise<boolean>) | undefined;
}

/** One that waits behind the holder, as far as anybody can see. @returns its hold, when it has it */
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
  // Those that nobody sees need a moment to begin; those that are seen, one to fall asleep.
  await sleep(300);
  return { held };
}

/** @returns in how many ms after the force-release the waiter had the lock */
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

/** The old owner gives back what it has no more: what its library tells it, and that the next one's hold stays. */
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
