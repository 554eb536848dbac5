import type { FormatName } from "../../../lib/contract/format.ts";
import type { LivenessState } from "../../../lib/contract/liveness.ts";
import type { Waiters } from "../../../lib/contract/lock.ts";
import { expect } from "../figures.ts";
import {
  type AcquiredHold,
  acquireHold,
  expectLiveness,
  expectReleased,
  expectReleaseRefused,
  expectShown,
  expectWoken,
  extendHold,
  LEASE_MS,
  type Party,
  type ReleaseOutcome,
  type Shown,
  waitBehind,
} from "./lock-steps.ts";
import type { Operator } from "./operator.ts";

export const POLLING_WAITERS: Waiters = { count: null, known: "unknown" };
export const createWaiterEstimate = (count: number): Waiters => ({ count, known: "estimated" });

/**
 * A scenario in which an operator force-releases the lock of one client while another client of the same library waits.
 */
export interface ReleaseScenario {
  readonly key: string;
  readonly holder: Party;
  readonly waiter: Party;
  /** Number of times that the holder acquires the lock. The default is 1. */
  readonly entries?: number;
  /** Lease in ms. If undefined, the library uses its own default and renews the lease. */
  readonly leaseMs?: number;
  readonly shown: Omit<Shown, "holders">;
  readonly liveness?: { readonly state: LivenessState; readonly withinMs: number };
  readonly waiters: Waiters;
  /** Whether the waiter sleeps, if Redis shows that. */
  readonly isAsleep?: () => Promise<boolean>;
  /** The format that the operator must specify because the value does not determine it. */
  readonly as?: FormatName;
  /** The expected result when the old owner extends its lease. If undefined, it does not try. */
  readonly extended?: ReleaseOutcome;
  /** The expected result when the old owner releases the lock. */
  readonly said: ReleaseOutcome;
}

export interface ScenarioResult {
  readonly key: string;
  readonly wokenMs: number;
  /** The hold that was force-released, and the hold of the waiter. */
  readonly held: readonly [AcquiredHold, AcquiredHold];
}

/**
 * Runs the scenarios. All locks are acquired at the beginning, because it takes time to assess their liveness.
 *
 * @returns one result per scenario
 */
export async function runScenarios(
  operator: Operator,
  stories: readonly ReleaseScenario[],
): Promise<ScenarioResult[]> {
  const holds = new Map<ReleaseScenario, AcquiredHold>();
  for (const history of stories) holds.set(history, await beginScenario(history));
  for (const [{ key, shown, entries = 1 }, { owner, fence }] of holds) {
    const lock = await operator.waitForLock(key, ({ holders }) => holders[0]?.count === entries);
    expectShown(lock, {
      ...shown,
      holders: [owner === undefined ? { count: entries } : { owner, count: entries }],
    });
    if (fence !== undefined) expect(`the last fence of ${key}`, lock.lastFence, fence);
    await operator.expectListed(lock);
  }
  for (const { key, liveness } of stories) {
    if (liveness !== undefined) await expectLiveness(operator, key, liveness.state, liveness.withinMs);
  }
  const reports: ScenarioResult[] = [];
  for (const [history, held] of holds) reports.push(await runScenario(operator, history, held));
  return reports;
}

async function beginScenario({ key, holder, entries = 1, leaseMs }: ReleaseScenario): Promise<AcquiredHold> {
  let held = await acquireHold(holder, key, 0, leaseMs);
  for (let entry = 1; entry < entries; entry++) held = await acquireHold(holder, key, 0, leaseMs);
  return held;
}

async function runScenario(
  operator: Operator,
  history: ReleaseScenario,
  first: AcquiredHold,
): Promise<ScenarioResult> {
  const { key, holder, waiter, leaseMs, waiters, isAsleep, as, extended, said } = history;
  const behind = await waitBehind(operator, waiter, key, { waiters, leaseMs, isAsleep });
  const { version, holders } = await operator.readLock(key);
  const owner = holders[0]?.owner ?? "";
  const freed = await operator.forceRelease(key, version, as);
  expect(`whose hold of ${key} was freed`, freed.owner, first.owner ?? owner);
  const wokenMs = await expectWoken(behind.held, freed, key);
  const second = await behind.held;
  const next = await operator.waitForLock(
    key,
    (lock) => lock.holders[0]?.owner !== owner && lock.state === "held",
  );
  if (extended !== undefined) {
    expect(`the old owner of ${key} prolongs its lease`, await extendHold(holder, key), extended);
  }
  await expectReleaseRefused(operator, holder, key, { said, next: second.owner ?? next.holders[0]?.owner });
  await operator.expectEventOnce(key, owner);
  await expectReleased(waiter, key);
  expect(`the state of ${key} in the end`, (await operator.readLock(key)).state, "free");
  return { key, wokenMs, held: [first, second] };
}

/** Force-releases a lock without waiters and checks the result of a later release by the old owner. */
export async function forceReleaseAlone(
  operator: Operator,
  holder: Party,
  key: string,
  said: ReleaseOutcome,
): Promise<void> {
  const { owner = "" } = await acquireHold(holder, key, 0, LEASE_MS);
  const { version } = await operator.waitForLock(key, ({ state }) => state === "held");
  await operator.forceRelease(key, version);
  await expectReleaseRefused(operator, holder, key, { said, next: undefined });
  await operator.expectEventOnce(key, owner);
}

const SHORT_MS = 12_000;

/** Checks that a lease that is not renewed is reported as `not_renewing` before it ends. */
export async function expectNotRenewing(operator: Operator, holder: Party, key: string): Promise<void> {
  await acquireHold(holder, key, 0, SHORT_MS);
  await expectLiveness(operator, key, "not_renewing", SHORT_MS);
}
